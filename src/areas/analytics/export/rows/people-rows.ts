import { sql } from 'kysely'
import { pictureUrl, visibleAdvocates } from '#areas/advocacy/advocate/advocate-row.ts'
import { visibleItems } from '#areas/inbox/item/item-row.ts'
import type { Context } from '#kernel/context.ts'
import { nextPiece, type ReadRows } from './source.ts'

/** Everybody on a board, by when they came, with what they did on all of them. */
export const advocateRows: ReadRows = async (context, range, after) => {
  const advocates = visibleAdvocates(context)
    .selectAll('users')
    .select([pictureUrl, totalOf(context, 'shares'), totalOf(context, 'clicks')])
  const piece = await nextPiece(advocates, { table: 'users', column: 'created' }, range, after)
  // Lists have no place in a table.
  return { ...piece, rows: piece.rows.map((advocate) => ({ ...advocate, profiles: [], boardIds: [] })) }
}

export const leadRows: ReadRows = async (context, range, after) => {
  const { db, accountId } = context
  const leads = db
    .selectFrom('leads')
    .selectAll()
    .select(
      sql<string>`coalesce((select string_agg(p.network || ' ' || p.url, '; ' order by p.network, p.remote_id) from lead_profiles p
        where p.account_id = ${accountId} and p.lead_id = leads.id), '')`.as('profiles'),
    )
    .where('accountId', '=', accountId)
  return nextPiece(leads, { table: 'leads', column: 'created' }, range, after)
}

/** Conversations by when they began. */
export const inboxRows: ReadRows = async (context, range, after) => {
  const items = visibleItems(context).select(
    sql<string>`coalesce((select c.display_name from credentials c
      where c.account_id = ${context.accountId} and c.id = inbox_items.credential_id), '')`.as('profileName'),
  )
  return nextPiece(items, { table: 'inboxItems', column: 'created' }, range, after)
}

const totalOf = ({ accountId }: Context, name: 'shares' | 'clicks') =>
  sql<number>`coalesce((select sum(f.value) from figures f join board_members m
    on m.account_id = ${accountId} and f.of_id = m.board_id || ' ' || m.user_id
    where f.account_id = ${accountId} and f.of_kind = 'advocate' and f.name = ${name} and m.user_id = users.id), 0)::integer`.as(
    name,
  )
