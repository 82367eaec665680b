import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/**
 * Whether the caller has not seen the last activity of an item: of what they read or left unread one by one, that is known for each, of the rest they
 * have seen everything before a moment. Who never opened the inbox has nothing unread. Closed items are for the one who asks to leave out.
 */
export const unreadItems = ({ accountId, userId }: Context, source: string): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${source}.lastActivity`)} > coalesce(
    (select r.seen from inbox_reads r where r.account_id = ${accountId} and r.user_id = ${userId} and r.item_id = ${sql.ref(`${source}.id`)}),
    (select a.all_before from inbox_readers a where a.account_id = ${accountId} and a.user_id = ${userId}),
    'infinity')`
