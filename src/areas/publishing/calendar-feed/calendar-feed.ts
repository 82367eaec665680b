import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { matchingPosts, textOf } from '../calendar/calendar-posts.ts'
import { find as findEvents } from '../custom-event/custom-event.ts'
import { isDraft } from '../post/post.ts'

const day = 24 * 60 * 60 * 1000
const [daysBack, daysAhead] = [30, 180]
const mostPosts = 1_000
const mostEvents = 200
const letters = 60
const longestText = 500
/** A post has no duration, but calendar clients only display entries that have one. */
const shownFor = 15 * 60 * 1000

/** The caller's calendar as iCalendar text, from one month back to six months ahead. */
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

export interface CalendarEntry {
  id: string
  title: string
  text: string
  from: Date
  until: Date
  changed: Date
  url: string
  category: string
  /** For drafts and posts pending approval. */
  isTentative: boolean
}

interface Calendar {
  name: string
  /** Makes entry ids globally unique. */
  host: string
  entries: readonly CalendarEntry[]
}

/** Formats a calendar according to RFC 5545. All times are in UTC, so no VTIMEZONE is needed. */
export function icsOf({ name, host, entries }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Chorus//Publishing calendar//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${icsText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...entries.flatMap((entry) => linesOf(entry, host)),
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}

const linesOf = (
  { id, title, text, from, until, changed, url, category, isTentative }: CalendarEntry,
  host: string,
) => [
  'BEGIN:VEVENT',
  `UID:${id}@${host}`,
  `DTSTAMP:${momentOf(changed)}`,
  `LAST-MODIFIED:${momentOf(changed)}`,
  `DTSTART:${momentOf(from)}`,
  `DTEND:${momentOf(until)}`,
  `SUMMARY:${icsText(title)}`,
  ...(text === '' ? [] : [`DESCRIPTION:${icsText(text)}`]),
  ...(category === '' ? [] : [`CATEGORIES:${icsText(category)}`]),
  `URL:${url}`,
  `STATUS:${isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
  // A published post does not make anyone busy.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** 20260302T092000Z */
const momentOf = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d{3}/g, '')

/** Escapes special characters and line breaks, and removes control characters. */
const icsText = (text: string) =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n|\u2028|\u2029/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format does not allow control characters.
    .replace(/[\u0000-\u001f\u007f]/g, '')

/** In octets, without the line break. */
const longestLine = 75

/** Folds a long line into continuation lines that begin with a space, never in the middle of a character. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= longestLine) return line
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const sign of line) {
    const size = Buffer.byteLength(sign)
    if (octets + size > longestLine) {
      parts.push(part)
      part = ' '
      octets = 1
    }
    part += sign
    octets += size
  }
  return [...parts, part].join('\r\n')
}
