import { afterAll, beforeAll, expect, test } from 'vitest'
import { caller } from '../../../../tests/support/caller.ts'
import {
  demoAccount,
  demoKey,
  otherAccount,
  startTestService,
  type TestService,
} from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('the credentials tell whose they are', async () => {
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
