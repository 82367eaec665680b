import { sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { forgetFeeds, holdFeeds } from '../feed/feed.ts'
import { notifyStreamChanged } from '../stream-changes.ts'

/** One stream, those of a tab, or those of profiles. */
type Which = { id: string } | { streamTabId: string } | { credentialIds: readonly string[] }

/** Deletes streams, and their feeds unless shared with others. Returns the number. */
export async function removeStreams(context: Context, which: Which): Promise<number> {
  const { db, accountId } = context
  const found = await matching(context, which)
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  const feedIds = [...new Set(found.map(({ feedId }) => feedId))]
  // Locked first, to see concurrent additions to the same feeds.
  await holdFeeds(context, feedIds)
  const removed = await db
    .deleteFrom('streams')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .returning(['id', 'streamTabId'])
    .execute()
  await forgetFeeds(context, feedIds)
  for (const stream of removed) notifyStreamChanged(context, stream)
  return removed.length
}

/** Deletes the streams of deleted profiles. */
export async function leaveProfileStreams(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  await removeStreams(context, { credentialIds: events.map(({ data }) => data.credentialId) })
}

export function matching({ db, accountId }: Context, which: Which) {
  const all = db.selectFrom('streams').select(['id', 'feedId']).where('accountId', '=', accountId)
  if ('id' in which) return all.where('id', '=', which.id).execute()
  if ('streamTabId' in which) return all.where('streamTabId', '=', which.streamTabId).execute()
  const feeds = db
    .selectFrom('streamFeeds')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`credential_id = any (${which.credentialIds})`)
  return all.where('feedId', 'in', feeds).execute()
}
