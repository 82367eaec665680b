import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const account = `'${demoAccount}'`
const admin = `'00Ademo00000001'`
const insert = (statement: string) => ownerQuery(service.databaseUrl, statement)
const id = (prefix: string) => `'${prefix}long' || lpad(n::text, 8, '0')`
const rows = (count: number) => `from generate_series(1, ${count}) n`
/** Some rows have the same time, and the same name in a different case. */
const made = `now() + (n / 3) * interval '1 minute', now()`
const name = `case n % 2 when 0 then 'THING ' else 'thing ' end || n / 2`

interface List {
  /** Inserts more rows than fit on one page. */
  fill: string
  orders: readonly string[]
  query?: string
}

const lists: Record<string, List> = {
  '/team': {
    fill: `insert into teams (account_id, id, created, modified, name) select ${account}, ${id('025')}, ${made}, ${name} ${rows(1_100)}`,
    orders: ['created,0', 'name,1'],
  },
  '/board': {
    fill: `insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug, terms)
      select ${account}, ${id('brd')}, ${made}, ${admin}, ${admin}, ${name}, 'long-' || n, repeat('Be kind. ', 500) ${rows(250)}`,
    orders: ['created,0', 'name,0'],
  },
  '/board-topic': {
    fill: `insert into topics (account_id, id, board_id, created, modified, created_by, name)
      select ${account}, ${id('tpc')}, ${id('brd').replace('n::text', '(n % 250 + 1)::text')}, ${made}, ${admin}, ${name} ${rows(1_100)}`,
    orders: ['created,1', 'name,1'],
  },
  '/credential': {
    fill: `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
      select ${account}, '003-1-long' || n, ${made}, '', 'LinkedIn', 'long' || n, 'page', ${name}, '', '', 'valid' ${rows(1_100)}`,
    orders: ['created,0', 'name,1'],
  },
  '/workflow': {
    fill: `insert into workflows (account_id, id, created, modified, created_by, name) select ${account}, ${id('cwf')}, ${made}, ${admin}, ${name} ${rows(120)}`,
    orders: ['created,0'],
    query: 'withSteps=1',
  },
  '/workflow-step': {
    fill: `insert into workflow_steps (account_id, id, created, workflow_id, position, name, must_be_approved_by_everyone)
      select ${account}, ${id('cws')}, now(), ${id('cwf').replace('n::text', '(n / 3 + 1)::text')}, n % 3, 'Step', false ${rows(350)}`,
    orders: ['position,1', 'position,0'],
  },
  '/conversion-tag': {
    fill: `insert into conversion_tags (account_id, id, created, modified, created_by, tag, status) select ${account}, ${id('0ct')}, ${made}, ${admin}, 'tag' || n, 'active' ${rows(1_100)}`,
    orders: ['created,0'],
  },
  '/cname': {
    fill: `insert into cnames (account_id, id, created, modified, created_by, name, checked) select ${account}, ${id('0CN')}, ${made}, ${admin}, 'go' || n || '.example.com', now() ${rows(1_100)}`,
    orders: ['created,0'],
  },
  '/stream-tab': {
    fill: `insert into stream_tabs (account_id, id, created, modified, created_by, name) select ${account}, ${id('018')}, ${made}, ${admin}, ${name} ${rows(1_100)}`,
    orders: ['created,1', 'name,0'],
  },
}

test.each(Object.entries(lists))('GET %s without a page returns the items of all pages', async (path, list) => {
  await insert(list.fill)
  for (const order of list.orders) {
    const query = [`_order=${order}`, list.query].filter(Boolean).join('&')
    const all = await service.admin(`GET ${path}`, { query })
    expect(all.status).toBe(200)
    const items: object[] = []
    let total = Number.POSITIVE_INFINITY
    for (let page = 0; items.length < total; page++) {
      const { json } = await service.admin(`GET ${path}`, { query: `${query}&_page=${page}&_count=100` })
      items.push(...json.Items)
      total = json.Total
    }
    expect(all.text).toBe(JSON.stringify({ Result: true, Items: items, Total: total }))
  }
})

test('team entities, link changes and approval notes are returned completely', async () => {
  await insert(`insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
    select ${account}, ${id('002')}, ${made}, ${admin}, ${admin}, ${name}, 'active', '#2456D6' ${rows(1_300)}`)
  await insert(`insert into team_entities (account_id, entity_id, team_id, created)
    select ${account}, ${id('002')}, '025demo00000001', now() ${rows(1_300)}`)
  const entities = (await service.admin('GET /app/api/team/025demo00000001/entity')).json
  const kinds = ['user', 'campaign', 'workflow', 'board']
  const key = ({ Kind, Name, Id }: { [name: string]: string }) =>
    `${kinds.indexOf(Kind ?? '')} ${Name?.toLowerCase()} ${Id}`
  expect(entities.Total).toBe(entities.Items.length)
  expect(entities.Total).toBeGreaterThan(1_300)
  const campaigns = entities.Items.filter(({ Kind }: { Kind: string }) => Kind === 'campaign').map(key)
  expect(campaigns).toEqual([...campaigns].sort())
  expect(new Set(campaigns).size).toBe(campaigns.length)

  const [link] = (await service.admin('GET /link', { query: '_count=1' })).json.Items
  await insert(`insert into link_changes (account_id, id, link_id, at, user_id, what, before, after)
    select ${account}, ${id('0lc')}, '${link.Id}', now() - n * interval '1 minute', ${admin}, 'destination', 'https://example.com/' || n, '' ${rows(450)}`)
  const changes = (await service.admin(`GET /app/api/link/${link.Id}/changes`)).json.Items
  expect(changes.map(({ Before }: { Before: string }) => Before).slice(-450)).toEqual(
    Array.from({ length: 450 }, (_, index) => `https://example.com/${index + 1}`),
  )

  const post = (await service.admin('GET /post', { query: '_count=25' })).json.Items[0].Id
  await insert(`insert into workflow_notes (account_id, id, created, modified, user_id, entity_id, text)
    select ${account}, ${id('0nt')}, now() + n * interval '1 second', now(), '00Ademo0000000' || (n % 3 + 1), '${post}', 'Note ' || n ${rows(900)}`)
  const { json } = await service.admin('GET /workflow-item-note', { query: `id=${post}` })
  expect(json.Notes.slice(-900).map(({ Text }: { Text: string }) => Text)).toEqual(
    Array.from({ length: 900 }, (_, index) => `Note ${index + 1}`),
  )
  expect(Object.keys(json.Authors)).toEqual(
    expect.arrayContaining(['00Ademo00000001', '00Ademo00000002', '00Ademo00000003']),
  )
})

test('lists return posts with many postlogs and stories with long messages as single reads do', async () => {
  const profiles = `array(select '003-1-long' || p from generate_series(1, 600) p)`
  const [message] = (await service.admin('GET /message', { query: 'campaignId=002demo00000001' })).json.Items
  await insert(`insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
    select ${account}, ${id('004')}, now() + n * interval '1 minute', now(), ${admin}, ${admin}, 'complete', 'Approved', 'API', false, '002demo00000001', '${message.Id}', 'LinkedIn', now(), ${profiles} ${rows(5)}`)
  await insert(`insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url)
    select ${account}, '007long' || n || lpad(p::text, 7, '0'), now(), now(), ${id('004')}, '002demo00000001', '${message.Id}', '003-1-long' || p, 'LinkedIn', 'success', n || '-' || p, ''
    ${rows(5)}, generate_series(1, 600) p`)
  const listed = (await service.admin('GET /post', { query: 'withPostlogs=1&_count=25' })).json.Items
  expect(listed).toHaveLength(25)
  expect(listed.slice(0, 5).map(({ Postlogs }: { Postlogs: object[] }) => Postlogs.length)).toEqual([
    600, 600, 600, 600, 600,
  ])
  for (const one of listed.slice(0, 7))
    expect((await service.admin(`GET /post/${one.Id}`, { query: 'postlogs=1' })).json.Post).toEqual(one)

  await insert(`insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
    select ${account}, ${id('005')}, now(), now(), ${admin}, ${admin}, '002demo00000001', 'LinkedIn', 'status-update', repeat('x', 60000) || n, 10 ${rows(30)}`)
  const stories = (await service.admin('GET /story', { query: '_count=20' })).json.Items.slice(0, 3)
  for (const { ID } of stories)
    await insert(
      `insert into story_messages (account_id, story_id, message_id, position) select ${account}, '${ID}', ${id('005')}, 100 + n ${rows(30)}`,
    )
  const all = (await service.admin('GET /story', { query: '_count=20' })).json
  for (const { ID } of stories) {
    const one = (await service.admin(`GET /story/${ID}`)).json.Item
    expect(one.Messages.length).toBeGreaterThanOrEqual(30)
    expect(all.Items.find((story: { ID: string }) => story.ID === ID)).toEqual(one)
  }
})

test('the audit log as CSV and the export of a lead’s personal data are complete', async () => {
  await insert(`insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
    select ${account}, ${id('0dd')}, now(), ${admin}, 'key', '', '127.0.0.1', 'POST /long', ${id('004')}, array['a', 'b'], 1 ${rows(6_000)}`)
  const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`
  const answer = await fetch(`${service.url}/app/api/audit.csv?operation=POST%20/long`, { headers: { authorization } })
  const [, ...lines] = (await answer.text()).trimEnd().split('\r\n')
  const expected = Array.from({ length: 6_000 }, (_, index) => `004long${String(6_000 - index).padStart(8, '0')}`)
  expect(lines.map((line) => line.split(',')[7])).toEqual(expected)

  const [lead] = (await service.admin('GET /lead')).json.Items
  await insert(`insert into lead_activities (account_id, id, lead_id, activity_date, type, data, source)
    select ${account}, ${id('0la')}, '${lead.Id}', now() - n * interval '1 hour', 'message', '{"words": "Hello"}', 'long' || n ${rows(700)}`)
  const { Export: exported } = (await service.admin(`GET /app/api/lead/${lead.Id}/export`)).json
  expect(exported).toMatchObject({ isComplete: true, lead: { id: lead.Id }, clicks: expect.any(Array) })
  const activities = exported.activities.filter(({ source }: { source: string }) => source.startsWith('long'))
  expect(activities.map(({ source }: { source: string }) => source)).toEqual(
    Array.from({ length: 700 }, (_, index) => `long${index + 1}`),
  )
})

test('an hourly report of many days equals the hourly reports of single days', async () => {
  const day = 24 * 60 * 60 * 1000
  const dayText = (at: number) => new Date(at).toISOString().slice(0, 10)
  const [first, last] = [Date.now() - 40 * day, Date.now()]
  const query = {
    source: 'click',
    measures: ['clicks', 'boardClicks'],
    dimension: 'network',
    unit: 'hour',
    top: 100,
    compare: 1,
  }
  const report = async (from: number, to: number) =>
    (await service.admin('POST /app/api/report', { body: { ...query, from: dayText(from), to: dayText(to) } })).json
      .Data
  type Row = { Time: string; Network: string; Clicks: number; BoardClicks: number }
  const key = ({ Time, Network }: Row) => `${Time} ${Network}`
  const whole: Row[] = await report(first, last)
  expect(whole.length).toBeGreaterThan(2_500)
  // Compared as timestamps: during the repeated hour in autumn the texts are not in order.
  const moments = whole.map(({ Time }) => Date.parse(Time))
  expect(moments).toEqual(moments.toSorted((one, other) => one - other))
  const byKey = new Map(whole.map((row) => [key(row), row]))
  expect(byKey.size).toBe(whole.length)
  let clicks = 0
  for (let at = first; at <= last; at += 5 * day)
    for (const { Clicks, BoardClicks, ...row } of (await report(at, at)) as Row[]) {
      expect(byKey.get(key({ ...row, Clicks, BoardClicks }))).toMatchObject({ Clicks, BoardClicks })
      clicks += Clicks
    }
  expect(clicks).toBeGreaterThan(0)
})
