import { afterAll, beforeAll, expect, test } from 'vitest'
import { caller } from '../../../tests/support/caller.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
const clock = { time: Date.now(), now: () => new Date(clock.time) }
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const hour = 60 * 60 * 1000
const make = (body: object, as = service.publisher) => as('POST /app/api/api-key', { body })
const using = (key: string) => caller(service.url, demoAccount, key)

test('a key is shown once, acts as its creator, and stops working when revoked', async () => {
  const { status, json } = await make({ name: 'CRM' })
  expect([status, json.ApiKey]).toEqual([
    200,
    {
      Id: expect.stringMatching(/^key/),
      Name: 'CRM',
      Created: expect.any(String),
      Expires: '0000-00-00 00:00:00',
      Key: expect.stringMatching(/^chk_\w{32}$/),
    },
  ])
  const { Id, Key } = json.ApiKey
  expect((await using(Key)('GET /me')).json).toMatchObject({ User: { Id: '00Ademo00000002' } })
  const listed = (await service.publisher('GET /app/api/api-key')).json.Items
  expect(listed.find((one: { Id: string }) => one.Id === Id)).toMatchObject({ Name: 'CRM', IsCurrent: 0 })
  expect(JSON.stringify(listed)).not.toContain(Key)
  expect((await service.publisher(`DELETE /app/api/api-key/${Id}`)).status).toBe(200)
  expect((await using(Key)('GET /me')).status).toBe(401)
})

test('users see and revoke their own keys, admins all', async () => {
  const { Id } = (await make({ name: 'Mine' })).json.ApiKey
  const names = async (as: typeof service.admin, query = '') =>
    (await as('GET /app/api/api-key', { query })).json.Items.map((one: { Name: string }) => one.Name)
  expect(await names(service.contributor, 'all=1')).not.toContain('Mine')
  expect(await names(service.admin)).not.toContain('Mine')
  expect(await names(service.admin, 'all=1')).toContain('Mine')
  expect((await service.contributor(`DELETE /app/api/api-key/${Id}`)).status).toBe(404)
  expect((await service.otherAdmin(`DELETE /app/api/api-key/${Id}`)).status).toBe(404)
  expect((await service.admin(`DELETE /app/api/api-key/${Id}`)).status).toBe(200)
})

test('a key expires, and keys created with it don’t last longer', async () => {
  const expires = Math.floor((clock.time + hour) / 1000)
  const { Key } = (await make({ name: 'Short', expires }, service.reader)).json.ApiKey
  const short = using(Key)
  const refused = await make({ name: 'Longer' }, short)
  expect([refused.status, refused.json.Errors.API.Error]).toEqual([400, expect.stringContaining('ends with it')])
  expect((await make({ name: 'Shorter', expires: expires - 60 }, short)).status).toBe(200)
  expect((await make({ name: 'Past', expires: 1_000_000_000 })).status).toBe(400)
  clock.time += hour
  expect((await short('GET /me')).status).toBe(401)
})
