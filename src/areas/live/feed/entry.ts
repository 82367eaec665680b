import { sql } from 'kysely'
import type { ChangeNotification } from '#kernel/changes/change-notification.ts'
import type { Db } from '#kernel/database/database.ts'

/** Position of a feed: number and mark of the last entry sent. */
export interface Position {
  readonly number: number
  readonly mark: string
}

/** One change in the feed. Without `hints` if they can't be read. */
export interface Entry extends Position {
  readonly by: string
  readonly hints: readonly ChangeNotification[] | undefined
  readonly error?: unknown
}

const beginning: Position = { number: 0, mark: '' }

/** The event id, with which a browser resumes. */
export const idOf = ({ number, mark }: Position) => `${number}.${mark}`

export function readId(text: string): Position | undefined {
  const [, number, mark = ''] = /^(\d{1,15})\.([\w-]{0,20})$/.exec(text) ?? []
  return number === undefined ? undefined : { number: Number(number), mark }
}

interface HeadRow {
  last: number
  mark: string
}

/** The head of the account's feed, and whether all entries after the position are still available. */
export async function standingAt(db: Db, accountId: string, position: Position | undefined) {
  const number = position?.number ?? 0
  const { rows } = await sql<HeadRow & { known: string | null; oldest: number | null }>`
    select h.last, h.mark,
      (select e.mark from feed_entries e where e.account_id = ${accountId} and e.number = ${number}) as known,
      (select min(e.number) from feed_entries e where e.account_id = ${accountId}) as oldest
    from feed_heads h where h.account_id = ${accountId}`.execute(db)
  const [row] = rows
  const head: Position = row ? { number: row.last, mark: row.mark } : beginning
  if (!position) return { head, isWhole: false }
  const isHead = number === head.number && position.mark === head.mark
  const isKnown = number === 0 ? position.mark === '' && row?.oldest === 1 : row?.known === position.mark
  return { head, isWhole: isHead || isKnown }
}

/** The next entries after a number, and the head. Consecutive numbers prove that none is missing. */
export async function entriesAfter(db: Db, accountId: string, number: number, atOnce: number) {
  const { rows } = await sql<HeadRow & { number: number | null; own: string; by: string; hints: string }>`
    select h.last, h.mark, e.number, e.mark as own, e.created_by as by, e.hints from feed_heads h
      left join lateral (select n.number, n.mark, n.created_by, n.hints from feed_entries n
        where n.account_id = ${accountId} and n.number > ${number} order by n.number limit ${atOnce}) e on true
    where h.account_id = ${accountId} order by e.number`.execute(db)
  const [first] = rows
  const head: Position = first ? { number: first.last, mark: first.mark } : beginning
  const entries = rows.flatMap((row) =>
    row.number === null ? [] : [{ number: row.number, mark: row.own, by: row.by, ...hintsIn(row.hints) }],
  )
  const isWhole = entries.length > 0 ? entries[0]?.number === number + 1 : head.number === number
  return { head, entries, isWhole }
}

function hintsIn(text: string): Pick<Entry, 'hints' | 'error'> {
  try {
    const hints: unknown = JSON.parse(text)
    if (!Array.isArray(hints) || !hints.every(isHint)) throw new Error('The hints of an entry are none.')
    return { hints }
  } catch (error) {
    return { hints: undefined, error }
  }
}

const isHint = (value: unknown): value is ChangeNotification =>
  typeof value === 'object' && value !== null && typeof (value as ChangeNotification).kind === 'string'
