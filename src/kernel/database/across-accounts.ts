import { type RawBuilder, sql } from 'kysely'

/**
 * Marks a statement that reads all accounts, with the reason. On a cluster it is sent to every node, so a request never runs one. Tests
 * require every other statement to name its account; tests/support/statements/allowed.ts lists the permitted purposes.
 */
export const acrossAccounts = (purpose: string): RawBuilder<unknown> => sql.raw(`/* across accounts: ${purpose} */`)

/** Bounds on background work that concerns many accounts. */
export interface BatchLimits {
  /** Accounts one statement may name: many on a single server, one on a cluster, where each may be on another node. */
  readonly accountsPerStatement: number
  /** Accounts a process keeps in memory as due; when more have work, they rotate. */
  readonly trackedAccounts: number
  /** Multiplies the interval between scans over all accounts. */
  readonly scanIntervalFactor: number
}

export const defaultBatchLimits: BatchLimits = {
  accountsPerStatement: 64,
  trackedAccounts: 5_000,
  scanIntervalFactor: 1,
}

/** On a cluster a statement is routed to one node and a scan to all of them. */
export const batchLimitsFor = async (database: { isDistributed(): Promise<boolean> }): Promise<BatchLimits> =>
  (await database.isDistributed())
    ? { ...defaultBatchLimits, accountsPerStatement: 1, scanIntervalFactor: 5 }
    : defaultBatchLimits

/**
 * SQL condition for each table of a statement that names these accounts by other means as well. A single account is written as a value,
 * because that routes the statement on a cluster. Several accounts share a server, where repeating them would only cost index lookups.
 */
export const accountFilter = (accounts: readonly string[]): RawBuilder<unknown> =>
  accounts.length === 1 ? sql`account = ${accounts[0]}` : sql`true ${acrossAccounts('several accounts at once')}`

/** Splits rows into one chunk per statement, so that no statement names more accounts than allowed. */
export function chunkByAccount<Row extends { readonly account: string }>(
  rows: readonly Row[],
  { accountsPerStatement }: BatchLimits,
): Row[][] {
  const byAccount = new Map<string, Row[]>()
  for (const row of rows) {
    const known = byAccount.get(row.account)
    if (known) known.push(row)
    else byAccount.set(row.account, [row])
  }
  const groups = [...byAccount.values()]
  const chunks: Row[][] = []
  for (let from = 0; from < groups.length; from += accountsPerStatement)
    chunks.push(groups.slice(from, from + accountsPerStatement).flat())
  return chunks
}

export const distinctAccounts = (rows: readonly { readonly account: string }[]) => [
  ...new Set(rows.map(({ account }) => account)),
]
