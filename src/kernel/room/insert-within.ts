import { type InsertQueryBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { LimitedKind } from './account-limits.ts'
import { countAnew, countingUp, type RoomContext } from './room.ts'

/**
 * Makes one thing and room for it in one statement: for what is made often and by a single statement. Where room seems to be missing
 * `existing` is asked for, and room looked for afterwards; a refusal undoes the transaction and the thing with it.
 */
export async function insertWithin<Into extends keyof DB, Made, Table extends keyof DB, Row>(
  context: RoomContext,
  kind: LimitedKind,
  existing: () => SelectQueryBuilder<DB, Table, Row>,
  insert: InsertQueryBuilder<DB, Into, Made>,
): Promise<Made> {
  const { rows } = await sql<Made & { hasRoom: boolean }>`
    with ${countingUp(context, kind, 1)}, made as (${insert})
    select made.*, exists (select from room) as has_room from made`.execute(context.db)
  const [made] = rows as [Made & { hasRoom: boolean }]
  if (!made.hasRoom) await countAnew(context, kind, existing(), 1, 0)
  return made
}
