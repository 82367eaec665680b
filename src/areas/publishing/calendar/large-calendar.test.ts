import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  // Leaves two connections for one account.
  const environment = { CHORUS_ROLES: 'api', CHORUS_DATABASE_CONNECTIONS: '4' }
  service = await startTestService({ environment, patience: { patience: 2_000 } })
  await fill()
})
afterAll(() => service.stop())

const day = 24 * 60 * 60 * 1000
const [fromDate, toDate] = ['2041-03-01', '2041-04-20']
const posts = 4_000

/** Posts spread over fifty days, every tenth message posted twice, half of them sent, with messages long enough to exceed any buffer. */
async function fill() {
  const account = `'${demoAccount}'`
  const id = (prefix: string, n = 'n') => `'${prefix}big' || lpad((${n})::text, 9, '0')`
  const made = `now(), now(), '00Ademo00000001', '00Ademo00000001'`
  const rows = (count: number) => `from generate_series(1, ${count}) n`
  const message = `case when n % 10 = 0 then n - 1 else n end`
  const statements = [
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     select ${account}, ${id('002')}, ${made}, 'Campaign ' || n, 'active', '#2456D6' ${rows(700)}`,
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
     select ${account}, ${id('005')}, ${made}, ${id('002', 'n % 700 + 1')}, 'LinkedIn', 'status-update', repeat('Nächte im Zelt 🏕️ ', 300) || n, 10 ${rows(posts)}`,
    `insert into message_media (account_id, message_id, position, media_id)
     select ${account}, ${id('005')}, 0, '026demo0000000' || (n % 5 + 1) ${rows(posts)} where n % 9 = 0`,
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
     select ${account}, ${id('004')}, ${made}, case n % 2 when 0 then 'complete' else 'pending' end, 'Approved', 'API', false, ${id('002', 'n % 700 + 1')},
       ${id('005', message)}, 'LinkedIn', '${fromDate}'::timestamptz + n * interval '18 minutes', array['${profiles.linkedInPage}'] ${rows(posts)}`,
    // The ids are in the reverse order of the posts.
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url, published_date)
     select ${account}, ${id('007', `${posts} - n`)}, now(), now(), ${id('004')}, ${id('002', 'n % 700 + 1')}, ${id('005', message)}, '${profiles.linkedInPage}',
       'LinkedIn', 'success', n::text, 'https://example.com/' || n, now() ${rows(posts)} where n % 2 = 0`,
    `insert into custom_events (account_id, id, created, modified, created_by, title, description, start_date_time, end_date_time)
     select ${account}, ${id('0CE')}, now(), now(), '00Ademo00000001', 'Event ' || n, '', '${fromDate}'::timestamptz + n * interval '2 hours',
       '${fromDate}'::timestamptz + n * interval '2 hours' + interval '1 minute' ${rows(240)}`,
    'analyze campaigns, messages, posts, postlogs',
  ]
  for (const statement of statements) await ownerQuery(service.databaseUrl, statement)
}

const show = (body: object, as = service.reader) => as('POST /calendar', { body })

test('a large range equals its days combined, without duplicates and in the order of the contract', async () => {
  const { status, json, text, headers } = await show({ fromDate, toDate })
  expect(status).toBe(200)
  // The response is streamed in pages.
  expect(headers.get('content-length')).toBeNull()
  expect(Object.keys(json)).toEqual([
    'Result',
    'Campaigns',
    'Credentials',
    'Media',
    'Messages',
    'Posts',
    'Postlogs',
    'CustomEvents',
  ])
  expect(text.startsWith('{"Result":true,"Campaigns":{"')).toBe(true)
  const whole = { Campaigns: {}, Credentials: {}, Media: new Map(), Messages: {}, Posts: {} as object }
  const [postlogs, events]: [{ Id: string }[], object[]] = [[], []]
  for (let at = Date.parse(fromDate); at <= Date.parse(toDate); at += day) {
    const date = new Date(at).toISOString().slice(0, 10)
    const one = await show({ fromDate: date, toDate: date })
    for (const part of ['Campaigns', 'Credentials', 'Messages', 'Posts'] as const)
      Object.assign(whole[part], one.json[part])
    for (const asset of one.json.Media) whole.Media.set(asset.Id, asset)
    postlogs.push(...one.json.Postlogs)
    events.push(...one.json.CustomEvents)
  }
  expect(Object.keys(json.Posts)).toEqual(Object.keys(whole.Posts))
  const { Campaigns, Credentials, Messages, Posts } = whole
  expect(json).toEqual({
    Result: true,
    Campaigns,
    Credentials,
    Messages,
    Posts,
    CustomEvents: events,
    Media: [...whole.Media.values()].sort((one, other) => (one.Id < other.Id ? -1 : 1)),
    Postlogs: postlogs.sort((one, other) => (one.Id < other.Id ? -1 : 1)),
  })
  expect([Object.keys(Posts).length, postlogs.length, Object.keys(Campaigns).length]).toEqual([posts, posts / 2, 700])
}, 120_000)

test('filters and visibility apply to large results, and invalid requests are refused before anything is sent', async () => {
  const sent = (await show({ fromDate, toDate, filters: { statuses: ['complete'] } })).json
  expect(Object.keys(sent.Posts)).toHaveLength(posts / 2)
  const closed = '002big000000002'
  await service.admin(`POST /team-entity/${closed}`, { body: { teamIds: '025demo00000002' } })
  const seen = Object.values((await show({ fromDate, toDate }, service.publisher)).json.Posts) as {
    CampaignId: string
  }[]
  expect(seen.length).toBeLessThan(posts)
  expect(seen.some(({ CampaignId }) => CampaignId === closed)).toBe(false)
  const wrong = await show({ fromDate, toDate: '2042-01-01' })
  expect([wrong.status, wrong.json.Errors.API.Error]).toEqual([400, 'Time period should not exceed 60 days'])
})

test('a large range of the console’s calendar equals its days combined', async () => {
  const moment = (date: string) => Date.parse(date) / 1000
  const plan = async (from: number, until: number) =>
    (await service.reader('POST /app/api/calendar', { body: { from, until } })).json
  const all = await plan(moment(fromDate), moment(toDate))
  const days = []
  for (let at = moment(fromDate); at < moment(toDate); at += day / 1000) days.push(await plan(at, at + day / 1000))
  expect(all.Posts).toEqual(days.flatMap(({ Posts }) => Posts))
  expect(all.Campaigns).toEqual(Object.assign({}, ...days.map(({ Campaigns }) => Campaigns)))
  expect([all.IsAll, all.CustomEvents.length]).toEqual([1, 240])
})

test('clients that do not read hold no database connection, and release everything when they disconnect', async () => {
  const stuck: Socket[] = []
  while (stuck.length < 8) {
    const socket = await stalledClient()
    if (socket) stuck.push(socket)
  }
  // If the readers held as many connections as the account may use, the next call would be refused.
  for (let calls = 0; calls < 5; calls++) expect((await service.admin('GET /team')).status).toBe(200)
  expect((await service.otherAdmin('GET /team')).status).toBe(200)
  for (const socket of stuck) socket.destroy()
  await expect.poll(async () => (await show({ fromDate, toDate })).status, { timeout: 60_000 }).toBe(200)
}, 120_000)

/** A client that requests everything and stops reading after the first bytes; undefined if it is refused with 503. */
async function stalledClient(): Promise<Socket | undefined> {
  const { hostname, port } = new URL(service.url)
  const body = JSON.stringify({ fromDate, toDate })
  const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`
  const head = [
    'POST /v2/calendar HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.pause()
  const [, status] = first.toString('latin1').split(' ')
  if (status === '200') return socket
  expect(status).toBe('503')
  socket.destroy()
  return undefined
}
