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

  test('can be changed by admins only and takes effect with the next call', async () => {
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

  test('of the last admin can’t be removed, also by two concurrent requests', async () => {
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

test('lists the abilities that another role would add and remove', async () => {
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

test('admins grant library management, but not to users with the read role', async () => {
  const set = (id: string, mediaLibrary: number, as = service.admin) =>
    as(`POST /app/api/user/${id}/media-library`, { body: { mediaLibrary } })
  const folder = (as = service.contributor) => as('POST /media-folder', { body: { name: `Folder ${Math.random()}` } })
  expect((await set('00Ademo00000003', 0, service.publisher)).status).toBe(403)
  expect((await set('00Ademo00000003', 0)).json).toEqual({ Result: true })
  expect((await folder()).status).toBe(403)
  expect((await set('00Ademo00000003', 1)).status).toBe(200)
  expect((await folder()).status).toBe(200)
  expect((await set('00Ademo00000004', 1)).status).toBe(409)
  expect((await set('00Ademo00000003', 1, service.otherAdmin)).status).toBe(404)
})

test('lists the effects of deleting a user in numbers', async () => {
  const body = {
    email: 'leaver@example.com',
    password: 'a long password',
    role: 'publisher',
    firstName: 'Lea',
    lastName: 'Ver',
  }
  const { Id } = (await service.admin('POST /user', { body })).json.User
  const consequences = async (as = service.admin) => as(`GET /app/api/user/${Id}/consequences`)
  const nothing = { Sessions: 0, ApiKeys: 0, Drafts: 0, Boards: 0, Steps: 0, StepsAlone: 0, Conversations: 0 }
  expect((await consequences()).json).toEqual({ Result: true, IsLastAdmin: 0, ...nothing, PlannedPosts: 0 })
  const steps = [
    { name: 'Alone', approverIds: [Id] },
    { name: 'Together', approverIds: [Id, '00Ademo00000002'] },
  ]
  await service.admin('POST /app/api/workflow', { body: { name: 'Of the leaver', steps } })
  await service.admin('POST /conversation/eitdemo00000001', { body: { status: 'open' } })
  const assigned = await service.admin('POST /conversation/eitdemo00000001/assign', {
    body: { assignee_id: Id, note: '' },
  })
  expect(assigned.status, assigned.text).toBe(200)
  expect((await consequences()).json).toMatchObject({ Steps: 2, StepsAlone: 1, Conversations: 1 })
  expect((await consequences(service.publisher)).status).toBe(403)
  expect((await consequences(service.otherAdmin)).status).toBe(404)
  const mine = (await service.admin('GET /app/api/user/00Ademo00000001/consequences')).json
  expect(mine).toMatchObject({ IsLastAdmin: 1, ApiKeys: 1 })
})
