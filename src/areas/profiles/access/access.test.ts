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
const place = { accountId, id: `003-1-${x}` }
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
  const asked = { tokens: 0 }
  const counting: typeof outbound = {
    ...outbound,
    send: (request) => {
      if (request.url.includes('/oauth2/token')) asked.tokens += 1
      return outbound.send(request)
    },
  }
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 8 })
  databases.push(database)
  const networks = openNetworks(sandboxApps(sandbox.url), { outbound: counting, clock: systemClock })
  const world: ProfileInstallation = {
    database,
    listener: undefined,
    clock: systemClock,
    keyring,
    outbound,
    networks,
    ...elsewhere,
  }
  return { world, asked }
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
    [sealSecret(keyring, place, secret), place.id],
  )

const restore = () =>
  keep({ accessToken: `sandbox-twitter-${x}-access`, refreshToken: `sandbox-twitter-${x}-refresh`, scopes: [] })

const whoAmI = (world: ProfileInstallation) => withProfile(world, place, (connector, actor) => connector.profile(actor))

const mails = () =>
  ownerQuery<{ subject: string }>(
    service.databaseUrl,
    `select payload::json ->> 'subject' as subject from jobs where name = 'mail.send-mail'`,
  )

test.each([
  ['known to have run out', new Date(0)],
  ['refused by the network', undefined],
])('20 calls at once in two processes, with a token %s, fetch exactly one new one', async (_, expiresAt) => {
  await expire(expiresAt)
  const [one, two] = [process(), process()]
  const calls = Array.from({ length: 20 }, (_, number) => whoAmI(number % 2 ? one.world : two.world))
  const people = await Promise.all(calls)
  expect(people.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, () => x))
  expect(one.asked.tokens + two.asked.tokens).toBe(1)
})

test('a new token is kept, and the next call uses it', async () => {
  await expire(new Date(0))
  const { world, asked } = process()
  await whoAmI(world)
  await whoAmI(process().world)
  expect(asked.tokens).toBe(1)
})

test('when the grant is gone the profile turns invalid, its admins are told once, and the network is left alone', async () => {
  const { world, asked } = process()
  await sandbox.control('/token', { network: 'Twitter', profile: x, action: 'revoke' })
  const before = (await mails()).length
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => whoAmI(world)))
  for (const result of results) {
    const { fault } = (result as PromiseRejectedResult).reason as NetworkError
    expect(fault).toEqual({ kind: 'token', remedy: 'reconnect' })
  }
  const { Status } = (await service.admin(`GET /credential/${place.id}`)).json.Credential
  expect(Status).toBe('invalid')
  const told = await mails()
  expect(told.length - before).toBe(1)
  expect(told.at(-1)?.subject).toContain('no longer lets Chorus use')
  const calls = asked.tokens
  await expect(whoAmI(world)).rejects.toThrow(NetworkError)
  expect(asked.tokens).toBe(calls)
})

test('trouble that has nothing to do with the token changes nothing', async () => {
  const { world, asked } = process()
  await sandbox.control('/fault', { network: 'Twitter', operation: 'profile', fault: 'rate-limit', count: 1 })
  await expect(whoAmI(world)).rejects.toMatchObject({ fault: { kind: 'throttled' } })
  expect((await service.admin(`GET /credential/${place.id}`)).json.Credential.Status).toBe('valid')
  expect(asked.tokens).toBe(0)
})

test('a refresh that gets no answer leaves the profile as it is, for the next try', async () => {
  await expire(new Date(0))
  const { world } = process()
  await sandbox.control('/fault', { network: 'Twitter', operation: 'token', fault: 'server-error', count: 1 })
  await expect(whoAmI(world)).rejects.toMatchObject({ fault: { kind: 'retryable' } })
  expect((await whoAmI(world)).id).toBe(x)
})

test('a profile without a connector, or of nobody, is refused with a sentence', async () => {
  const { world } = process()
  const ask = (id: string) => withProfile(world, { accountId, id }, async () => 'asked')
  await expect(ask('003-1-50100501')).rejects.toThrow('not connected to Xing')
  await expect(ask('003-1-0')).rejects.toThrow('Credential not found.')
  await expect(ask('003-1-100200300400777')).rejects.toThrow('password was changed')
})
