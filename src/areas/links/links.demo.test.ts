import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../tests/support/service.ts'
import { withDuplicates } from './clicks.demo.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const rows = <Row extends object>(text: string) => ownerQuery<Row>(service.databaseUrl, text)

test.each([
  ['message', 'message_id'],
  ['post', 'post_id'],
  ['profile-post', `case when post_id <> '' then post_id || ' ' || credential_id else '' end`],
  ['link', 'link_id'],
  ['campaign', 'campaign_id'],
])('the counters of each %s equal a recount of the clicks, per day too', async (kind, of) => {
  const recount = (day: string) => `
    select account_id, ${of} as id, 'clicks' as name, count(*) as value ${day && `, (created at time zone 'UTC')::date as day`}
      from clicks where class = 'human' and ${of} <> '' group by account_id, ${of} ${day}
    union all select account_id, ${of}, 'converts', count(*) ${day && `, (converted at time zone 'UTC')::date`}
      from clicks where class = 'human' and ${of} <> '' and converted is not null group by account_id, ${of} ${day.replace('created', 'converted')}`
  const kept = (table: string, day: string) =>
    `select account_id, of_id, name, value ${day} from ${table} where of_kind = '${kind}' and name in ('clicks', 'converts')`
  const byDay = `, (created at time zone 'UTC')::date`
  expect(await rows(`(${recount('')}) except (${kept('counters', '')})`)).toEqual([])
  expect(await rows(`(${kept('counters', '')}) except (${recount('')})`)).toEqual([])
  expect(await rows(`(${recount(byDay)}) except (${kept('daily_rollups', ', day')})`)).toEqual([])
  expect(await rows(`(${kept('daily_rollups', ', day')}) except (${recount(byDay)})`)).toEqual([])
  const [sum] = await rows<{ clicks: number; converts: number }>(
    `select sum(value) filter (where name = 'clicks')::int as clicks, sum(value) filter (where name = 'converts')::int as converts
    from counters where of_kind = '${kind}'`,
  )
  expect(sum?.clicks).toBeGreaterThan(kind.endsWith('post') ? 2000 : 3000)
  expect(sum?.clicks).toBeLessThan(20_000)
  expect(sum?.converts).toBeGreaterThan(100)
})

test('clicks match their links, and links match their postlogs and texts', async () => {
  expect(
    await rows(`select c.id from clicks c left join links l on l.account_id = c.account_id and l.id = c.link_id
      where (c.campaign_id, c.message_id, c.post_id, c.credential_id, c.network)
        is distinct from (l.campaign_id, l.message_id, l.post_id, l.credential_id, l.network)
        or c.created < l.created or c.created > now() or c.converted > now()`),
  ).toEqual([])
  expect(
    await rows(`select l.id from links l left join postlogs g on g.account_id = l.account_id and g.post_id = l.post_id and g.credential_id = l.credential_id
      left join messages m on m.account_id = l.account_id and m.id = l.message_id left join link_hashes h on h.hash = l.hash and h.link = l.id
      where l.post_id <> '' and g.status is distinct from 'success' or position(l.original_url in m.message) = 0
        or h.account is distinct from l.account_id`),
  ).toEqual([])
})

test('no two clicks of a visitor on a link within thirty seconds count', async () => {
  const wrong = await rows(`
    select c.id from clicks c join clicks o on o.account_id = c.account_id and o.link_id = c.link_id and o.visitor_id = c.visitor_id and o.id > c.id
      and o.class = 'human' and c.class = 'human' and o.created < c.created + interval '30 seconds'`)
  expect(wrong).toEqual([])
})

test('clicks close together by chance are treated as repeated clicks', () => {
  const click = (second: number, visitorId: string, kind = 'human') => ({
    at: new Date(second * 1000),
    visitorId,
    class: kind,
    reason: '',
  })
  const clicks = [click(61, 'a'), click(29, 'a'), click(0, 'a'), click(30, 'b'), click(31, 'a'), click(32, 'a', 'bot')]
  expect(withDuplicates(clicks).map((one) => `${one.at.getTime() / 1000}${one.visitorId} ${one.class}`)).toEqual([
    '0a human',
    '29a duplicate',
    '30b human',
    '31a human',
    '32a bot',
    '61a human',
  ])
})

test('clicks cover the last ninety days', async () => {
  const days = await rows<{ day: number }>(
    `select distinct extract(day from now() - created)::int as day from clicks where class = 'human' order by 1`,
  )
  expect(days.length).toBeGreaterThan(80)
  expect(days.at(-1)?.day).toBeGreaterThan(84)
})

test('conversions, their clicks and their tags are consistent', async () => {
  expect(
    await rows(`select coalesce(c.id, v.click_id) from conversions v full join (select * from clicks where converted is not null) c
      on c.account_id = v.account_id and c.id = v.click_id and c.conversion_tag_id = v.conversion_tag_id and c.converted = v.created
      where c.id is null or v.click_id is null`),
  ).toEqual([])
  const tags = await rows<{ conversions: number; counted: number }>(
    `select conversions, (select count(*)::int from conversions v where v.account_id = t.account_id and v.conversion_tag_id = t.id) as counted from conversion_tags t`,
  )
  expect(tags.length).toBe(3)
  for (const { conversions, counted } of tags) {
    expect(conversions).toBe(counted)
    expect(conversions).toBeGreaterThan(0)
  }
})

test('links are listed with their destinations', async () => {
  const { json } = await service.reader('GET /link')
  expect(json.Total).toBeGreaterThan(50)
  expect(json.Items.length).toBe(25)
  const { Link } = (await (await fetch(`${service.url}/v2/link/demo0001`)).json()) as { Link: { FinalUrl: string } }
  expect(Link.FinalUrl).toMatch(
    /^https:\/\/example\.com\/northwind\/.+\?utm_source=\w+&utm_medium=social&utm_campaign=/,
  )
})
