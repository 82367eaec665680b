import { type RawBuilder, sql } from 'kysely'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Database } from '../database/database.ts'

/** How much one process does at once of what concerns many accounts. */
export interface Reach {
  /** Accounts that one statement names at most: many where all lie together, one where each may lie elsewhere. */
  readonly accountsAtOnce: number
  /** Accounts that one agenda holds at most; where more have work, they come in turn. */
  readonly accountsKnown: number
  /** By how much looks over all accounts are further apart than usual. */
  readonly looksApart: number
}

export const usualReach: Reach = { accountsAtOnce: 64, accountsKnown: 5_000, looksApart: 1 }

/** On a cluster a statement goes to one node, and a look to all of them. */
export const reachOf = async (database: Pick<Database, 'isDistributed'>): Promise<Reach> =>
  (await database.isDistributed()) ? { ...usualReach, accountsAtOnce: 1, looksApart: 5 } : usualReach

/**
 * Holds the rows of a table to the accounts a statement names, beside whatever else says so. A single account is said as a value, to every
 * table: where tables are distributed that tells where the statement goes. Several lie together, and to say them again costs as much as a look
 * into an index.
 */
export const ofThese = (accounts: readonly string[]): RawBuilder<unknown> =>
  accounts.length === 1 ? sql`account = ${accounts[0]}` : sql`true ${acrossAccounts('several accounts at once')}`

/** Rows in as many parts as statements are needed for their accounts. */
export function inStatements<Row extends { readonly account: string }>(
  rows: readonly Row[],
  { accountsAtOnce }: Reach,
): Row[][] {
  const byAccount = new Map<string, Row[]>()
  for (const row of rows) {
    const known = byAccount.get(row.account)
    if (known) known.push(row)
    else byAccount.set(row.account, [row])
  }
  const groups = [...byAccount.values()]
  const statements: Row[][] = []
  for (let from = 0; from < groups.length; from += accountsAtOnce)
    statements.push(groups.slice(from, from + accountsAtOnce).flat())
  return statements
}

/** The accounts of rows, each once. */
export const accountsOf = (rows: readonly { readonly account: string }[]) => [
  ...new Set(rows.map(({ account }) => account)),
]
