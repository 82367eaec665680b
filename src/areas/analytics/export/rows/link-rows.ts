import { sql } from 'kysely'
import { withDetails } from '#areas/links/click/click.ts'
import { counted, shown } from '#areas/links/link/link.ts'
import type { Context } from '#kernel/context.ts'
import { nextPiece, type ReadRows } from './source.ts'

/** Those of people. */
export const clickRows: ReadRows = async (context, range, after) => {
  const piece = await nextPiece(humanClicks(context), { table: 'clicks', column: 'created' }, range, after)
  return { ...piece, rows: await withDetails(context, piece.rows) }
}

/** Clicks that led to something, by when they did. */
export const conversionRows: ReadRows = async (context, range, after) => {
  const converted = humanClicks(context).where('clicks.converted', 'is not', null)
  const piece = await nextPiece(converted, { table: 'clicks', column: 'converted' }, range, after)
  return { ...piece, rows: await withDetails(context, piece.rows) }
}

export const linkRows: ReadRows = async (context, range, after) => {
  const piece = await nextPiece(counted(context), { table: 'links', column: 'created' }, range, after)
  return { ...piece, rows: piece.rows.map((link) => shown(context, link)) }
}

const humanClicks = ({ db, accountId }: Context) =>
  db
    .selectFrom('clicks')
    .selectAll('clicks')
    .where('clicks.accountId', '=', accountId)
    // Spelled out, as the conditions of the indexes are.
    .where('clicks.class', '=', sql.lit('human'))
