import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'

/** Nobody reads a larger number than "a thousand or more". */
export const mostCounted = sql.lit(1_000)

const shown = 10

/** The first few of what a query finds, in its order, and how many there are up to a thousand: in one statement. */
export async function listed<Row>(db: Db, found: RawBuilder<Row>): Promise<{ items: Row[]; total: number }> {
  const { rows } = await sql<Row & { total: number }>`
    with found as materialized (${found} limit ${mostCounted})
    select *, (select count(*)::integer from found) as total from found limit ${sql.lit(shown)}`.execute(db)
  return { items: rows, total: rows[0]?.total ?? 0 }
}
