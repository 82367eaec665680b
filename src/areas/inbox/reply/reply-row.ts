import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { InboxReplies } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { requireItem } from '../item/item.ts'
import type { replyStatuses } from './reply-shape.ts'

export type ReplyRow = Selectable<InboxReplies>
export type ReplyStatus = (typeof replyStatuses)[number]

/** Kind of its sends. */
export const replyKind = 'reply'

/** Locks existing replies, so that a concurrent removal waits. Their items are locked before. */
export const holdReplies = ({ db, accountId }: Context, ids: readonly string[]): Promise<ReplyRow[]> =>
  db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('inboxReplies', 'no key update'))
    .execute()

export async function requireReply({ db, accountId }: Context, id: string): Promise<ReplyRow> {
  const reply = await db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!reply) throw missing('Reply')
  return reply
}

/** A reply as returned by the API, with whether it missed its time. */
export async function shownReply(context: Context, id: string) {
  const [reply] = await withLateness(context, [await requireReply(context, id)])
  return reply as NonNullable<typeof reply>
}

const mostShown = 100

/** Replies in a conversation, newest first. */
export async function list(context: Context, { id }: { id: string }) {
  await requireItem(context, id)
  const rows = await context.db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('itemId', '=', id)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostShown)
    .execute()
  return { items: await withLateness(context, rows), total: rows.length }
}

async function withLateness({ db, accountId }: Context, rows: readonly ReplyRow[]) {
  const ids = rows.map(({ id }) => id)
  const late = ids.length
    ? await db
        .selectFrom('sends')
        .select('contentId')
        .where('accountId', '=', accountId)
        .where('contentId', 'in', ids)
        .where('isLate', '=', true)
        .execute()
    : []
  return rows.map((row) => ({
    ...row,
    status: row.status as ReplyStatus,
    isLate: late.some(({ contentId }) => contentId === row.id),
  }))
}
