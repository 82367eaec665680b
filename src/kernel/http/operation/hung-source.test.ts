import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startHangingServer } from '../../../../tests/support/external-servers.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

const environment = { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_DATABASE_CONNECTIONS: '4', CHORUS_ROLES: 'api' }
let service: TestService
let second: TestService
let source: Awaited<ReturnType<typeof startHangingServer>>
let picture: Buffer
beforeAll(async () => {
  service = await startTestService({ environment })
  second = await startTestService({ environment, databaseUrl: service.databaseUrl })
  picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
})
beforeEach(async () => {
  source = await startHangingServer()
})
afterEach(() => source.stop())
afterAll(async () => {
  await second.stop()
  await service.stop()
})

const patience = { timeout: 20_000 }
const sourceHas = (calls: number) => expect.poll(() => source.waiting(), patience).toBe(calls)

/** Connections in use: idle in a transaction, or waiting for a lock. */
const held = async () =>
  (
    await ownerQuery(
      service.databaseUrl,
      `select from pg_stat_activity where datname = current_database() and application_name = 'chorus'
       and (state like 'idle in transaction%' or wait_event_type = 'Lock')`,
    )
  ).length

const add = (key: string, as = service.admin) =>
  as('POST /media', { body: { resource: source.url }, headers: { 'idempotency-key': key } })

/** Concurrent requests per account; further ones are refused with a retry time. */
const mayWait = 8

test('requests with keys that wait for a hung source do not block other requests', async () => {
  const calls = Array.from({ length: 12 }, (_, index) => [
    add(`hung ${index}`.replace(' ', '-')),
    service.publisher('POST /upload', { body: { source: source.url }, headers: { 'idempotency-key': `up-${index}` } }),
  ]).flat()
  await sourceHas(mayWait)
  expect(await held()).toBe(0)
  for (const as of [service.otherAdmin, service.admin]) {
    const made = await as('POST /team', { body: { name: 'Beside' }, headers: { 'idempotency-key': 'beside' } })
    const plain = await as('POST /team', { body: { name: 'Plain' } })
    const read = await as('GET /team')
    expect([made.status, plain.status, read.status]).toEqual([200, 200, 200])
  }
  expect(source.waiting()).toBe(mayWait)
  source.answer(500)
  const ends = (await Promise.all(calls)).map(({ status }) => status).sort()
  expect(ends).toEqual([...Array(mayWait).fill(400), ...Array(24 - mayWait).fill(429)])
}, 60_000)

test('a retry of a request in progress waits without a connection and gets the first response', async () => {
  const first = add('join')
  await sourceHas(1)
  const others = Array.from({ length: 20 }, (_, index) => add('join', index % 2 ? service.admin : second.admin))
  for (let poll = 0; poll < 20; poll++) {
    expect(await held()).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  expect((await service.admin('GET /team')).status).toBe(200)
  expect(source.waiting()).toBe(1)
  source.answer(200, picture)
  const answers = await Promise.all([first, ...others])
  expect(answers[0]?.status).toBe(200)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length).toBe(20)
}, 60_000)

test('a request whose key another process took over changes nothing and returns the response of the other', async () => {
  const lost = add('fence')
  await sourceHas(1)
  await ownerQuery(
    service.databaseUrl,
    `update idempotency_keys set claim = 'another', lease_until = '-infinity' where key = 'fence'`,
  )
  const taken = add('fence', second.admin)
  await sourceHas(2)
  const before = (await service.admin('GET /media', { query: 'type=ImageUrl' })).json.Total
  source.answer(200, picture)
  const [one, other] = await Promise.all([lost, taken])
  expect([one.status, one.text]).toEqual([200, other.text])
  expect((await service.admin('GET /media', { query: 'type=ImageUrl' })).json.Total).toBe(before + 1)
}, 60_000)
