import { type RawBuilder, sql } from 'kysely'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import type { Work } from './agenda.ts'

/** The rows of work that are free to be taken and due until a moment: a query for their `account`, their `kind` and when they are `due`. */
export type FreeWork = (until: Date) => RawBuilder<unknown>

/** Up to so many rows all are looked at; where there are more, somebody has a backlog behind which others may stand. */
const lookedAt = 1_000

/**
 * Gives a look over all accounts: whose work is due until a moment, by kind. It is the only question that names no account, so it is asked
 * seldom. Behind a backlog the accounts are gone through in the order of their names, from look to look.
 */
export function openLook(db: Db, free: FreeWork, accounts: number) {
  let reached = ''
  return async (until: Date): Promise<Map<string, Work[]>> => {
    const { rows: first } = await sql<Found & { rows: number }>`
      select account, kind, min(due) as due, count(*)::int as rows from (${free(until)} order by due limit ${lookedAt}) first
      group by account, kind ${acrossAccounts('work that is due')}`.execute(db)
    if (first.reduce((sum, { rows }) => sum + rows, 0) < lookedAt) return byKind(first)
    const { rows: more } = await sql<Found>`
      select account, kind, min(due) as due from (${free(until)}) waiting where account >= ${reached}
      group by account, kind order by account limit ${accounts} ${acrossAccounts('work that is due')}`.execute(db)
    reached = more.length < accounts ? '' : (more.at(-1)?.account ?? '')
    return byKind([...first, ...more])
  }
}

interface Found extends Work {
  readonly kind: string
}

function byKind(found: readonly Found[]): Map<string, Work[]> {
  const kinds = new Map<string, Work[]>()
  for (const work of found) {
    const known = kinds.get(work.kind)
    if (known) known.push(work)
    else kinds.set(work.kind, [work])
  }
  return kinds
}
