import { sql } from 'kysely'
import { newToken } from '#areas/account/session/session.ts'
import { day, hour } from '#kernel/clock.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import type { CallerRole } from '#kernel/permissions.ts'
import { isDraft } from '../post/post.ts'
import { matchingPosts, textOf } from './calendar-posts.ts'
import { find as findEvents } from './custom-event.ts'

export async function getKey({ db, accountId, userId }: Context) {
  const key = await db
    .selectFrom('calendarKeys')
    .select(['created', 'lastUsed'])
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { hasKey: key !== undefined, created: key?.created ?? null, lastUsed: key?.lastUsed ?? null }
}

/** Creates the URL for external calendars, which is shown only once. The previous URL is revoked. */
export async function createKey(context: Context) {
  const { db, accountId, userId, now, publicUrl } = context
  const { token, digest } = newToken(accountId)
  const key = { digest, created: now, lastUsed: null }
  await db
    .insertInto('calendarKeys')
    .values({ accountId, userId, ...key })
    .onConflict((on) => on.columns(['accountId', 'userId']).doUpdateSet(key))
    .execute()
  context.about({ id: userId })
  return { url: `${publicUrl}/app/api/calendar.ics?key=${token}`, created: now }
}

export async function removeKey(context: Context) {
  context.about({ id: context.userId })
  await revoke(context, context.userId)
}

/** Revokes calendar URLs when a user is deleted, or sets a new password because the account may be compromised. */
export async function revokeKeys(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  for (const { data } of events) await revoke(context, data.userId)
}

const revoke = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('calendarKeys').where('accountId', '=', accountId).where('userId', '=', userId).execute()

/** The user a calendar key belongs to; undefined if the key is not valid any more. */
export async function ownerOf({ db, accountId, now }: Context, digest: Buffer) {
  const found = await db
    .selectFrom('calendarKeys as k')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'k.userId'))
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['k.userId', 'k.lastUsed', 'u.role', 'a.name as accountName'])
    .where('k.accountId', '=', accountId)
    .where('k.digest', '=', digest)
    .where('u.status', '=', 'active')
    .where('a.status', '=', 'active')
    .executeTakeFirst()
  if (!found?.role) return undefined
  const { userId, role, lastUsed, accountName } = found
  if (!lastUsed || now.getTime() - lastUsed.getTime() > hour)
    await db
      .updateTable('calendarKeys')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('userId', '=', userId)
      .execute()
  return { userId, role: role as CallerRole, accountName }
}

const [daysBack, daysAhead] = [30, 180]
const maxPosts = 1_000
const maxEvents = 200
const maxTitleLength = 60
const maxTextLength = 500
/** A post has no duration, but calendar clients only display entries that have one. */
const entryDuration = 15 * 60 * 1000

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
    .select(textOf(context, maxTextLength).as('text'))
    .limit(maxPosts)
    .execute()
  return posts.map(({ id, network, status, startDateTime, modified, text, campaign }) => ({
    id,
    title: `${network}: ${[...(text.split('\n', 1)[0] ?? '')].slice(0, maxTitleLength).join('')}`,
    text,
    from: startDateTime,
    until: new Date(startDateTime.getTime() + entryDuration),
    changed: modified,
    url: `${publicUrl}/app/calendar?post=${id}`,
    category: campaign,
    isTentative: isDraft(status),
  }))
}

async function eventEntries(context: Context, after: Date, before: Date): Promise<CalendarEntry[]> {
  const order = { column: 'startDateTime', kind: 'date', ascending: true } as const
  const { items } = await findEvents(context, { after, before, page: { limit: maxEvents, offset: 0, order } })
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
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...entries.flatMap((entry) => linesOf(entry, host)),
    'END:VCALENDAR',
  ]
  return `${lines.map(foldLine).join('\r\n')}\r\n`
}

const linesOf = (
  { id, title, text, from, until, changed, url, category, isTentative }: CalendarEntry,
  host: string,
) => [
  'BEGIN:VEVENT',
  `UID:${id}@${host}`,
  `DTSTAMP:${formatMoment(changed)}`,
  `LAST-MODIFIED:${formatMoment(changed)}`,
  `DTSTART:${formatMoment(from)}`,
  `DTEND:${formatMoment(until)}`,
  `SUMMARY:${escapeText(title)}`,
  ...(text === '' ? [] : [`DESCRIPTION:${escapeText(text)}`]),
  ...(category === '' ? [] : [`CATEGORIES:${escapeText(category)}`]),
  `URL:${url}`,
  `STATUS:${isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
  // A published post does not make anyone busy.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** 20260302T092000Z */
const formatMoment = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d{3}/g, '')

/** Escapes special characters and line breaks, and removes control characters. */
const escapeText = (text: string) =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n|\u2028|\u2029/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format does not allow control characters.
    .replace(/[\u0000-\u001f\u007f]/g, '')

/** In octets, without the line break. */
const maxLineLength = 75

/** Folds a long line into continuation lines that begin with a space, never in the middle of a character. */
function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= maxLineLength) return line
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > maxLineLength) {
      parts.push(part)
      part = ' '
      octets = 1
    }
    part += character
    octets += size
  }
  return [...parts, part].join('\r\n')
}
