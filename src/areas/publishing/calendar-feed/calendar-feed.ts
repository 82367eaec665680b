import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { matchingPosts } from '../calendar/calendar-posts.ts'
import { textOf } from '../calendar/glance.ts'
import { find as findEvents } from '../custom-event/custom-event.ts'
import { isDraft } from '../post/post.ts'
import { type CalendarEntry, icsOf } from './ics.ts'

const day = 24 * 60 * 60 * 1000
const [daysBack, daysAhead] = [30, 180]
const mostPosts = 1_000
const mostEvents = 200
const letters = 60
const longestText = 500
/** A post is a moment; calendars show what lasts. */
const shownFor = 15 * 60 * 1000

/** The calendar of whoever asks, as other calendars read it: what lies a month back and half a year ahead. */
export async function feedOf(context: Context, name: string): Promise<string> {
  const { now, publicUrl } = context
  const from = new Date(now.getTime() - daysBack * day)
  const until = new Date(now.getTime() + daysAhead * day)
  const entries = [...(await postEntries(context, from, until)), ...(await eventEntries(context, from, until))]
  return icsOf({ name, host: new URL(publicUrl).hostname, entries })
}

async function postEntries(context: Context, from: Date, until: Date): Promise<CalendarEntry[]> {
  const { accountId, publicUrl } = context
  const campaign = sql<string>`(select c.name from campaigns c where c.account_id = ${accountId} and c.id = posts.campaign_id)`
  const posts = await matchingPosts(context, from, until, {})
    .select(['id', 'network', 'status', 'startDateTime', 'modified', campaign.as('campaign')])
    .select(textOf(context, longestText).as('text'))
    .limit(mostPosts)
    .execute()
  return posts.map(({ id, network, status, startDateTime, modified, text, campaign }) => ({
    id,
    title: `${network}: ${[...(text.split('\n', 1)[0] ?? '')].slice(0, letters).join('')}`,
    text,
    from: startDateTime,
    until: new Date(startDateTime.getTime() + shownFor),
    changed: modified,
    url: `${publicUrl}/app/calendar?post=${id}`,
    category: campaign,
    isTentative: isDraft(status),
  }))
}

async function eventEntries(context: Context, after: Date, before: Date): Promise<CalendarEntry[]> {
  const order = { column: 'startDateTime', kind: 'date', ascending: true } as const
  const { items } = await findEvents(context, { after, before, page: { limit: mostEvents, offset: 0, order } })
  return items.map(({ id, title, startDateTime, endDateTime, modified }) => ({
    id,
    title,
    text: '',
    category: '',
    isTentative: false,
    changed: modified,
    from: startDateTime,
    until: endDateTime,
    url: `${context.publicUrl}/app/calendar`,
  }))
}
