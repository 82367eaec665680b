import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { type Publishing, profiles, startPublishing } from '../../../../tests/support/publishing.ts'
import { demoAccount, startTestService } from '../../../../tests/support/service.ts'

let publishing: Publishing
beforeAll(async () => {
  publishing = await startPublishing({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => publishing.stop())

const patience = { timeout: 20_000 }
const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(publishing.databaseUrl, text, values)

/** A campaign with one post in flight and one waiting. */
async function sending() {
  const campaignId = await publishing.campaign()
  const at = { startDateTime: Math.floor(Date.now() / 1000) + 3_600 }
  const [underWay, waits] = [
    (await publishing.post('Facebook', profiles.facebook, { message: 'Under way', campaignId }, at)).Id,
    (await publishing.post('Facebook', profiles.facebook, { message: 'Waits', campaignId }, at)).Id,
  ]
  await query(`update sends set state = 'sending', intent = now() where content_id = $1`, [underWay])
  return {
    campaignId,
    change: (status: string, headers = {}) =>
      publishing.publisher(`POST /campaign/${campaignId}`, { body: { status }, headers }),
    shown: async () => (await publishing.reader(`GET /campaign/${campaignId}`)).json.Campaign,
    arrives: () => query(`update sends set state = 'sent', due = null where content_id = $1`, [underWay]),
    isThere: async (id: string) => (await query('select from posts where id = $1', [id])).length > 0,
    underWay,
    waits,
  }
}

const isPending = (call: Promise<unknown>) =>
  Promise.race([call.then(() => false), new Promise((resolve) => setTimeout(() => resolve(true), 300))])
const held = () =>
  query(`select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
         and state_change < now() - interval '100 ms'`)

test('a pause waits for posts in flight without blocking the campaign or the database', async () => {
  const { change, shown, arrives, campaignId } = await sending()
  const headers = { 'idempotency-key': `pause-${campaignId}` }
  const pause = change('paused', headers)
  await expect.poll(async () => (await shown()).Status, patience).toBe('paused')
  const renamed = await publishing.publisher(`POST /campaign/${campaignId}`, { body: { name: 'Meanwhile' } })
  expect([renamed.status, renamed.json.Campaign.Name]).toEqual([200, 'Meanwhile'])
  const again = change('paused', headers)
  expect([await isPending(pause), await isPending(again), await held()]).toEqual([true, true, []])
  await arrives()
  const [first, second] = await Promise.all([pause, again])
  expect([first.status, first.json.Campaign.Status, first.json.Campaign.Name]).toEqual([200, 'paused', 'Meanwhile'])
  expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
})

test('archiving waits for posts in flight, then withdraws unsent posts', async () => {
  const { change, shown, arrives, isThere, waits, underWay } = await sending()
  const archive = change('archived')
  await expect.poll(async () => (await shown()).Status, patience).toBe('archived')
  expect([await isPending(archive), await isThere(waits)]).toEqual([true, true])
  await arrives()
  const { status, json } = await archive
  expect([status, json.Campaign.Status]).toEqual([200, 'archived'])
  expect([await isThere(waits), await isThere(underWay)]).toEqual([false, true])
})

test('a campaign that is resumed during the wait keeps its posts', async () => {
  const { change, shown, arrives, isThere, waits } = await sending()
  const archive = change('archived')
  await expect.poll(async () => (await shown()).Status, patience).toBe('archived')
  expect((await change('active')).status).toBe(200)
  await arrives()
  expect((await archive).json.Campaign.Status).toBe('active')
  expect(await isThere(waits)).toBe(true)
  const [send] = await query<{ due: Date | null }>('select due from sends where content_id = $1', [waits])
  expect(send?.due).toBeInstanceOf(Date)
})

test('a pause whose process was killed while it waited is completed by the retry and not applied again', async () => {
  const { change, shown, arrives, campaignId } = await sending()
  const key = `killed-${campaignId}`
  const body = { status: 'paused', name: 'At first' }
  const call = { body, headers: { 'idempotency-key': key } }
  const lost = publishing.publisher(`POST /campaign/${campaignId}`, call)
  await expect.poll(async () => (await shown()).Status, patience).toBe('paused')
  await query(`update idempotency_keys set claim = 'killed', lease_until = '-infinity' where key = $1`, [key])
  const later = await publishing.publisher(`POST /campaign/${campaignId}`, { body: { name: 'Later' } })
  expect(later.status).toBe(200)
  const other = await startTestService({
    databaseUrl: publishing.databaseUrl,
    environment: { CHORUS_ROLES: 'api' },
  })
  const again = other.publisher(`POST /campaign/${campaignId}`, call)
  expect(await isPending(again)).toBe(true)
  await arrives()
  // If the retry came after the wait had ended, it returns the requested status immediately; both outcomes are correct.
  expect([(await again).status, (await again).json.Campaign.Status]).toEqual([200, 'paused'])
  expect((await lost).text).toBe((await again).text)
  expect((await change('active')).json.Campaign.Name).toBe('Later')
  await other.stop()
})

test('a job ends an archived campaign whose process was killed while it waited', async () => {
  const { change, shown, arrives, isThere, waits, campaignId } = await sending()
  const archive = change('archived')
  await expect.poll(async () => (await shown()).Status, patience).toBe('archived')
  const worker = await startTestService({
    databaseUrl: publishing.databaseUrl,
    environment: { CHORUS_ROLES: 'worker' },
  })
  expect(await isThere(waits)).toBe(true)
  await query(`update jobs set due = now() where name = 'publishing.end-campaign' and key = $1`, [campaignId])
  await expect.poll(() => isThere(waits), patience).toBe(false)
  await arrives()
  expect((await archive).json.Campaign.Status).toBe('archived')
  await worker.stop()
}, 60_000)

const startDateTime = Math.floor(Date.now() / 1000) + 24 * 60 * 60

async function post(campaignId: string, credentialIds: string, rest: object = {}): Promise<string> {
  const body = { network: 'Twitter', campaignId, message: `Hello ${Math.random()}` }
  const messageId = (await publishing.publisher('POST /message', { body })).json.Message.Id
  const planned = { messageId, credentialIds, startDateTime, ...rest }
  return (await publishing.publisher('POST /post', { body: planned })).json.Post.Id
}

test('the consequences of pausing, archiving and resuming a campaign are counted in advance', async () => {
  const campaignId = (await publishing.publisher('POST /campaign', { body: { name: 'Numbers' } })).json.Campaign.Id
  const change = (status: string) => publishing.publisher(`POST /campaign/${campaignId}`, { body: { status } })
  const consequences = async () => (await publishing.reader(`GET /app/api/campaign/${campaignId}/consequences`)).json
  for (let one = 0; one < 3; one++) await post(campaignId, profiles.x)
  await post(campaignId, profiles.x, { status: 'draft' })
  const ended = { PostsDeleted: 3, DraftsDeleted: 1, PostsGivenUp: 0, SharesStopped: 0 }
  expect(await consequences()).toEqual({
    Result: true,
    Status: 'active',
    PostsUnderWay: 0,
    Archived: ended,
    Deleted: ended,
    Next: new Date(startDateTime * 1000).toISOString().slice(0, 19).replace('T', ' '),
    Paused: { PostsHeld: 3, SharesStopped: 0 },
    Active: { PostsResumed: 0, PostsLate: 0 },
  })
  // One of the posts has been sent to one of its two profiles.
  const begun = await post(campaignId, profiles.x)
  await ownerQuery(
    publishing.databaseUrl,
    `insert into sends (account_id, content_id, credential_id, kind, group_id, network, state, planned)
    values ($1, $2, '003-1-other', 'post', $3, 'Twitter', 'sent', now())`,
    [demoAccount, begun, campaignId],
  )
  expect(await consequences()).toMatchObject({ Archived: { ...ended, PostsGivenUp: 1 }, Paused: { PostsHeld: 4 } })
  await change('paused')
  expect(await consequences()).toMatchObject({ Status: 'paused', Active: { PostsResumed: 4, PostsLate: 0 } })
  const elsewhere = await publishing.otherAdmin(`GET /app/api/campaign/${campaignId}/consequences`)
  expect(elsewhere.status).toBe(404)
})
