import { type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'

/** Says of messages that a board offers them to advocates; they stay that, whatever the board offers later. */
export async function markAsBoardMessages({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const marking = db
    .updateTable('messages')
    .set({ isBoardMessage: true })
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .where('isBoardMessage', '=', false)
  await later(db, marking)
}
