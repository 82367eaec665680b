import { afterAll, beforeAll, expect, test } from 'vitest'
import { caller } from '../../../../tests/support/caller.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('delays the response to clients that try many API keys, but not to valid keys', async () => {
  const guess = caller(service.url, demoAccount, 'wrong')
  // Concurrent, because only attempts within ten seconds count.
  const mistakes = await Promise.all(Array.from({ length: 50 }, () => guess('GET /me')))
  expect(new Set(mistakes.map(({ status }) => status))).toEqual(new Set([401]))
  const order: string[] = []
  const late = guess('GET /me').then(({ status }) => order.push(`wrong ${status}`))
  await service.admin('GET /me').then(({ status }) => order.push(`right ${status}`))
  await late
  expect(order).toEqual(['right 200', 'wrong 401'])
})
