import { sql } from 'kysely'
import { hour } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'

export const demoVisitors = 2500

export interface DemoLink {
  id: string
  created: Date
  network: string
  /** Empty for a link on the profile itself, which is clicked all the time. */
  postId: string
}

/** Clicks per link by network. */
const reach: { [network: string]: number } = { LinkedIn: 70, Twitter: 35, Facebook: 50 }

/** Clicks, most of them within a day of the post; at a constant rate for links on profiles. */
export async function seedClicks(context: Context, links: readonly DemoLink[], tags: readonly string[]) {
  const chance = openChance(90)
  const clicks = links.flatMap((link) => withDuplicates(clicksOf(link, chance, context.now)))
  const rows = clicks
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ link, ...click }, index) => ({
      ...click,
      id: `009demo${String(index + 1).padStart(8, '0')}`,
      link: link.id,
      ...converting(click, index, tags, context.now),
    }))
  for (let from = 0; from < rows.length; from += batch) await insertClicks(context, rows.slice(from, from + batch))
}

/** Clicks per statement: a single one of several megabytes would leave the process larger. */
const batch = 1_000

const insertClicks = (context: Context, rows: readonly object[]) =>
  sql`
    insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, reason,
      visitor_id, conversion_tag_id, converted, user_agent, country, city, organization, longitude, latitude)
    select ${context.accountId}, c.id, c.at, l.id, l.campaign_id, l.message_id, l.post_id, l.credential_id, l.network, c.class, c.reason,
      c."visitorId", c.tag, c.converted, c."userAgent", c.country, c.city, c.organization, c.longitude, c.latitude
    from json_to_recordset(${JSON.stringify(rows)}::json) as c (id text, at timestamptz, link text, class text, reason text, "visitorId" text,
      tag text, converted timestamptz, "userAgent" text, country text, city text, organization text, longitude real, latitude real)
    join links l on l.account_id = ${context.accountId} and l.id = c.link returning id`.execute(context.db)

function clicksOf(link: DemoLink, chance: Chance, now: Date) {
  const most = (reach[link.network] ?? 40) * (0.4 + chance.next() * 1.2)
  const age = now.getTime() - link.created.getTime()
  const wait = () => (link.postId ? -Math.log(1 - chance.next()) * 40 * hour : chance.next() * age)
  const moments = Array.from({ length: Math.round(link.postId ? most : most * 3) }, wait)
  const clicks = moments.flatMap((wait) => {
    const at = new Date(link.created.getTime() + 5_000 + wait)
    if (chance.next() < 0.12) return [{ at, link, ...machineOf(chance) }]
    const visit = { at, link, class: 'human', reason: '', ...visitorOf(chance.whole(demoVisitors)) }
    return chance.next() > 0.03 ? [visit] : [visit, { ...visit, at: new Date(at.getTime() + 4_000) }]
  })
  return clicks.filter(({ at }) => at < now)
}

/** Only the first of a visitor's clicks on a link within thirty seconds counts. */
export function withDuplicates<Click extends { at: Date; class: string; reason: string; visitorId: string }>(
  clicksOfLink: Click[],
) {
  const counted = new Map<string, number>()
  return clicksOfLink
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map((click) => {
      if (click.class !== 'human') return click
      const at = click.at.getTime()
      if (at < (counted.get(click.visitorId) ?? -Infinity) + 30_000)
        return { ...click, class: 'duplicate', reason: 'The visitor clicked less than 30 seconds before or after.' }
      counted.set(click.visitorId, at)
      return click
    })
}

/** One in thirty converts within the hour. */
function converting(click: { class: string; at: Date }, index: number, tags: readonly string[], now: Date) {
  const converted = new Date(click.at.getTime() + ((index * 37) % 3000) * 1000)
  const isConverted = click.class === 'human' && index % 30 === 7 && converted < now
  return isConverted ? { tag: tags[Math.floor(index / 30) % tags.length], converted } : { tag: null, converted: null }
}

/** Conversions of the clicks, and the totals of each tag. */
export async function seedCounters({ db, accountId }: Context) {
  await sql`
    insert into conversions (account_id, click_id, conversion_tag_id, created, value)
    select ${accountId}, c.id, t.id, c.converted, t.value from clicks c
    join conversion_tags t on t.account_id = ${accountId} and t.id = c.conversion_tag_id
    where c.account_id = ${accountId} and c.converted is not null
    returning click_id`.execute(db)
  await sql`
    update conversion_tags t set conversions = n.all from (
      select conversion_tag_id, count(*) as all from conversions where account_id = ${accountId} group by 1) n
    where t.account_id = ${accountId} and t.id = n.conversion_tag_id`.execute(db)
}

/** Seeded pseudorandom numbers, the same at every start. */
export function openChance(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    whole: (below: number) => Math.floor(next() * below),
    pick: <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value,
  }
}

type Chance = ReturnType<typeof openChance>

type City = [country: string, city: string, longitude: number, latitude: number, organizations: string[]]

const cities: City[] = [
  ['United Kingdom', 'London', -0.1278, 51.5074, ['British Telecommunications PLC', 'Virgin Media Limited']],
  ['United Kingdom', 'Manchester', -2.2426, 53.4808, ['Sky UK Limited', 'Vodafone Limited']],
  ['United Kingdom', 'Edinburgh', -3.1883, 55.9533, ['British Telecommunications PLC']],
  ['Germany', 'Berlin', 13.405, 52.52, ['Deutsche Telekom AG', 'Vodafone GmbH']],
  ['Germany', 'Munich', 11.582, 48.1351, ['Deutsche Telekom AG', 'M-net Telekommunikations GmbH']],
  ['Netherlands', 'Amsterdam', 4.9041, 52.3676, ['KPN B.V.', 'Ziggo B.V.']],
  ['France', 'Lyon', 4.8357, 45.764, ['Orange S.A.', 'Free SAS']],
  ['United States', 'Denver', -104.9903, 39.7392, ['Comcast Cable Communications, LLC']],
  ['United States', 'Seattle', -122.3321, 47.6062, ['Comcast Cable Communications, LLC', 'T-Mobile USA, Inc.']],
  ['Canada', 'Vancouver', -123.1207, 49.2827, ['TELUS Communications Inc.']],
  ['Norway', 'Bergen', 5.3221, 60.3913, ['Telenor Norge AS']],
  ['', '', 0, 0, ['']],
]

const browsers = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
]

const machines = [
  { class: 'preview', reason: 'A network reads the page for its preview.', userAgent: 'facebookexternalhit/1.1' },
  { class: 'preview', reason: 'A network reads the page for its preview.', userAgent: 'LinkedInBot/1.0' },
  {
    class: 'bot',
    reason: 'The user agent is that of a program.',
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)',
  },
  { class: 'head', reason: 'HEAD asks where a link leads without going there.', userAgent: 'curl/8.9.1' },
] as const

/** A visitor with a fixed location and browser. */
export function visitorOf(number: number) {
  const chance = openChance(number * 977)
  const [country, city, longitude, latitude, organizations] = chance.pick(cities)
  return {
    visitorId: `demo${number.toString(36).padStart(18, '0')}`,
    country,
    city,
    longitude,
    latitude,
    organization: chance.pick(organizations),
    userAgent: chance.pick(browsers),
  }
}

/** A program whose visits don't count. */
const machineOf = (chance: Chance) => {
  const machine = chance.pick(machines)
  const nowhere = { country: '', city: '', longitude: 0, latitude: 0, organization: '' }
  return { ...machine, ...nowhere, visitorId: `demo${String(chance.whole(40)).padStart(18, 'm')}` }
}
