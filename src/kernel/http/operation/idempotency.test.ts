import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { replayable } from './idempotency.ts'

// Starts today, like the demo data, which then need not be generated again.
let time = Math.ceil(Date.now() / 1000) * 1000
let service: TestService
let second: TestService
beforeAll(async () => {
  const clock = { now: () => new Date(time) }
  const environment = { CHORUS_ROLES: 'api' }
  service = await startTestService({ clock, environment })
  second = await startTestService({ clock, environment, databaseUrl: service.databaseUrl })
})
afterAll(async () => {
  await second.stop()
  await service.stop()
})

const post = (key: string, body: unknown, as = service.admin) =>
  as('POST /team', { body, headers: { 'idempotency-key': key } })
const count = async (): Promise<number> => (await service.admin('GET /team')).json.Total

test('a retry with the same key and body has no further effect and gets the first response', async () => {
  const before = await count()
  const first = await post('once', { name: 'Once' })
  const again = await post('once', { name: 'Once' })
  expect(again.text).toBe(first.text)
  expect(again.status).toBe(200)
  expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
  expect(await count()).toBe(before + 1)
})

test('concurrent identical requests on two processes share one execution', async () => {
  const before = await count()
  const copies = Array.from({ length: 20 }, (_, index) =>
    post('flight', 'name=Flight', index % 2 ? service.admin : second.admin),
  )
  const texts = (await Promise.all(copies)).map(({ text }) => text)
  expect(new Set(texts).size).toBe(1)
  expect(await count()).toBe(before + 1)
})

test('a different body with the same key is refused', async () => {
  await post('body', { name: 'One' })
  const { status, json } = await post('body', { name: 'Other' })
  expect([status, json.Errors.API.Error]).toEqual([
    409,
    'This Idempotency-Key was used for a different request. Use a new key for a new request.',
  ])
})

test('a different URL with the same key is refused', async () => {
  const { json } = await post('address', { name: 'One' })
  const { status } = await service.admin(`POST /team/${json.Team.Id}`, {
    body: { name: 'One' },
    headers: { 'idempotency-key': 'address' },
  })
  expect(status).toBe(409)
})

test('keys are separate for each user', async () => {
  const mine = await post('shared', { name: 'Mine' })
  const theirs = await post('shared', { name: 'Mine' }, service.otherAdmin)
  expect(theirs.status).toBe(200)
  expect(theirs.json.Team.Id).not.toBe(mine.json.Team.Id)
})

test('a permanent error is stored and replayed like any response', async () => {
  const body = { teamIds: '025later0000000' }
  const call = () =>
    service.admin('POST /team-entity/00Ademo00000002', { body, headers: { 'idempotency-key': 'refused' } })
  const [first, again] = [await call(), await call()]
  expect([first.status, again.status]).toEqual([400, 400])
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('a key expires after 24 hours', async () => {
  const first = await post('old', { name: 'Old' })
  time += 24 * 60 * 60 * 1000 - 1000
  expect((await post('old', { name: 'Old' })).json).toEqual(first.json)
  time += 2000
  expect((await post('old', { name: 'Old' })).json.Team.Id).not.toBe(first.json.Team.Id)
})

test('keys are separate for each API', async () => {
  const headers = { 'idempotency-key': 'interface' }
  const body = { name: 'photo.png', size: 10, resource: 'http://127.0.0.1:9/photo.png' }
  expect((await service.admin('POST /app/api/media', { body, headers })).status).toBe(200)
  const { status, json } = await service.admin('POST /media', { body, headers })
  expect([status, json.Errors.API.Error]).toEqual([409, expect.stringContaining('a different request')])
})

/** The row left by a process that was killed between claiming a key and the change. */
const insertClaim = (key: string, lease: string) =>
  ownerQuery(
    service.databaseUrl,
    `insert into idempotency_keys (account_id, user_id, key, created, request_digest, claim, lease_until)
     values ('001demo00000001', '00Ademo00000001', $1, $2, '', 'killed', ${lease})`,
    [key, new Date(time)],
  )

test.each([
  ['whose lease has expired', `clock_timestamp() - interval '1 s'`],
  ['whose lease is about to expire', `clock_timestamp() + interval '2 s'`],
  ['from before the clock was set back', `clock_timestamp() + interval '1 hour'`],
])('the key claimed by a killed process, %s, can be retried and has one effect', async (about, lease) => {
  const key = about.replaceAll(' ', '-')
  await insertClaim(key, lease)
  await ownerQuery(service.databaseUrl, 'update idempotency_keys set request_digest = $2 where key = $1', [
    key,
    replayable(key, 'POST /v2/team', { name: about })?.digest,
  ])
  const before = await count()
  const [one, other] = await Promise.all([post(key, { name: about }), post(key, { name: about }, second.admin)])
  expect([one.status, other.status, one.text]).toEqual([200, 200, other.text])
  expect(await count()).toBe(before + 1)
})

test.each(['', 'a b', 'x'.repeat(256)])('the key "%s" is refused', async (key) => {
  const { status, json } = await post(key, { name: 'x' })
  expect([status, json.Errors.API.Error]).toEqual([
    400,
    'Idempotency-Key must be 1 to 255 printable characters without blanks.',
  ])
})
