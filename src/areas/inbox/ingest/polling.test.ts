import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxHosts } from '#main/process/network-apps.ts'
import { hostsOf } from '#networks/connector/manifest.ts'
import { manifestOf } from '#networks/manifests.ts'
import { testSandbox } from '../../../../sandbox/sandbox.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles, until } from '../../../../tests/support/publishing.ts'
import { quick, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { remoteOf } from './ingest.fixture.ts'

/** Service and sandbox share one clock that only the test advances. X has its own app, so that its real intervals apply; the sandbox's apps are polled every minute. */
let time = Date.now()
const clock = { now: () => new Date(time) }
const pass = (seconds: number) => {
  time += seconds * 1000
}

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let service: TestService
beforeAll(async () => {
  sandbox = await testSandbox({ clock })
  await sandbox.control('/limits', { factor: 1000 })
  const hosts = sandboxHosts(hostsOf(manifestOf('Twitter'), {}), sandbox.url)
  service = await startTestService({
    clock,
    pollingIntervals: quick,
    environment: {
      CHORUS_DEMO: '1',
      CHORUS_SANDBOX_PORT: new URL(sandbox.url).port,
      CHORUS_POLL_SECONDS: '60',
      CHORUS_X_CLIENT_ID: 'sandbox-x-client',
      CHORUS_X_CLIENT_SECRET: 'sandbox-x-secret',
      CHORUS_X_HOSTS: Object.entries(hosts)
        .map(([role, url]) => `${role}=${url}`)
        .join(','),
    },
  })
})
afterAll(async () => {
  await service.stop()
  await sandbox.close()
})

interface Watched {
  polled: Date | null
  next: Date
  marker: string
}

const watched = async (profile: string): Promise<Watched | undefined> => {
  const text = 'select polled, next_poll as next, marker from inbox_profiles where credential_id = $1'
  return (await ownerQuery<Watched>(service.databaseUrl, text, [profile]))[0]
}

/** Markers are defined by the connector; X's contains the newest ids. */
const readMarker = ({ marker }: Watched) => Buffer.from(marker, 'base64url').toString()

/** Seconds from the last poll to the next. */
const waitOf = ({ next, polled }: Watched) => (next.getTime() - (polled as Date).getTime()) / 1000

/** Resolves when the profile was polled at this time or later. */
const polledSince = (profile: string, moment: Date) =>
  until(async () => {
    const row = await watched(profile)
    return row?.polled && row.polled >= moment ? row : undefined
  })

const injected = async (network: string, profile: string, what: object): Promise<string> => {
  const from = { id: '7100000000000077', name: 'Robin Field', username: 'robinfield' }
  const made = await sandbox.inject({ network, profile: remoteOf(profile), from, push: false, ...what })
  return made.remoteId
}

interface Item {
  postlogId: string | null
  postText: string
}

const itemThatSays = (text: string) =>
  until(async () => {
    const query = 'select postlog_id as "postlogId", post_text as "postText" from inbox_items where text = $1'
    return (await ownerQuery<Item>(service.databaseUrl, query, [text]))[0]
  })

test('a profile is polled again after the interval of its network, from its marker', async () => {
  await sandbox.control('/fault', { network: 'Twitter', operation: 'subscribe', fault: 'server-error', count: 1000 })
  const first = await injected('Twitter', profiles.x, { kind: 'mention', text: 'Hello @northwindoutdoor' })
  await until(async () => {
    pass(5)
    return (await watched(profiles.x)) !== undefined
  })
  const begun = await polledSince(profiles.x, new Date(0))
  expect(readMarker(begun)).toContain(first)
  // X is polled every two minutes without pushes, slightly early to include the poll itself.
  expect(waitOf(begun)).toBeGreaterThanOrEqual(96)
  expect(waitOf(begun)).toBeLessThanOrEqual(108)

  await polledSince(profiles.facebook, new Date(0))
  const second = await injected('Twitter', profiles.x, { kind: 'mention', text: 'Are you there @northwindoutdoor?' })
  pass(90)
  await polledSince(profiles.facebook, clock.now())
  expect(await watched(profiles.x)).toEqual(begun)

  pass(20)
  const again = await polledSince(profiles.x, clock.now())
  expect(readMarker(again)).toContain(second)
  await itemThatSays('Are you there @northwindoutdoor?')

  await sandbox.call('/__sandbox/faults', { method: 'DELETE', token: 'sandbox' })
  const pushed = await until(async () => {
    const row = (await watched(profiles.x)) as Watched
    // A running poll has a lease of three minutes: while one is due or running, the clock advances slowly.
    const isPolling = row.next <= clock.now() || waitOf(row) > 108
    pass(isPolling ? 0.5 : 5)
    return waitOf(row) >= 600 ? row : undefined
  })
  // With pushes, polling only fills gaps: every fifteen minutes, from the same marker.
  expect(waitOf(pushed)).toBeGreaterThanOrEqual(600)
  expect(waitOf(pushed)).toBeLessThanOrEqual(810)
  expect(pushed.marker).toBe(again.marker)
})

test('comments on a TikTok post that got its id late are attached once it has its id', async () => {
  await sandbox.control('/processing', { network: 'TikTok', delayMs: 0, idDelayMs: 30 * 60_000 })
  const message = { network: 'TikTok', campaignId: '002demo00000001', message: 'Named late', media: '026demo00000005' }
  const { json: made } = await service.publisher('POST /message', { body: message })
  const post = { messageId: made.Message.Id, credentialIds: profiles.tiktok }
  const { json } = await service.publisher('POST /post', { body: post })
  const log = () =>
    ownerQuery<{ id: string; remoteId: string; remoteUrl: string }>(
      service.databaseUrl,
      'select id, remote_id as "remoteId", remote_url as "remoteUrl" from postlogs where post_id = $1',
      [json.Post.Id],
    )
  const [before] = await until(async () => {
    pass(15)
    const logs = await log()
    return logs.length > 0 ? logs : undefined
  })
  expect(before?.remoteId).toMatch(/^v_pub_url/)

  const entries: { text: string; remoteId: string }[] = await sandbox.ledger('network=TikTok&kind=post')
  const named = entries.find(({ text }) => text === 'Named late')?.remoteId ?? ''
  expect(named).toMatch(/^\d+$/)
  await injected('TikTok', profiles.tiktok, { kind: 'comment', postRemoteId: named, text: 'Which trail is this?' })
  pass(70)
  await polledSince(profiles.tiktok, clock.now())
  expect(await itemThatSays('Which trail is this?')).toEqual({ postlogId: null, postText: '' })

  pass(30 * 60)
  await polledSince(profiles.tiktok, clock.now())
  const [after] = await log()
  expect(after).toMatchObject({ id: before?.id, remoteId: named, remoteUrl: expect.stringContaining(named) })
  expect(await itemThatSays('Which trail is this?')).toEqual({ postlogId: before?.id, postText: 'Named late' })
  await injected('TikTok', profiles.tiktok, { kind: 'comment', postRemoteId: named, text: 'And this one?' })
  pass(70)
  expect(await itemThatSays('And this one?')).toEqual({ postlogId: before?.id, postText: 'Named late' })
})
