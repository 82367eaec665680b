import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { openLog } from '#kernel/log.ts'
import { demoDatabase } from '../../../../tests/support/database/database.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { until } from '../../../../tests/support/publishing.ts'
import { randomness } from '../../../../tests/support/randomness.ts'
import {
  demoAccount,
  otherAccount,
  quickClicks,
  startTestService,
  type TestService,
} from '../../../../tests/support/service.ts'
import { clicking, metricColumns } from './click.fixture.ts'
import { forgetOldClicksJob } from './click.ts'
import { pendingBatches } from './click-bundle.ts'
import { countClicks } from './count-clicks.ts'
import { nowhere } from './geo.ts'

let service: TestService
let second: TestService
let clicks: ReturnType<typeof clicking>
beforeAll(async () => {
  service = await startTestService({ pollingIntervals: quickClicks, environment: { CHORUS_ROLES: 'api,worker' } })
  // A second process of the same installation that counts too.
  second = await startTestService({
    databaseUrl: service.databaseUrl,
    pollingIntervals: quickClicks,
    environment: { CHORUS_ROLES: 'worker' },
  })
  clicks = clicking(service.databaseUrl)
})
afterAll(async () => {
  await second.stop()
  await service.stop()
})

const start = new Date('2026-11-01T12:00:00.000Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

/** Every click counter that differs from a recount. */
const differences = () =>
  clicks.query(`
    with human as (select k.*, l.share_id, l.counts_for from clicks k join links l on l.account_id = k.account_id and l.id = k.link_id where class = 'human'),
    counted (kind, id, name) as (
      select 'link', link_id, 'clicks' from human union all select 'post', post_id, 'clicks' from human
      union all select 'profile-post', post_id || ' ' || credential_id, 'clicks' from human where post_id <> ''
      union all select 'message', message_id, 'clicks' from human union all select 'campaign', campaign_id, 'clicks' from human
      union all select 'message', message_id, 'boardClicks' from human where share_id <> ''
      union all select 'campaign', campaign_id, 'boardClicks' from human where share_id <> ''
      union all select 'account', account_id, 'clicks' from human union all select 'account', account_id, 'boardClicks' from human where share_id <> ''
      union all select f.key, f.value, 'boardClicks' from human, jsonb_each_text(counts_for) f where f.key in ('board', 'advocate')
      union all select f.key, f.value, 'clicks' from human, jsonb_each_text(counts_for) f),
    recount as (select kind, id, name, count(*) as real from counted where id <> '' group by 1, 2, 3),
    numbers as (
      select coalesce(of_kind, kind) || ' ' || coalesce(of_id, id) as what, coalesce(value, 0) as stored, coalesce(real, 0) as real
      from (select * from counters where name in ('clicks', 'boardClicks')) f full join recount r on r.kind = of_kind and r.id = of_id and r.name = f.name)
    select * from numbers where stored <> real`)

test('a click is counted for its link, postlog, post, message and campaign, and changes nothing else', async () => {
  const link = await clicks.link()
  const read = async () => {
    const [row] = await clicks.query<{ modified: string; [what: string]: unknown }>(
      `select ${metricColumns('clicks')}, concat(l.modified, (select modified from posts where account_id = $2 and id = l.post_id),
        (select modified from messages where account_id = $2 and id = l.message_id),
        (select modified from campaigns where account_id = $2 and id = l.campaign_id)) as modified
      from links l where l.account_id = $2 and l.id = $1`,
      [link.id, demoAccount],
    )
    return row as {
      modified: string
      link: number
      'profile-post': number
      post: number
      message: number
      campaign: number
    }
  }
  const before = await read()
  await clicks.store({ link: link.id }, { link: link.id }, { link: link.id, class: 'bot', reason: 'A robot.' })
  await clicks.counted()
  expect(await read()).toEqual({
    modified: before.modified,
    link: before.link + 2,
    'profile-post': before['profile-post'] + 2,
    post: before.post + 2,
    message: before.message + 2,
    campaign: before.campaign + 2,
  })
})

test('non-human visits are stored with class and reason and not counted', async () => {
  const link = await clicks.link()
  const others = ['bot', 'preview', 'head', 'prefetch', 'something new']
  await clicks.store(
    ...others.map((name) => ({ link: link.id, class: name, reason: `Because of ${name}.`, at: start })),
  )
  await clicks.counted()
  expect((await clicks.classes(link.id)).sort()).toEqual(['bot', 'bot', 'head', 'prefetch', 'preview'])
  expect(await clicks.clicksOf(link.id)).toBe(0)
})

test('clicks of one visitor within 30 seconds of a counted one count once, together or separately', async () => {
  const times = [0, 10, 29.999, 30, 45, 59, 60, 61]
  const expected = ['human', 'duplicate', 'duplicate', 'human', 'duplicate', 'duplicate', 'human', 'duplicate']
  const together = await clicks.link()
  await clicks.store(...times.map((time) => ({ link: together.id, visitor: 'same', at: at(time) })))
  await clicks.counted()
  expect(await clicks.classes(together.id)).toEqual(expected)
  expect(await clicks.clicksOf(together.id)).toBe(3)

  const separate = await clicks.link()
  for (const time of times) {
    await clicks.store({ link: separate.id, visitor: 'same', at: at(time) })
    await clicks.counted()
  }
  expect(await clicks.classes(separate.id)).toEqual(expected)
})

test('a late click does not count beside a later one; other visitors and links are independent', async () => {
  const [link, other] = [await clicks.link(), await clicks.link()]
  await clicks.store({ link: link.id, visitor: 'late', at: at(100) })
  await clicks.counted()
  await clicks.store(
    { link: link.id, visitor: 'late', at: at(90) },
    { link: other.id, visitor: 'late', at: at(90) },
    { link: link.id, visitor: 'another', at: at(90) },
    // Bots neither repeat nor are repeated.
    { link: link.id, visitor: 'robot', class: 'bot', at: at(90) },
    { link: link.id, visitor: 'robot', at: at(91) },
  )
  await clicks.counted()
  expect([await clicks.clicksOf(link.id), await clicks.clicksOf(other.id)]).toEqual([3, 1])
})

test('a link of a share counts for boards as well', async () => {
  const link = await clicks.link({ shareId: '0shshared000001' })
  const boards = () =>
    Promise.all([
      clicks.counter('message', link.message, 'boardClicks'),
      clicks.counter('campaign', link.campaign, 'boardClicks'),
    ])
  const before = await boards()
  await clicks.store({ link: link.id })
  await clicks.counted()
  expect(await boards()).toEqual(before.map((number) => number + 1))
})

test('clicks on deleted links and duplicates are dropped', async () => {
  const link = await clicks.link()
  const [id] = await clicks.store({ link: link.id, at: at(0) })
  await clicks.counted()
  await clicks.store(
    { link: '008gone00000001' },
    { link: link.id, account: otherAccount },
    { link: link.id, click: id ?? '', at: at(300) },
  )
  await clicks.counted()
  expect(await clicks.clicksOf(link.id)).toBe(1)
  expect(await clicks.classes(link.id)).toEqual(['human'])
})

test('an account whose clicks cannot be counted blocks no other and loses nothing', async () => {
  const link = await clicks.link()
  await clicks.query(`alter table clicks add constraint poisoned check (visitor_id <> 'poison') not valid`)
  const campaign = (
    await clicks.query<{ id: string }>('select id from campaigns where account_id = $1 limit 1', [otherAccount])
  )[0]
  const target = campaign?.id ?? '002other0000001'
  if (!campaign) {
    await clicks.query(
      `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, color) values ($1, $2, now(), now(), '', '', 'Other', '#000000')`,
      [otherAccount, target],
    )
  }
  await clicks.query(
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
    values ($1, '008other0000001', now(), now(), 'otherone', $2, '', '', 'LinkedIn', 'https://example.com', 'https://example.com')`,
    [otherAccount, target],
  )
  await clicks.store({ link: link.id, visitor: 'poison' }, { link: '008other0000001', account: otherAccount })
  await until(async () => (await clicks.clicksOf('008other0000001')) === 1)
  expect(await clicks.clicksOf(link.id)).toBe(0)
  await clicks.query('alter table clicks drop constraint poisoned')
  await clicks.counted(40_000)
  expect(await clicks.clicksOf(link.id)).toBe(1)
})

test('after any stream of clicks, counted by several processes, every counter equals a recount', async () => {
  const random = randomness(20261115)
  const links = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      clicks.link(index % 4 === 0 ? { shareId: `0shshare00000${index + 10}` } : {}),
    ),
  )
  const classes = ['human', 'human', 'human', 'human', 'bot', 'preview', 'head', 'prefetch']
  const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
  for (let batch = 0; batch < 8; batch++) {
    await clicks.store(
      ...Array.from({ length: 100 }, () => ({
        link: of(links).id,
        class: of(classes),
        visitor: `stream-${Math.floor(random() * 30)}`,
        at: at(1000 + Math.floor(random() * 200_000) / 1000),
      })),
    )
  }
  await clicks.counted(60_000)
  expect(await differences()).toEqual([])
  const [{ total }] = (await clicks.query<{ total: number }>(
    `select count(*)::int as total from clicks where visitor_id like 'stream-%'`,
  )) as [{ total: number }]
  expect(total).toBe(800)
  // Independent of who counted them, no two counted clicks are closer than 30 seconds, and every uncounted one is close to a counted one.
  const near = `select from clicks b where b.account_id = a.account_id and b.visitor_id = a.visitor_id and b.link_id = a.link_id
    and b.class = 'human' and b.id <> a.id and abs(extract(epoch from b.created - a.created)) < 30`
  const wrong = `select a.id, a.class from clicks a where a.visitor_id like 'stream-%'
    and ((a.class = 'human' and exists (${near})) or (a.class = 'duplicate' and not exists (${near})))`
  expect(await clicks.query(wrong)).toEqual([])
  expect(
    (await clicks.query(`select from clicks where visitor_id like 'stream-%' and class = 'duplicate'`)).length,
  ).toBeGreaterThan(50)
})

test('the 30 second rule holds when parts of a stream are counted concurrently', async () => {
  // No other process counts here.
  const own = await demoDatabase(systemClock)
  const there = clicking(own.url)
  const link = await there.link()
  const database = openPatientDatabase({ url: own.url, connections: 8 })
  const world = { database, log: openLog('silent'), geo: async () => nowhere }
  const coming = Array.from({ length: 160 }, (_, index) => ({
    link: link.id,
    visitor: `v${index % 20}`,
    at: at(index / 100),
  }))
  for (let part = 0; part < 32; part++) await there.store(...coming.slice(part * 5, part * 5 + 5))
  for (;;) {
    const waiting = await pendingBatches(database.shared, [demoAccount], [], () => {})
    if (waiting.length === 0) break
    // As if many processes had each taken some of them.
    const parts = Array.from({ length: 16 }, (_, part) => waiting.filter((_, index) => index % 16 === part))
    await Promise.all(parts.filter((part) => part.length > 0).map((part) => countClicks(world, demoAccount, part)))
  }
  await database.close()
  expect(await there.clicksOf(link.id)).toBe(20)
  expect((await there.classes(link.id)).filter((name) => name === 'duplicate')).toHaveLength(140)
  await own.drop()
})

test('uncounted visits are deleted after 90 days, counted clicks are not', async () => {
  const link = await clicks.link()
  const day = 24 * 60 * 60 * 1000
  const ago = (days: number) => new Date(Date.now() - days * day)
  await clicks.store(
    { link: link.id, at: ago(100) },
    { link: link.id, at: ago(99), class: 'bot' },
    { link: link.id, at: ago(80), class: 'preview' },
  )
  await clicks.counted()
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  await database.transaction('', (db) => enqueue({ db, now: new Date() }, forgetOldClicksJob, {}))
  await database.close()
  await until(async () => (await clicks.classes(link.id)).join() === 'human,preview')
  expect(await clicks.clicksOf(link.id)).toBe(1)
})

test('metrics report the number and age of uncounted clicks', async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  expect(text).toMatch(/^clicks_unprocessed\{state="waiting"\} 0$/m)
  expect(text).toMatch(/^clicks_oldest_seconds\{state="waiting"\} 0$/m)
})
