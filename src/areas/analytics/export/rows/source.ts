import { type SelectQueryBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { TimeRange } from '../schedule.ts'

export const exportTypes = [
  'Posts',
  'Clicks',
  'Conversions',
  'Links',
  'Campaigns',
  'Advocates',
  'Leads',
  'Inbox',
] as const
export type ExportType = (typeof exportTypes)[number]

/** Cursor. The time is text: the database is more precise than a Date. */
export interface Cursor {
  moment: string
  id: string
}

export interface Piece {
  rows: readonly object[]
  /** Undefined after the last rows. */
  after: Cursor | undefined
}

/** Reads rows of a range in order, after a cursor. */
export type ReadRows = (context: Context, range: TimeRange, after: Cursor | undefined) => Promise<Piece>

/** Rows in memory at a time. */
const pieceSize = 200

/** The next rows of a query ordered by an indexed time. */
export async function nextPiece<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { table, column }: { table: string; column: string },
  { starts, ends }: TimeRange,
  after: Cursor | undefined,
): Promise<{ rows: Row[]; after: Cursor | undefined }> {
  const [moment, id] = [sql.ref(`${table}.${column}`), sql.ref(`${table}.id`)]
  const found = (await query
    .select([sql<string>`${moment}::text`.as('cursorMoment'), sql<string>`${id}`.as('cursorId')])
    .where(sql<boolean>`${moment} >= ${starts} and ${moment} < ${ends}`)
    .$if(after !== undefined, (rows) =>
      rows.where(sql<boolean>`(${moment}, ${id}) > (${after?.moment}::timestamptz, ${after?.id})`),
    )
    .orderBy(moment)
    .orderBy(id)
    .limit(pieceSize)
    .execute()) as (Row & { cursorMoment: string; cursorId: string })[]
  const last = found.length === pieceSize ? found.at(-1) : undefined
  return { rows: found, after: last && { moment: last.cursorMoment, id: last.cursorId } }
}
