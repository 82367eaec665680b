import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { openNetworks } from '#networks/networks.ts'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import {
  demoAccount as accountId,
  startTestService,
  type TestService,
  testKeys,
} from '../../../../tests/support/service.ts'
import { withProfile } from './profile-access.ts'
import { type ProfileInstallation, sealSecret } from './profile-row.ts'

const x = '1500000000000000501'
const key = { accountId, id: `003-1-${x}` }
const keyring = readKeyring(testKeys)

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
const databases: Database[] = []
beforeAll(async () => {
  sandbox = await testSandbox()
  // Without workers, queued emails stay where they can be counted.
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
beforeEach(async () => {
  await sandbox.control('/reset', {})
  await sandbox.control('/limits', { factor: 100 })
})
afterEach(() => restore())
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()))
  await service.stop()
  await sandbox.close()
})

/** A process of the service, reduced to access to profiles, that counts its token requests. */
function process() {
  const outbound = openOutbound({ allow: ['127.0.0.0/8'], socketsPerOrigin: 64 })
  const requests = { tokens: 0 }
  const counting: typeof outbound = {
    ...outbound,
    send: (request) => {
      if (request.url.includes('/oauth2/token')) requests.tokens += 1
      return outbound.send(request)
    },
  }
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 8 })
  databases.push(database)
  const networks = openNetworks(sandboxApps(sandbox.url), { outbound: counting, clock: systemClock })
  const installation: ProfileInstallation = {
    database,
    listener: undefined,
    clock: systemClock,
    keyring,
    outbound,
    networks,
    ...elsewhere,
  }
  return { installation, requests }
}

/** Gives the profile an expired token of a real login, with a refresh token that works once. */
async function expire(expiresAt: Date | undefined) {
  const { body } = await sandbox.control('/profile', {
    network: 'Twitter',
    kind: 'account',
    id: x,
    name: 'X',
    expiresInSeconds: 7200,
  })
  await sandbox.advance(3 * 3600 * 1000)
  await keep({ accessToken: body.accessToken, refreshToken: body.refreshToken, expiresAt, scopes: [] })
}

const keep = (secret: Parameters<typeof sealSecret>[2]) =>
  ownerQuery(
    service.databaseUrl,
    `update credentials set secret = $1, secret_version = secret_version + 1, status = 'valid', status_reason = '' where id = $2`,
    [sealSecret(keyring, key, secret), key.id],
  )

const restore = () =>
  keep({ accessToken: `sandbox-twitter-${x}-access`, refreshToken: `sandbox-twitter-${x}-refresh`, scopes: [] })

const whoAmI = (installation: ProfileInstallation) =>
  withProfile(installation, key, (connector, actor) => connector.profile(actor))

const mails = () =>
  ownerQuery<{ subject: string }>(
    service.databaseUrl,
    `select payload::json ->> 'subject' as subject from jobs where name = 'mail.send-mail'`,
  )

test.each([
  ['known to have run out', new Date(0)],
  ['refused by the network', undefined],
])('20 concurrent calls of two processes, with a token %s, fetch exactly one new token', async (_, expiresAt) => {
  await expire(expiresAt)
  const [one, two] = [process(), process()]
  const calls = Array.from({ length: 20 }, (_, number) => whoAmI(number % 2 ? one.installation : two.installation))
  const people = await Promise.all(calls)
  expect(people.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, () => x))
  expect(one.requests.tokens + two.requests.tokens).toBe(1)
})

test('a new token is stored, and the next call uses it', async () => {
  await expire(new Date(0))
  const { installation, requests } = process()
  await whoAmI(installation)
  await whoAmI(process().installation)
  expect(requests.tokens).toBe(1)
})

test('a profile with a revoked grant becomes invalid, its admins get one email, and the network is not called again', async () => {
  const { installation, requests } = process()
  await sandbox.control('/token', { network: 'Twitter', profile: x, action: 'revoke' })
  const before = (await mails()).length
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => whoAmI(installation)))
  for (const result of results) {
    const { fault } = (result as PromiseRejectedResult).reason as NetworkError
    expect(fault).toEqual({ kind: 'token', remedy: 'reconnect' })
  }
  const { Status } = (await service.admin(`GET /credential/${key.id}`)).json.Credential
  expect(Status).toBe('invalid')
  const sent = await mails()
  expect(sent.length - before).toBe(1)
  expect(sent.at(-1)?.subject).toContain('no longer lets Chorus use')
  const calls = requests.tokens
  await expect(whoAmI(installation)).rejects.toThrow(NetworkError)
  expect(requests.tokens).toBe(calls)
})

test('errors unrelated to the token change nothing', async () => {
  const { installation, requests } = process()
  await sandbox.control('/fault', { network: 'Twitter', operation: 'profile', fault: 'rate-limit', count: 1 })
  await expect(whoAmI(installation)).rejects.toMatchObject({ fault: { kind: 'throttled' } })
  expect((await service.admin(`GET /credential/${key.id}`)).json.Credential.Status).toBe('valid')
  expect(requests.tokens).toBe(0)
})

test('a refresh without a response leaves the profile unchanged, for the next attempt', async () => {
  await expire(new Date(0))
  const { installation } = process()
  await sandbox.control('/fault', { network: 'Twitter', operation: 'token', fault: 'server-error', count: 1 })
  await expect(whoAmI(installation)).rejects.toMatchObject({ fault: { kind: 'retryable' } })
  expect((await whoAmI(installation)).id).toBe(x)
})

test('a profile without a connector, and an absent one, are refused with a message', async () => {
  const { installation } = process()
  const ask = (id: string) => withProfile(installation, { accountId, id }, async () => 'asked')
  await expect(ask('003-1-50100501')).rejects.toThrow('not connected to Xing')
  await expect(ask('003-1-0')).rejects.toThrow('Credential not found.')
  await expect(ask('003-1-100200300400777')).rejects.toThrow('password was changed')
})
