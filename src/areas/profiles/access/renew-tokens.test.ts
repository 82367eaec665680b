import { afterAll, beforeAll, expect, test } from 'vitest'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import {
  demoAccount as accountId,
  quick,
  startTestService,
  type TestService,
  testKeys,
} from '../../../../tests/support/service.ts'
import { sealSecret } from './profile-row.ts'

const day = 24 * 60 * 60 * 1000
const start = Date.now()
let now = start
const clock = { now: () => new Date(now) }
const keyring = readKeyring(testKeys)

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
beforeAll(async () => {
  sandbox = await testSandbox({ clock })
  const environment = { CHORUS_DEMO: '1', CHORUS_SANDBOX_PORT: new URL(sandbox.url).port }
  service = await startTestService({ clock, environment, pollingIntervals: quick })
  // Otherwise the demo's scheduled posts would be sent as the clock advances.
  await ownerQuery(service.databaseUrl, 'update sends set due = null where due is not null')
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

/** A profile whose token expires after this many days and is due for renewal after half of them. */
async function setTokens(id: string, tokens: { accessToken: string; refreshToken?: string }, days: number) {
  const expiresAt = new Date(start + days * day)
  const secret = sealSecret(keyring, { accountId, id }, { ...tokens, expiresAt, scopes: [] })
  const ends = tokens.refreshToken ? null : expiresAt
  await ownerQuery(
    service.databaseUrl,
    'update credentials set secret = $1, expires_on = $2, renew_on = $3 where id = $4',
    [secret, ends, new Date(start + (days * day) / 2), id],
  )
}

const row = async (id: string) =>
  (
    await ownerQuery<{ version: number; renew: Date | null; expires: Date | null; status: string }>(
      service.databaseUrl,
      'select secret_version as version, renew_on as renew, expires_on as expires, status from credentials where id = $1',
      [id],
    )
  )[0]

test('an unused long-lived token is renewed at half its lifetime, even if a clock that was ahead has claimed it', async () => {
  const id = '003-1-17841400000000501'
  const { body } = await sandbox.control('/profile', {
    network: 'Instagram',
    kind: 'account',
    id: '17841400000000501',
    name: 'Northwind Outdoor',
    expiresInSeconds: 60 * 24 * 3600,
  })
  await setTokens(id, { accessToken: body.accessToken }, 60)
  const claim = new Date(start + 300 * day)
  await ownerQuery(service.databaseUrl, 'update credentials set refreshing_until = $1 where id = $2', [claim, id])
  now = start + 31 * day
  await expect.poll(async () => (await row(id))?.version).toBe(1)
  const renewed = await row(id)
  expect(renewed?.status).toBe('valid')
  expect(renewed?.expires?.getTime()).toBeGreaterThan(start + 85 * day)
  expect(renewed?.renew?.getTime()).toBeGreaterThan(now + 25 * day)
})

test('a token that cannot be renewed stays valid, and the admins are warned once in the last week', async () => {
  const id = '003-1-100200300400501'
  await setTokens(id, { accessToken: 'sandbox-facebook-100200300400501-access' }, 100)
  now = start + 51 * day
  await expect.poll(async () => (await row(id))?.renew).toBe(null)
  expect(await row(id)).toMatchObject({ version: 0, status: 'valid' })
  const warnings = async () =>
    (
      await ownerQuery<{ count: number }>(
        service.databaseUrl,
        'select count(*)::int from credentials where notified_expiry = expires_on',
      )
    )[0]?.count
  expect(await warnings()).toBe(0)
  now = start + 94 * day
  await expect.poll(warnings).toBe(1)
})
