import { afterAll, beforeAll, expect, test } from 'vitest'
import { caller } from '../../../tests/support/caller.ts'
import {
  demoAccount,
  demoKey,
  otherAccount,
  startTestService,
  type TestService,
} from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('credentials identify their user', async () => {
  expect((await service.publisher('GET /me')).json).toEqual({
    Result: true,
    User: {
      Id: '00Ademo00000002',
      Name: 'Pablo Reyes',
      Email: 'pablo.reyes@example.com',
      LastLogin: '0000-00-00 00:00:00',
    },
    Account: { Id: '001demo00000001', Name: 'Northwind Outdoor' },
  })
})

test.each([
  ['a key of another account', otherAccount, demoKey],
  ['a wrong key', demoAccount, 'wrong'],
  ['no key', demoAccount, ''],
  ['a malformed account', 'x', demoKey],
  ['an absent account', '001absent000000', demoKey],
])('%s is refused, always in the same words', async (_case, account, key) => {
  const { status, headers, json } = await caller(service.url, account, key)('GET /me')
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toContain('Basic')
  expect(json.Errors.API.Error).toBe(
    'No valid credentials. Use HTTP Basic authentication with the account id and an API key.',
  )
})

test('users change their own name and time zone only', async () => {
  const { status, json } = await service.reader('POST /app/api/me', {
    body: { firstName: 'Rin', timezone: 'Asia/Seoul' },
  })
  expect([status, json]).toEqual([200, { Result: true }])
  const { User } = (await service.reader('GET /app/api/session')).json
  expect(User).toMatchObject({ Name: 'Rin Sato', Timezone: 'Asia/Seoul', Role: 'read' })
  expect((await service.reader('POST /app/api/me', { body: { timezone: 'Nowhere' } })).status).toBe(400)
  expect((await service.reader('POST /app/api/me', { body: { firstName: '' } })).status).toBe(400)
  // Fields that only admins may change are ignored.
  await service.reader('POST /app/api/me', { body: { firstName: 'Rina', role: 'admin', email: 'rina@example.net' } })
  expect((await service.reader('GET /app/api/session')).json.User).toMatchObject({
    Name: 'Rina Sato',
    Email: 'rina.sato@example.com',
    Role: 'read',
  })
})

test('all users see the account, and admins rename it', async () => {
  const { json } = await service.reader('GET /app/api/account')
  expect(json.Account).toMatchObject({ Id: demoAccount, Name: 'Northwind Outdoor', Users: 4, UsersMost: 5_000 })
  const rename = (as = service.admin, name = 'Northwind') => as('POST /app/api/account', { body: { name } })
  expect((await rename(service.publisher)).status).toBe(403)
  expect((await rename()).json.Account.Name).toBe('Northwind')
  expect((await service.publisher('GET /me')).json.Account.Name).toBe('Northwind')
  expect((await service.otherAdmin('GET /app/api/account')).json.Account).toMatchObject({ Id: otherAccount, Users: 1 })
  const entry = (await service.admin('GET /app/api/audit', { query: 'operation=POST%20/app/api/account' })).json
    .Items[0]
  expect(entry).toMatchObject({ EntityId: demoAccount, Fields: ['name'] })
})
