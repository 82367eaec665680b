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

/** What other calendars show as one entry. */
export interface CalendarEntry {
  id: string
  title: string
  text: string
  from: Date
  until: Date
  changed: Date
  url: string
  category: string
  /** Not certain yet: a draft, or what waits for approval. */
  isTentative: boolean
}

interface Calendar {
  name: string
  /** The name under which entries are unique in the world, together with their ids. */
  host: string
  entries: readonly CalendarEntry[]
}

/** A calendar as RFC 5545 writes it; every moment in UTC, so that no zone has to be described. */
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
  // Nobody is busy because a post goes out.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** 20260302T092000Z */
const momentOf = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d{3}/g, '')

/** Signs that mean something are marked, ends of lines written out, and controls left out. */
const icsText = (text: string) =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n|\u2028|\u2029/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format knows no controls.
    .replace(/[\u0000-\u001f\u007f]/g, '')

/** No line has more octets, its end not counted. */
const longestLine = 75

/** A line that is too long goes on in the next one, after a blank; never in the middle of a sign. */
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
