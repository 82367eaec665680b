import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const rows = <Row extends object>(text: string) => ownerQuery<Row>(service.databaseUrl, text)

test.each([
  ['messages', 'id', 'message_id'],
  ['posts', 'id', 'post_id'],
  ['postlogs', 'id', 'postlog_id'],
  ['links', 'id', 'link_id'],
  ['campaign_counters', 'campaign_id', 'campaign_id'],
])('the numbers of %s are what a recount of the clicks gives', async (table, key, of) => {
  const wrong = await rows(`
    select t.${key}, t.clicks, t.converts, n.clicks as counted, n.converts as converted from ${table} t left join (
      select account_id, ${of} as id, count(*) as clicks, count(converted) as converts from clicks where class = 'human' group by 1, 2
    ) n on n.account_id = t.account_id and n.id = t.${key}
    where (t.clicks, t.converts) <> (coalesce(n.clicks, 0), coalesce(n.converts, 0))`)
  expect(wrong).toEqual([])
  const [sum] = await rows<{ clicks: number; converts: number }>(
    `select sum(clicks)::int as clicks, sum(converts)::int as converts from ${table}`,
  )
  expect(sum?.clicks).toBeGreaterThan(of === 'post_id' || of === 'postlog_id' ? 2000 : 3000)
  expect(sum?.clicks).toBeLessThan(20_000)
  expect(sum?.converts).toBeGreaterThan(100)
})

test('clicks agree with their links, and links with their postlogs and texts', async () => {
  expect(
    await rows(`select c.id from clicks c left join links l on l.account_id = c.account_id and l.id = c.link_id
      where (c.campaign_id, c.message_id, c.post_id, c.postlog_id, c.credential_id, c.network)
        is distinct from (l.campaign_id, l.message_id, l.post_id, l.postlog_id, l.credential_id, l.network)
        or c.created < l.created or c.created > now() or c.converted > now()`),
  ).toEqual([])
  expect(
    await rows(`select l.id from links l left join postlogs g on g.account_id = l.account_id and g.id = l.postlog_id
      left join messages m on m.account_id = l.account_id and m.id = l.message_id left join link_hashes h on h.hash = l.hash and h.link = l.id
      where l.post_id <> '' and ((g.post_id, g.credential_id, g.status) is distinct from (l.post_id, l.credential_id, 'success')
        or not l.id = any (g.link_ids)) or position(l.original_url in m.message) = 0 or h.account is distinct from l.account_id`),
  ).toEqual([])
  expect(
    await rows(
      `select id from postlogs g where cardinality(link_ids) <> (select count(*) from links l where l.postlog_id = g.id)`,
    ),
  ).toEqual([])
})

test('no two clicks of a visitor on a link within thirty seconds count', async () => {
  const wrong = await rows(`
    select c.id from clicks c join clicks o on o.account_id = c.account_id and o.link_id = c.link_id and o.visitor_id = c.visitor_id and o.id > c.id
      and o.class = 'human' and c.class = 'human' and o.created < c.created + interval '30 seconds'`)
  expect(wrong).toEqual([])
})

test('clicks tell of the last ninety days', async () => {
  const days = await rows<{ day: number }>(
    `select distinct extract(day from now() - created)::int as day from clicks where class = 'human' order by 1`,
  )
  expect(days.length).toBeGreaterThan(80)
  expect(days.at(-1)?.day).toBeGreaterThan(84)
})

test('conversions, their clicks and their tags agree', async () => {
  expect(
    await rows(`select coalesce(c.id, v.click_id) from conversions v full join (select * from clicks where converted is not null) c
      on c.account_id = v.account_id and c.id = v.click_id and c.conversion_tag_id = v.conversion_tag_id and c.converted = v.created
      where c.id is null or v.click_id is null`),
  ).toEqual([])
  const tags = await rows<{ conversions: number; counted: number }>(
    `select conversions, (select count(*)::int from conversions v where v.conversion_tag_id = t.id) as counted from conversion_tags t`,
  )
  expect(tags.length).toBe(3)
  for (const { conversions, counted } of tags) {
    expect(conversions).toBe(counted)
    expect(conversions).toBeGreaterThan(0)
  }
})

test('links are listed and their destinations told', async () => {
  const { json } = await service.reader('GET /link')
  expect(json.Total).toBeGreaterThan(50)
  expect(json.Items.length).toBe(25)
  const { Link } = (await (await fetch(`${service.url}/v2/link/demo0001`)).json()) as { Link: { FinalUrl: string } }
  expect(Link.FinalUrl).toMatch(
    /^https:\/\/example\.com\/northwind\/.+\?utm_source=\w+&utm_medium=social&utm_campaign=/,
  )
})
