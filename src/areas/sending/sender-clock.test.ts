import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Publishing, profiles, startPublishing } from '../../../tests/support/publishing.ts'

const day = 86_400_000
let clockOffset = 0
let publishing: Publishing
beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + clockOffset) }
  publishing = await startPublishing({ clock, environment: { CHORUS_RATE_LIMIT: 'on', CHORUS_ROLES: 'api,worker' } })
})
afterAll(() => publishing.stop())

const sendingState = async () =>
  (
    await ownerQuery<{ alive: Date; held: Date }>(
      publishing.databaseUrl,
      'select alive, hold_before as held from sending_state',
    )
  )[0]

test('after the clock was set forward by a day and back, new posts are sent at once and requests are answered', async () => {
  const before = await publishing.post('Facebook', profiles.facebook, { message: 'Before the clock moved' })
  await publishing.settled(before.Id)
  clockOffset = day
  await expect
    .poll(async () => (await sendingState())?.alive.getTime(), { timeout: 20_000 })
    .toBeGreaterThan(Date.now() + day / 2)
  const tomorrow = await publishing.post('Facebook', profiles.facebook, { message: 'While it was tomorrow' })
  await publishing.settled(tomorrow.Id)
  const key = { 'idempotency-key': 'over-the-clock' }
  const made = await publishing.admin('POST /tag', { body: { tag: 'Tomorrow' }, headers: key })

  clockOffset = 0
  const again = await publishing.admin('POST /tag', { body: { tag: 'Tomorrow' }, headers: key })
  expect([made.status, again.status, again.json]).toEqual([200, 200, made.json])
  await expect
    .poll(async () => (await sendingState())?.alive.getTime(), { timeout: 20_000 })
    .toBeLessThan(Date.now() + day / 2)
  const after = await publishing.post('Facebook', profiles.facebook, { message: 'After it was set back' })
  expect((await publishing.settled(after.Id)).Status).toBe('complete')
  for (let call = 0; call < 20; call++) expect((await publishing.admin('GET /me')).status).toBe(200)
}, 120_000)

test('a post postponed while the clock was a day ahead is retried once it is set back', async () => {
  clockOffset = day
  await expect.poll(async () => (await sendingState())?.alive.getTime()).toBeGreaterThan(Date.now() + day / 2)
  await publishing.sandbox.control('/fault', { network: 'Facebook', operation: 'publish', fault: 'rate-limit' })
  const { Id } = await publishing.post('Facebook', profiles.facebook, { message: 'Put off while it was tomorrow' })
  const putOff = async () =>
    (await publishing.sends(Id)).find(({ attempts, state }) => attempts > 0 && state === 'waiting')
  await expect.poll(async () => (await putOff())?.due?.getTime()).toBeGreaterThan(Date.now() + day / 2)

  clockOffset = 0
  expect((await publishing.settled(Id)).Status).toBe('complete')
})
