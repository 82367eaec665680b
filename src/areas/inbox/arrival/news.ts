import type { Context } from '#kernel/context.ts'
import type { Activity } from '#networks/connector/activity.ts'
import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { heardOf } from './heard.ts'
import { recordArrivals } from './record-arrivals.ts'

interface Question {
  connector: Connector
  actor: Actor
  /** What happened before is left where it is. */
  since: Date
  /** The newest that an earlier reading saw; empty where there is none. */
  marker: string
  /** A step in the profile's account. */
  as<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/** Of one turn; what lies deeper comes with the next ones, as long as something new is found. */
const mostPages = 10

/**
 * Reads a profile's inbox at the network, newest first: all that came after the marker, or until nothing on a page is new. Gives the marker for
 * the next time; nothing where the network has none, or where not all was read.
 */
export async function readNews(
  { connector, actor, since, marker, as }: Question,
  credentialId: string,
): Promise<string | undefined> {
  let cursor: string | undefined
  let newest: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const { items, cursor: next, marker: seen } = await connector.fetchInbox(actor, cursor, marker || undefined)
    if (page === 0) newest = seen
    const recent = items.filter(({ at }) => at >= since)
    const fresh = await as(async (context) => {
      const changed = await changedAmong(context, credentialId, recent)
      return recordArrivals(context, { credentialId }, [...recent, ...changed])
    })
    // Behind a marker, what pushes told already may lie before something that they did not.
    if (next === undefined || (fresh === 0 && marker === '')) return newest
    cursor = next
  }
  return undefined
}

/** What stands in the inbox with other words, or without the name of who said it: the network says by itself of neither. */
async function changedAmong(context: Context, credentialId: string, activities: readonly Activity[]) {
  const { db, accountId, now } = context
  const heard = activities.flatMap((activity) => {
    const { heard: one } = heardOf(activity, now)
    return one && words.has(one.kind) ? [{ activity, one }] : []
  })
  if (heard.length === 0) return []
  const entries = await db
    .selectFrom('inboxEntries')
    .select(['remoteId', 'content', 'media', 'personName'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '<>', '')
    .where(
      'remoteId',
      'in',
      heard.map(({ one }) => one.remoteId),
    )
    .where('type', 'in', ['message', 'comment', 'reply'])
    .where('removed', 'is', null)
    .execute()
  const known = new Map(entries.map((entry) => [entry.remoteId, entry]))
  return heard.flatMap(({ activity, one }): Activity[] => {
    const entry = known.get(one.remoteId)
    if (!entry) return []
    const isNamed = entry.personName !== '' || one.person.name === ''
    const isShown = one.media.length === 0 || (entry.media as string[]).length > 0
    if (entry.content === one.text && isNamed && isShown) return []
    return [{ ...activity, dedupeKey: `seen:${one.remoteId}:${now.getTime()}`, edited: now }]
  })
}

const words = new Set(['comment', 'reply', 'mention', 'message', 'echo'])
