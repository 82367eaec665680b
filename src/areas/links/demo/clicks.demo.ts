import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { DemoLink } from './links.demo.ts'
import { type Chance, machineOf, openChance, visitorOf } from './visits.demo.ts'

const hour = 60 * 60 * 1000
const visitors = 2500

/** How many clicks a link gets, by network. */
const reach: { [network: string]: number } = { LinkedIn: 70, Twitter: 35, Facebook: 50 }

/** Who followed the links: most within a day of the post, fewer and fewer after it; those on profiles all the time. */
export async function seedClicks(context: Context, links: readonly DemoLink[], tags: readonly string[]) {
  const chance = openChance(90)
  const clicks = links.flatMap((link) => withDuplicates(clicksOf(link, chance, context.now)))
  const rows = clicks
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ link, ...click }, index) => ({
      ...{ ...click, id: `009demo${String(index + 1).padStart(8, '0')}`, link: link.id },
      ...converting(click, index, tags, context.now),
    }))
  await sql`
    insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, reason,
      visitor_id, conversion_tag_id, converted, user_agent, country, city, organization, longitude, latitude)
    select ${context.accountId}, c.id, c.at, l.id, l.campaign_id, l.message_id, l.post_id, l.credential_id, l.network, c.class, c.reason,
      c."visitorId", c.tag, c.converted, c."userAgent", c.country, c.city, c.organization, c.longitude, c.latitude
    from json_to_recordset(${JSON.stringify(rows)}::json) as c (id text, at timestamptz, link text, class text, reason text, "visitorId" text,
      tag text, converted timestamptz, "userAgent" text, country text, city text, organization text, longitude real, latitude real)
    join links l on l.account_id = ${context.accountId} and l.id = c.link returning id`.execute(context.db)
}

function clicksOf(link: DemoLink, chance: Chance, now: Date) {
  const most = (reach[link.network] ?? 40) * (0.4 + chance.next() * 1.2)
  const age = now.getTime() - link.created.getTime()
  const wait = () => (link.postId ? -Math.log(1 - chance.next()) * 40 * hour : chance.next() * age)
  const moments = Array.from({ length: Math.round(link.postId ? most : most * 3) }, wait)
  const clicks = moments.flatMap((wait) => {
    const at = new Date(link.created.getTime() + 5_000 + wait)
    if (chance.next() < 0.12) return [{ at, link, ...machineOf(chance) }]
    const visit = { at, link, class: 'human', reason: '', ...visitorOf(chance.whole(visitors)) }
    return chance.next() > 0.03 ? [visit] : [visit, { ...visit, at: new Date(at.getTime() + 4_000) }]
  })
  return clicks.filter(({ at }) => at < now)
}

/** Of a visitor's clicks on one link within thirty seconds the first counts, whether the two came close by chance or not. */
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

/** One in thirty does what the link was for, within the hour. */
function converting(click: { class: string; at: Date }, index: number, tags: readonly string[], now: Date) {
  const converted = new Date(click.at.getTime() + ((index * 37) % 3000) * 1000)
  const isConverted = click.class === 'human' && index % 30 === 7 && converted < now
  return isConverted ? { tag: tags[Math.floor(index / 30) % tags.length], converted } : { tag: null, converted: null }
}
