import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inside, on } from '#areas/events/reaction.ts'
import { reactions } from '#main/registry.ts'
import { until } from '../../../../tests/support/publishing.ts'
import { demoAccount, quickClicks, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { clicking, metricColumns } from '../click/click.fixture.ts'
import { browser } from '../redirect/links.fixture.ts'
import { setLead } from './conversion.ts'

/** Stands in for leads: everyone with an email address is one. */
const leads = on(
  'conversionIdentified',
  inside(async (context, events) => {
    for (const { data } of events) await setLead(context, data, leadOf(data.email))
  }),
)
const leadOf = (email: string) => `00L ${email}`

let service: TestService
let clicks: ReturnType<typeof clicking>
beforeAll(async () => {
  service = await startTestService({ pollingIntervals: quickClicks, reactions: [...reactions, leads] })
  clicks = clicking(service.databaseUrl)
})
afterAll(() => service.stop())

interface Tag {
  Id: string
  Conversions: number
  Snippet: string
}

const newTag = async (body: object = {}): Promise<Tag> =>
  (await service.admin('POST /app/api/conversion-tag', { body: { tag: 'Sign-up', ...body } })).json.ConversionTag

interface From {
  visitor?: string
  userAgent?: string
  method?: string
}

/** The pixel response as seen by a browser. */
const pixel = (query: Record<string, string>, { visitor, userAgent = browser, method = 'GET' }: From = {}) =>
  fetch(`${service.url}/l/conversion.gif?${new URLSearchParams(query)}`, {
    method,
    headers: { 'user-agent': userAgent, ...(visitor && { cookie: `other=1; chorus_visitor=${visitor}` }) },
  })
const outcome = async (query: Record<string, string>, from?: From) =>
  (await pixel(query, from)).headers.get('x-chorus-conversion')

let visitors = 0
/** As long as real visitor ids. */
const newVisitor = () => `visitor${String(visitors++).padStart(15, '0')}`

const newClick = async (rest: object = {}) => {
  const link = await clicks.link()
  const [id = ''] = await clicks.store({ link: link.id, ...rest })
  await clicks.counted()
  return { ...link, click: id }
}

const events = (click: string) =>
  clicks.query<{ data: string }>(`select data::text from events where type = 'newConversion' and data::text like $1`, [
    `%${click}%`,
  ])

test('a visitor who reaches a tag converts the click, with all counters, the list and an event', async () => {
  const tag = await newTag({ value: '12.5' })
  const link = await clicks.link()
  const numbers = async () => {
    const [row] = await clicks.query<Record<string, number>>(
      `select ${metricColumns('converts')}, (select conversions from conversion_tags where account_id = $3 and id = $2) as tag
       from links l where l.account_id = $3 and l.id = $1`,
      [link.id, tag.Id, demoAccount],
    )
    return Object.values(row ?? {})
  }
  const before = await numbers()
  await clicks.query(`update counters set last = 'epoch' where name = 'converts'`)
  // End to end: through the short link with a browser that keeps its cookie.
  const visit = await fetch(`${service.url}/l/${link.hash}`, {
    redirect: 'manual',
    headers: { 'user-agent': browser },
  })
  expect(visit.status).toBe(302)
  const visitor = /chorus_visitor=([\w-]{22})/.exec(visit.headers.get('set-cookie') ?? '')?.[1] ?? ''
  // Immediately: the click isn't counted yet.
  const response = await pixel({ tag: tag.Id }, { visitor })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
  expect(response.headers.get('cache-control')).toContain('no-store')
  expect(response.headers.get('x-chorus-conversion')).toBe('counted')
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(0, 6)
      .toString(),
  ).toBe('GIF89a')
  expect(await numbers()).toEqual(before.map((number) => number + 1))

  const { json } = await service.reader('GET /click', { query: `visitorId=${visitor}&convertsOnly=1` })
  expect(json.Total).toBe(1)
  const [click] = json.Items
  expect(click.ConversionTagId).toBe(tag.Id)
  expect(click.ConvertedDate).toMatch(/^20\d\d-/)
  const [event] = await events(click.Id)
  expect(JSON.parse(event?.data ?? '[]')).toEqual([click])
  const campaign = (await service.reader(`GET /campaign/${link.campaign}`)).json.Campaign
  expect(campaign.LastConversionDate).toBe(click.ConvertedDate)
  expect(await clicks.query('select value::text, email from conversions where click_id = $1', [click.Id])).toEqual([
    { value: '12.50', email: '' },
  ])
  expect(await outcome({ tag: tag.Id }, { visitor })).toBe('already')
  expect(await numbers()).toEqual(before.map((number) => number + 1))
  expect(await events(click.Id)).toHaveLength(1)
})

test('a click named by the page converts without a cookie; of several tags the last is shown, with the first time', async () => {
  const [tag, second] = [await newTag(), await newTag()]
  const { click, id } = await newClick()
  expect(await outcome({ tag: tag.Id, click, value: '99.95' })).toBe('counted')
  const shown = () =>
    clicks.query<{ converted: Date; tag: string }>(
      'select converted, conversion_tag_id as tag from clicks where id = $1',
      [click],
    )
  const [first] = await shown()
  expect(await outcome({ tag: second.Id, click })).toBe('counted')
  expect(await shown()).toEqual([{ converted: first?.converted, tag: second.Id }])
  expect(await clicks.counter('link', id, 'converts')).toBe(2)
  expect(
    await clicks.query('select value::text from conversions where click_id = $1 order by value desc', [click]),
  ).toEqual([{ value: '99.95' }, { value: '0.00' }])
  expect(await events(click)).toHaveLength(2)
})

test('of several clicks the visitor’s last within 90 days converts', async () => {
  const tag = await newTag()
  const visitor = newVisitor()
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const old = await newClick({ visitor, at: ago(91) })
  expect(await outcome({ tag: tag.Id }, { visitor })).toBe('no-click')
  const earlier = await newClick({ visitor, at: ago(50) })
  const last = await newClick({ visitor, at: ago(3) })
  expect(await outcome({ tag: tag.Id }, { visitor })).toBe('counted')
  const converted = await clicks.query('select click_id from conversions where click_id = any ($1)', [
    [old.click, earlier.click, last.click],
  ])
  expect(converted).toEqual([{ click_id: last.click }])
})

test('a repeated click converts the counted one', async () => {
  const tag = await newTag()
  const link = await clicks.link()
  const visitor = newVisitor()
  const at = new Date(Date.now() - 60_000)
  const [counted = '', repeated = ''] = await clicks.store(
    { link: link.id, visitor, at },
    { link: link.id, visitor, at: new Date(at.getTime() + 2_000) },
  )
  await clicks.counted()
  expect(await outcome({ tag: tag.Id, click: repeated })).toBe('counted')
  expect(await outcome({ tag: tag.Id, click: counted })).toBe('already')
  expect(await clicks.query('select click_id from conversions where conversion_tag_id = $1', [tag.Id])).toEqual([
    { click_id: counted },
  ])
})

test('the page always gets its pixel, with the reason if nothing was counted', async () => {
  const tag = await newTag()
  const { click } = await newClick()
  const robot = await newClick({ class: 'bot' })
  const paused = await newTag()
  await service.admin(`PUT /app/api/conversion-tag/${paused.Id}`, { body: { status: 'inactive' } })
  const cases: [string | null, Record<string, string>, From?][] = [
    ['unknown-tag', {}],
    ['unknown-tag', { tag: '0ctnothing00000', click }],
    ['unknown-tag', { tag: "'; drop table clicks; --", click }],
    ['inactive-tag', { tag: paused.Id, click }],
    ['invalid-value', { tag: tag.Id, click, value: 'ten' }],
    ['invalid-value', { tag: tag.Id, click, value: '-5' }],
    ['invalid-value', { tag: tag.Id, click, value: '1e9' }],
    ['invalid-value', { tag: tag.Id, click, value: '10000000000000' }],
    ['no-click', { tag: tag.Id }],
    ['no-click', { tag: tag.Id, click: '009nothing00000' }],
    ['no-click', { tag: tag.Id, click: robot.click }],
    ['no-click', { tag: tag.Id }, { visitor: newVisitor() }],
    ['no-click', { tag: tag.Id, click }, { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
    ['no-click', { tag: tag.Id, click }, { userAgent: '' }],
    [null, { tag: tag.Id, click }, { method: 'HEAD' }],
  ]
  for (const [expected, query, from] of cases) {
    const response = await pixel(query, from)
    const what = `${JSON.stringify(query)} ${JSON.stringify(from)}`
    expect([response.status, response.headers.get('content-type')], what).toEqual([200, 'image/gif'])
    expect(response.headers.get('x-chorus-conversion'), what).toBe(expected)
  }
  expect(
    await clicks.query('select from conversions where conversion_tag_id = any ($1)', [[tag.Id, paused.Id]]),
  ).toEqual([])
})

test('the same conversion from many concurrent loads counts once', async () => {
  const tag = await newTag()
  const visitor = newVisitor()
  const { id } = await newClick({ visitor })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome({ tag: tag.Id }, { visitor })))
  expect(outcomes.sort()).toEqual([...Array.from({ length: 19 }, () => 'already'), 'counted'])
  expect(await clicks.counter('link', id, 'converts')).toBe(1)
})

test('leads react to an email address before the conversion event, once', async () => {
  const [tag, { click }] = [await newTag(), await newClick()]
  expect(await outcome({ tag: tag.Id, click, email: 'Kim@Example.com' })).toBe('counted')
  expect(await outcome({ tag: tag.Id, click, email: 'lee@example.com' })).toBe('already')
  const lead = leadOf('kim@example.com')
  expect(
    await clicks.query(
      'select c.lead_id as click, v.lead_id as conversion from clicks c join conversions v on v.account_id = c.account_id and v.click_id = c.id where c.id = $1',
      [click],
    ),
  ).toEqual([{ click: lead, conversion: lead }])
  const [event] = await events(click)
  expect(event?.data).toContain(lead)
})

test('an email address is stored in lowercase for its lead, and invalid ones are ignored', async () => {
  const [tag, second] = [await newTag(), await newTag()]
  const { click } = await newClick()
  const email = async (of: Tag) =>
    (
      await clicks.query<{ email: string }>(
        'select email from conversions where click_id = $1 and conversion_tag_id = $2',
        [click, of.Id],
      )
    )[0]?.email
  expect(await outcome({ tag: tag.Id, click, email: 'not an address' })).toBe('counted')
  expect(await email(tag)).toBe('')
  // A later page may know more.
  expect(await outcome({ tag: tag.Id, click, email: ' Robin.Field@Example.com ' })).toBe('already')
  expect(await email(tag)).toBe('robin.field@example.com')
  expect(await outcome({ tag: tag.Id, click, email: 'somebody@example.com' })).toBe('already')
  expect(await email(tag)).toBe('robin.field@example.com')
  expect(await outcome({ tag: second.Id, click, email: `${'a'.repeat(260)}@example.com` })).toBe('counted')
  expect(await email(second)).toBe('')
})

test('a conversion whose click is not counted yet waits for it', async () => {
  const tag = await newTag()
  const link = await clicks.link()
  // Blocks click counting, as a large batch would.
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('begin; lock table clicks in share mode')
  const [click = ''] = await clicks.store({ link: link.id })
  expect(await outcome({ tag: tag.Id, click, value: '3' })).toBe('waiting')
  await holder.end()
  const found = await until(async () => {
    const rows = await clicks.query<{ value: string }>('select value::text from conversions where click_id = $1', [
      click,
    ])
    return rows.length > 0 && rows
  })
  expect(found).toEqual([{ value: '3.00' }])
})

test('tags are listed as in the contract, and created, changed and deleted', async () => {
  const made = await service.admin('POST /app/api/conversion-tag', { body: { tag: ' Demo request ', value: '10' } })
  const { Id, Snippet } = made.json.ConversionTag
  expect(made.json.ConversionTag).toEqual({
    Id,
    Tag: 'Demo request',
    Value: '10.00',
    Status: 'active',
    Conversions: 0,
    Snippet,
  })
  expect(Snippet).toContain(`src="${service.url}/l/conversion.js" data-tag="${Id}"`)
  expect(Snippet).toContain(`<noscript><img src="${service.url}/l/conversion.gif?tag=${Id}"`)
  const { json } = await service.reader('GET /conversion-tag')
  expect(json.Total).toBe(json.Items.length)
  expect(json.Items.find((tag: Tag) => tag.Id === Id)).toEqual({
    Id,
    Tag: 'Demo request',
    Value: '10.00',
    Status: 'active',
    Conversions: 0,
  })
  const changed = await service.admin(`PUT /app/api/conversion-tag/${Id}`, {
    body: { value: '20.05', status: 'inactive' },
  })
  expect(changed.json.ConversionTag).toMatchObject({ Tag: 'Demo request', Value: '20.05', Status: 'inactive' })
  expect((await service.reader(`GET /app/api/conversion-tag/${Id}`)).json.ConversionTag).toEqual(
    changed.json.ConversionTag,
  )
  for (const value of ['ten', '-1', '1.234', '1,5'])
    expect((await service.admin(`PUT /app/api/conversion-tag/${Id}`, { body: { value } })).status, value).toBe(400)
  expect((await service.publisher('POST /app/api/conversion-tag', { body: { tag: 'No' } })).status).toBe(403)
  expect((await service.otherAdmin(`GET /app/api/conversion-tag/${Id}`)).status).toBe(404)
  expect((await service.admin(`DELETE /app/api/conversion-tag/${Id}`)).json).toEqual({ Result: true })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(
      (await service.admin(`${method} /app/api/conversion-tag/${Id}`, method === 'PUT' ? { body: {} } : {})).status,
    ).toBe(404)
})

test('a tag with conversions cannot be deleted but disabled', async () => {
  const tag = await newTag()
  const { click } = await newClick()
  expect(await outcome({ tag: tag.Id, click })).toBe('counted')
  const { status, json } = await service.admin(`DELETE /app/api/conversion-tag/${tag.Id}`)
  expect(status).toBe(409)
  expect(json.Errors.API.Error).toContain('inactive')
})

test('the snippet uses the account’s own domain and its click parameter', async () => {
  const tag = await newTag()
  await clicks.query(
    `insert into short_hosts (host, account, cname) values ('go.example.com', '001demo00000001', '0CNsnippet00001')`,
  )
  await clicks.query(
    `insert into link_settings (account_id, modified, cname_id, click_parameter) values ('001demo00000001', now(), '0CNsnippet00001', 'visit')
    on conflict (account_id, campaign_id) do update set cname_id = excluded.cname_id, click_parameter = excluded.click_parameter`,
  )
  const snippet = async () => (await service.admin(`GET /app/api/conversion-tag/${tag.Id}`)).json.ConversionTag.Snippet
  expect(await snippet()).toContain('src="https://go.example.com/conversion.js"')
  expect(await snippet()).toContain('data-parameter="visit"')
  await clicks.query(`delete from short_hosts where host = 'go.example.com'`)
  expect(await snippet()).toContain(`src="${service.url}/l/conversion.js"`)
})

test('the script loads the pixel with its attributes and the click of the landing page', async () => {
  const response = await fetch(`${service.url}/l/conversion.js`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  const script = await response.text()
  const storage = new Map<string, string>()
  /** Runs it in a page and returns the images the page loads. */
  const load = (search: string, attributes: Record<string, string>, then?: object) => {
    const loaded: string[] = []
    const page = {
      document: {
        currentScript: {
          src: 'https://go.example.com/conversion.js?v=2',
          getAttribute: (name: string) => attributes[name] ?? null,
        },
      },
      location: { search },
      sessionStorage: {
        getItem: (key: string) => storage.get(key) ?? null,
        setItem: (key: string, value: string) => storage.set(key, value),
      },
      Image: class {
        set src(url: string) {
          loaded.push(url)
        }
      },
      window: {} as { chorus?: { convert(given: object): void } },
    }
    runInNewContext(script, page)
    if (then) page.window.chorus?.convert(then)
    return loaded
  }
  const base = 'https://go.example.com/conversion.gif'
  expect(load('', { 'data-tag': '0ct1', 'data-value': '5', 'data-email': 'a+b@example.com' })).toEqual([
    `${base}?tag=0ct1&value=5&email=a%2Bb%40example.com`,
  ])
  expect(load('?a=1&click=009abcdefghijkl', {})).toEqual([])
  expect(load('?click=%3Cscript%3E', { 'data-tag': '0ct1' })).toEqual([`${base}?tag=0ct1&click=009abcdefghijkl`])
  expect(load('', {}, { tag: '0ct2', value: 7 })).toEqual([`${base}?tag=0ct2&value=7&click=009abcdefghijkl`])
  expect(load('?visit=009mnopqrstuvwx', { 'data-tag': '0ct1', 'data-parameter': 'visit' })).toEqual([
    `${base}?tag=0ct1&click=009mnopqrstuvwx`,
  ])
})
