import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

describe('a role', () => {
  const roleOf = async (id: string) =>
    (await service.admin('GET /user')).json.Items.find((user: { Id: string }) => user.Id === id)?.Role

  test('is changed by admins alone, and counts from the next call on', async () => {
    const id = '00Ademo00000004'
    const change = (ask: TestService['admin'], role: string) => ask(`POST /app/api/user/${id}/role`, { body: { role } })
    expect((await service.reader('POST /tag', { body: { tag: 'By a reader' } })).status).toBe(403)
    for (const ask of [service.publisher, service.contributor, service.reader])
      expect((await change(ask, 'admin')).status).toBe(403)
    const { status, json } = await change(service.admin, 'publisher')
    expect([status, json]).toEqual([
      200,
      { Result: true, User: { Id: id, Name: 'Rina Sato', Email: 'rina.sato@example.com', Role: 'publisher' } },
    ])
    expect((await service.reader('POST /tag', { body: { tag: 'By a publisher' } })).status).toBe(200)
    expect((await change(service.admin, 'nobody')).status).toBe(400)
    expect((await change(service.otherAdmin, 'admin')).status).toBe(404)
    expect((await change(service.admin, 'read')).status).toBe(200)
    expect(await roleOf(id)).toBe('read')
  })

  test('of the last admin stays, also when two give it up at the same moment', async () => {
    const [ada, pablo] = ['00Ademo00000001', '00Ademo00000002']
    const demote = (ask: TestService['admin'], id: string) =>
      ask(`POST /app/api/user/${id}/role`, { body: { role: 'read' } })
    const refused = await demote(service.admin, ada)
    expect([refused.status, refused.json.Errors.API.Error]).toEqual([
      409,
      'The last admin of an account must stay one. Make another user admin first.',
    ])
    await service.admin(`POST /app/api/user/${pablo}/role`, { body: { role: 'admin' } })
    const both = await Promise.all([demote(service.admin, ada), demote(service.publisher, pablo)])
    expect(both.map(({ status }) => status).sort()).not.toEqual([200, 200])
    const admins = both[0]?.status === 200 ? service.publisher : service.admin
    await admins(`POST /app/api/user/${ada}/role`, { body: { role: 'admin' } })
    await admins(`POST /app/api/user/${pablo}/role`, { body: { role: 'publisher' } })
    expect([await roleOf(ada), await roleOf(pablo)]).toEqual(['admin', 'publisher'])
  })
})

test('what another role adds and takes away is told before', async () => {
  const ask = (id: string, as = service.admin) => as(`GET /app/api/user/${id}/role`)
  const { json } = await ask('00Ademo00000002')
  expect(json).toMatchObject({ Present: 'publisher', IsLastAdmin: 0, Sessions: 0, ApiKeys: 1 })
  const approve = { Ability: 'approve', Words: 'publish and approve' }
  expect(json.Others).toMatchObject([
    { Role: 'admin', Adds: [{ Ability: 'administer' }], Takes: [], TakesLibrary: 0 },
    { Role: 'contributor', Adds: [], Takes: [approve], TakesLibrary: 0 },
    { Role: 'read', Adds: [], Takes: [{ Ability: 'contribute' }, approve], TakesLibrary: 1 },
  ])
  expect((await ask('00Ademo00000001')).json.IsLastAdmin).toBe(1)
  expect((await ask('00Ademo00000002', service.publisher)).status).toBe(403)
})
