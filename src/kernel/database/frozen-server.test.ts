import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseProxy, openDatabaseProxy } from '../../../tests/support/database/database-proxy.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'
import { startHeartbeat } from './heartbeat.ts'
import { openListener } from './listener.ts'
import { ownerQuery } from './owner.ts'

let home: TestService
let proxy: DatabaseProxy
let service: TestService
beforeAll(async () => {
  home = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  proxy = await openDatabaseProxy(home.databaseUrl)
  service = await startTestService({
    databaseUrl: proxy.url,
    environment: { CHORUS_ROLES: 'api' },
    patience: { statementTimeout: 2_000, grace: 500, patience: 1_000 },
  })
})
afterAll(async () => {
  proxy.thaw()
  await service.stop()
  proxy.close()
  await home.stop()
})

const patience = { timeout: 30_000 }
const make = (name: string, key: string) =>
  service.admin('POST /team', { body: { name }, headers: { 'idempotency-key': key } })
const teams = async (name: string) =>
  (await ownerQuery(home.databaseUrl, 'select from teams where name = $1', [name])).length
/** On new connections statements are sent with their text, which the proxy matches. */
const reconnect = async () => {
  proxy.cut()
  proxy.restore()
  await expect.poll(async () => (await service.admin('GET /team')).status, patience).toBe(200)
}

for (const when of ['before', 'after'] as const) {
  test(`a commit whose response is lost ${when} it was done has an unknown outcome, and a retry with the key applies it once`, async () => {
    const name = `Lost ${when}`
    await reconnect()
    // The audit entry, the last statement of every change, is sent with its commit.
    const broken = proxy.breakOnce('insert into audit_log', when)
    const lost = await make(name, `lost-${when}`)
    await broken
    expect([lost.status, lost.headers.get('retry-after'), lost.json.Errors.API.Error]).toEqual([
      503,
      '5',
      expect.stringContaining('did not tell whether the change was made'),
    ])
    const again = await make(name, `lost-${when}`)
    expect([again.status, await teams(name)]).toEqual([200, 1])
    expect(again.headers.get('idempotent-replayed')).toBe(when === 'after' ? 'true' : null)
  })
}

test('requests during a database freeze fail with 503, and the service recovers afterwards', async () => {
  expect((await service.admin('GET /team')).status).toBe(200)
  proxy.freeze()
  const calls = await Promise.all([
    ...Array.from({ length: 8 }, () => service.admin('GET /team')),
    ...Array.from({ length: 8 }, (_, index) => make('Frozen', `frozen-${index}`)),
    service.otherAdmin('GET /team'),
  ])
  for (const { status, headers } of calls) expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  proxy.thaw()
  await expect.poll(async () => (await service.admin('GET /team')).status, patience).toBe(200)
  for (let index = 0; index < 8; index++)
    await expect.poll(async () => (await make('Frozen', `frozen-${index}`)).status, patience).toBe(200)
  expect(await teams('Frozen')).toBe(8)
}, 120_000)

test('a listener detects a frozen server and reconnects when it resumes', async () => {
  const listener = await openListener(proxy.url, { checkEvery: 100, patience: 300 })
  const received: (string | undefined)[] = []
  listener.on('frozen_test', (payload) => received.push(payload))
  const notify = (payload: string) => ownerQuery(home.databaseUrl, `select pg_notify('frozen_test', $1)`, [payload])
  await expect.poll(async () => (await notify('before')) && received.includes('before'), patience).toBe(true)
  proxy.freeze()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  received.length = 0
  proxy.thaw()
  // Undefined payload: notifications may have been missed.
  await expect.poll(() => received.includes(undefined), patience).toBe(true)
  await expect.poll(async () => (await notify('after')) && received.includes('after'), patience).toBe(true)
  await listener.close()
}, 60_000)

test('a heartbeat drops the connection to a frozen server and reconnects when it resumes', async () => {
  await ownerQuery(home.databaseUrl, `insert into job_workers (id, lease_until) values ('beating', now())`)
  const lease = async () =>
    (
      await ownerQuery<{ until: Date }>(
        home.databaseUrl,
        `select lease_until as until from job_workers where id = 'beating'`,
      )
    )[0]?.until as Date
  const beats = async () => {
    const before = await lease()
    await expect.poll(async () => (await lease()) > before, patience).toBe(true)
  }
  const text = `update job_workers set lease_until = lease_until + interval '1 s' where id = $1`
  const heartbeat = startHeartbeat({ url: proxy.url, text, values: ['beating'], every: 50, patience: 500 })
  await beats()
  proxy.freeze()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  proxy.thaw()
  await beats()
  await heartbeat.end()
}, 60_000)
