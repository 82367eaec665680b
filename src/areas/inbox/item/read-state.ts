import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { inboxChanges } from '../declarations.ts'
import { requireItem } from './item.ts'

/** Items are unread for a user from the first time they open the inbox; older ones count as seen. */
export async function open(context: Context) {
  context.about({ id: context.userId })
  await startReading(context)
}

interface ReadRequest {
  id: string
  /** Time of the last seen activity; undefined if all were seen. */
  lastActivity?: Date | undefined
}

export async function markRead(context: Context, { id, lastActivity }: ReadRequest) {
  // The API returns seconds: everything within that second was seen.
  const seenUntil = lastActivity && new Date(lastActivity.getTime() + 999)
  await mark(context, id, seenUntil ? sql`least(last_activity, ${seenUntil}::timestamptz)` : sql`last_activity`)
}

export const markUnread = (context: Context, { id }: { id: string }) =>
  mark(context, id, sql`${new Date(0)}::timestamptz`)

export async function markAllRead(context: Context) {
  const { db, accountId, userId, notifyChange, about } = context
  about({ id: userId })
  await db
    .insertInto('inboxReadCursors')
    .values({ accountId, userId, allBefore: await latestActivity(context) })
    .onConflict((on) =>
      on.columns(['accountId', 'userId']).doUpdateSet((set) => ({ allBefore: set.ref('excluded.allBefore') })),
    )
    .execute()
  await later(db, db.deleteFrom('inboxItemReads').where('accountId', '=', accountId).where('userId', '=', userId))
  notifyChange({ kind: inboxChanges.conversation, id: null, parent: null, scope: userId })
}

/** A network's clock may be ahead of ours, but not by more than this. */
const mostAhead = 60 * 60_000

async function latestActivity({ db, accountId, now }: Context): Promise<Date> {
  const latest = await db
    .selectFrom('inboxItems')
    .select('lastActivity')
    .where('accountId', '=', accountId)
    .orderBy('lastActivity', 'desc')
    .limit(1)
    .executeTakeFirst()
  const aheadMs = (latest?.lastActivity.getTime() ?? 0) - now.getTime()
  return new Date(now.getTime() + Math.min(Math.max(aheadMs, 0), mostAhead))
}

async function mark(context: Context, id: string, seenUntil: RawBuilder<unknown>) {
  const { db, accountId, userId, notifyChange } = context
  await requireItem(context, id)
  await startReading(context)
  await sql`
    insert into inbox_item_reads (account_id, user_id, item_id, seen)
    select ${accountId}, ${userId}, id, ${seenUntil} from inbox_items where account_id = ${accountId} and id = ${id}
    on conflict (account_id, user_id, item_id) do update set seen = excluded.seen returning 1`.execute(db)
  // Read state is visible to its user only.
  notifyChange({ kind: inboxChanges.conversation, id, parent: null, scope: userId })
}

const startReading = ({ db, accountId, userId, now }: Context) =>
  later(
    db,
    db
      .insertInto('inboxReadCursors')
      .values({ accountId, userId, allBefore: now })
      .onConflict((on) => on.doNothing()),
  )

/**
 * Whether the caller has not seen the last activity of an item: stored per item for those read or marked unread, otherwise everything
 * before a timestamp counts as seen. Users who never opened the inbox have nothing unread. Callers exclude closed items.
 */
export const unreadItems = ({ accountId, userId }: Context, source: string): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${source}.lastActivity`)} > coalesce(
    (select r.seen from inbox_item_reads r where r.account_id = ${accountId} and r.user_id = ${userId} and r.item_id = ${sql.ref(`${source}.id`)}),
    (select a.all_before from inbox_read_cursors a where a.account_id = ${accountId} and a.user_id = ${userId}),
    'infinity')`
