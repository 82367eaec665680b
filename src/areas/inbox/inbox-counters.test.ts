import { afterAll, beforeAll, expect, test } from 'vitest'
import { differences, rebuild, same, storedCounters } from '#areas/analytics/report/rebuilding.fixture.ts'
import { leadRecount } from '#areas/leads/lead/lead.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { placeEntry, placeItem } from '../../../tests/support/inbox.ts'
import { until } from '../../../tests/support/publishing.ts'
import { entryRecount, replyRecount } from './inbox-counters.ts'
import { type Inbox, profiles, startInbox } from './ingest/ingest.fixture.ts'

let inbox: Inbox
let post: string
beforeAll(async () => {
  inbox = await startInbox(3600)
  await inbox.subscribed()
  post = await inbox.published('Facebook', profiles.facebook, { message: 'Which of the forty walks is yours?' })
})
afterAll(() => inbox.stop())

const [publisher, contributor] = ['00Ademo00000002', '00Ademo00000003']
const campaign = '002demo00000001'
const day = 86_400_000
const date = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)

type Row = { [name: string]: string | number | null }

/** Report of the last days by one dimension. */
async function numbers(source: string, measures: string[], dimension: string, filters: object = {}) {
  const body = { source, measures, dimension, filters, from: date(-3), to: date(1), top: 50 }
  const { status, json } = await inbox.reader('POST /app/api/report', { body })
  expect([status, json.Errors]).toEqual([200, undefined])
  const name = dimension.charAt(0).toUpperCase() + dimension.slice(1)
  return new Map((json.Data as Row[]).map(({ [name]: value, ...rest }) => [String(value), Object.values(rest)]))
}

/** Changes of values caused by an action; unchanged values are omitted. */
async function more(ask: () => Promise<Map<string, (string | number | null)[]>>, happens: () => Promise<unknown>) {
  const before = await ask()
  await happens()
  const differences = [...(await ask())].map(([key, values]) => [
    key,
    ...values.map((value, at) => Number(value) - Number(before.get(key)?.[at] ?? 0)),
  ])
  return differences.filter(([, ...values]) => values.some((value) => value !== 0))
}

const inboxNumbers = () => numbers('inbox', ['received', 'closed', 'replied'], 'author')
const leadNumbers = () => numbers('lead', ['leads', 'activities'], 'campaign', { network: 'Facebook' })

const comment = (text: string, activity: object = {}) =>
  inbox.inject(profiles.facebook, 'Facebook', { kind: 'comment', postRemoteId: post, text, ...activity })
const replyAs = async (id: string, as = inbox.publisher) => {
  const { status, json } = await as(`POST /conversation/${id}/reply`, { body: { message: `Number ${numbered++}.` } })
  expect([status, json.Errors]).toEqual([200, undefined])
  return until(async () => {
    const [last] = (await inbox.reader(`GET /app/api/conversation/${id}/reply`)).json.Items
    return last.Status === 'sent' && (last.Id as string)
  })
}
let numbered = 1

const placed: string[] = []

/** A person mentions the LinkedIn page at this time: inserted into the inbox without being counted. */
async function mentioned(at: Date) {
  const from = { id: `7100000000000${numbered++}`, name: 'Robin Field' }
  const activity = { kind: 'mention', text: 'Hi', from, push: false }
  const { remoteId } = await inbox.inject(profiles.linkedInPage, 'LinkedIn', activity)
  const { id } = await placeItem(inbox.databaseUrl, { itemType: 'Mention', remoteId, postRemoteId: '', eventDate: at })
  placed.push(id)
  return id
}

/** Response time in seconds; undefined if it isn't the first reply. */
const waited = async (replyId: string) =>
  (
    await inbox.ask<{ seconds: number | null }>('select response_seconds as seconds from inbox_replies where id = $1', [
      replyId,
    ])
  )[0]?.seconds

/** Counters before and after a rebuild. */
async function rebuilt() {
  const database = openPatientDatabase({ url: inbox.databaseUrl, connections: 1 })
  const before = await storedCounters(inbox.databaseUrl)
  await rebuild(database, [entryRecount, replyRecount, leadRecount])
  await database.close()
  return differences(before, await storedCounters(inbox.databaseUrl))
}

test('incoming activities count once each, also when received twice, and for no user', async () => {
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'twice' })
  const counted = await more(inboxNumbers, async () => {
    const { remoteId: parentId } = await comment('Number nine, every spring.')
    const { id } = await inbox.item(profiles.facebook, 'Number nine, every spring.')
    await comment('Mine too', { kind: 'reply', parentId })
    await inbox.inject(profiles.facebook, 'Facebook', { kind: 'like', parentId, from: { id: '77' } })
    await until(async () => (await inbox.entries(id)).length === 3)
    await inbox.quiet()
  })
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'normal' })
  expect(counted).toEqual([['', 3, 0, 0]])
})

test('replies count for their author, and the first one with its response time', async () => {
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000)
  await comment('Is nineteen steep?')
  const { id } = await inbox.item(profiles.facebook, 'Is nineteen steep?')
  const replies: string[] = []
  const replied = await more(inboxNumbers, async () => {
    replies.push(await replyAs(id))
    replies.push(await replyAs(id, inbox.contributor))
  })
  expect(replied.sort()).toEqual([
    [publisher, 0, 0, 1],
    [contributor, 0, 0, 1],
  ])
  expect(await waited(replies[0] ?? '')).toBeGreaterThanOrEqual(0)
  expect(await waited(replies[1] ?? '')).toBeNull()
  const times = await numbers('inbox', ['replied', 'responseTime'], 'author', { profile: profiles.facebook })
  expect(times.get(publisher)?.[1]).toEqual(expect.any(Number))
  // Two messages since our last reply: the response time counts from the first.
  const later = await mentioned(at(5000))
  const own = { itemId: later, isOwn: true, type: 'reply' }
  await placeEntry(inbox.databaseUrl, { ...own, at: at(4000) })
  await placeEntry(inbox.databaseUrl, { itemId: later, at: at(3000) })
  await placeEntry(inbox.databaseUrl, { itemId: later, at: at(2000) })
  const seconds = await waited(await replyAs(later))
  expect(seconds).toBeGreaterThanOrEqual(3000)
  expect(seconds).toBeLessThan(4000)
  // A reply is sent on the network itself before ours.
  await placeEntry(inbox.databaseUrl, { itemId: later })
  await placeEntry(inbox.databaseUrl, own)
  expect(await waited(await replyAs(later))).toBeNull()
})

test('a reply found on the network counts, without a response time', async () => {
  const id = await mentioned(new Date())
  const refused = { status: 400, body: { message: 'No.' } }
  await inbox.sandbox.control('/fault', {
    network: 'LinkedIn',
    operation: 'comment',
    fault: 'answer',
    answer: refused,
  })
  await inbox.publisher(`POST /conversation/${id}/reply`, { body: { message: 'By the river.' } })
  const reply = await until(async () => {
    const [last] = (await inbox.reader(`GET /app/api/conversation/${id}/reply`)).json.Items
    return last.Status === 'failed' && (last.Id as string)
  })
  const body = { action: 'mark-sent' }
  const marked = await more(inboxNumbers, () => inbox.publisher(`POST /app/api/reply/${reply}/repair`, { body }))
  expect([marked, await waited(reply)]).toEqual([[[publisher, 0, 0, 1]], null])
})

test('closed items count for the user who closed them, each time and once', async () => {
  const [one, other] = [await mentioned(new Date()), await mentioned(new Date())]
  const closed = await more(inboxNumbers, async () => {
    for (const status of ['closed', 'closed', 'open', 'closed'])
      await inbox.contributor(`POST /conversation/${one}`, { body: { status } })
    await inbox.publisher('POST /app/api/conversations', { body: { ids: [one, other], action: 'close' } })
  })
  expect(closed.sort()).toEqual([
    [publisher, 0, 1, 0],
    [contributor, 0, 2, 0],
  ])
})

test('new leads count where they became known, and two merged ones count once', async () => {
  const person = { id: '71001', name: 'Kim Walker' }
  const known = await more(leadNumbers, async () => {
    await comment('Write to kim.walker@numbers.example', { from: person })
    await inbox.item(profiles.facebook, 'Write to kim.walker@numbers.example')
    await comment('Or call me', { from: person })
    await inbox.item(profiles.facebook, 'Or call me')
    await inbox.quiet()
  })
  expect(known).toEqual([[campaign, 1, 2]])
  const all = () => numbers('lead', ['leads', 'activities'], 'network')
  const met = await more(all, () => inbox.publisher('POST /app/api/lead', { body: { name: 'Sam Metcalf' } }))
  expect(met).toEqual([['', 1, 0]])
  await inbox.ask(
    `insert into lead_profiles (account_id, lead_id, network, remote_id, created)
     select account_id, id, 'Facebook', '71002', now() from leads where name = 'Sam Metcalf'`,
  )
  const merged = await more(all, async () => {
    await comment('I am kim.walker@numbers.example as well', { from: { id: '71002', name: 'Sam Metcalf' } })
    await inbox.item(profiles.facebook, 'I am kim.walker@numbers.example as well')
    await inbox.quiet()
  })
  expect(merged.sort()).toEqual([
    ['', -1, 0],
    ['Facebook', 0, 1],
  ])
})

test('removed messages and forgotten people stay counted, a removed activity does not', async () => {
  const { Items } = (await inbox.reader('GET /lead', { query: 'search=kim.walker' })).json
  const activities = (await inbox.reader('GET /lead-activity', { query: `leadId=${Items[0].Id}` })).json.Items
  const removed = await more(leadNumbers, () => inbox.publisher(`DELETE /lead-activity/${activities[0].Id}`))
  expect(removed).toEqual([[campaign, 0, -1]])
  const all = async () => [...(await inboxNumbers()), ...(await leadNumbers())]
  const before = await all()
  expect((await inbox.publisher(`DELETE /lead/${Items[0].Id}`)).status).toBe(200)
  await until(async () => {
    const counted = await inbox.ask<{ count: number }>(
      `select count(*)::int from inbox_entries where person_id = '71001'`,
    )
    return counted[0]?.count === 0
  })
  const { remoteId } = await comment('This will be gone')
  const { id } = await inbox.item(profiles.facebook, 'This will be gone')
  await inbox.inject(profiles.facebook, 'Facebook', { kind: 'delete', remoteId })
  await until(async () => (await inbox.entries(id)).some((entry) => entry.removed))
  const after = await all()
  expect(after.filter(([author]) => author !== '')).toEqual(before.filter(([author]) => author !== ''))
  expect(after.find(([author]) => author === '')?.[1][0]).toBe(
    Number(before.find(([author]) => author === '')?.[1][0]) + 1,
  )
  expect(
    await inbox.ask('select name, sum(amount)::int as amount from deleted_lead_counts group by 1 order by 1'),
  ).toEqual([
    { name: 'leadActivities', amount: 2 },
    { name: 'leads', amount: 1 },
  ])
})

test('a rebuild results in the same counters', async () => {
  // Inserted rows were never counted.
  await inbox.ask('delete from inbox_entries where item_id = any ($1) and not is_own', [placed])
  expect(await rebuilt()).toEqual(same)
})
