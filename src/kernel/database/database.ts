import { openThreadTime, type ThreadTime } from '../thread/thread-time.ts'
import { type Db, handle } from './handle.ts'
import { type LenderOptions, openLender, shareOf } from './lender.ts'
import { openScope, runScoped } from './scope.ts'
import { attempt, inTransaction } from './transaction.ts'

export { type Db, later } from './handle.ts'

export interface Database {
  /** Statements that stand alone, each on whatever connection is free. */
  forAccount(accountId: string): Db
  /** The same for those nobody knows, whatever account they name: all of them together have the share of one account. */
  forAnybody(accountId: string): Db
  /** All or nothing; begun by the first statement, run again when the database asks for it. */
  transaction<Result>(accountId: string, work: (db: Db) => Promise<Result>): Promise<Result>
  /** Tables that belong to no account. */
  readonly shared: Db
  /** Who has how much of the thread that reads and writes all this. */
  readonly thread: ThreadTime
  /** Whether the rows of accounts lie on several nodes. */
  isDistributed(): Promise<boolean>
  readonly connections: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export type DatabaseOptions = LenderOptions

export function openDatabase(options: DatabaseOptions): Database {
  const thread = openThreadTime(shareOf(options.connections))
  const lender = openLender(options, thread)
  const apart = (accountId: string, owner: string | undefined) =>
    handle(async (query) => {
      const loan = await lender.borrow(owner)
      try {
        return await runScoped(loan, accountId, query)
      } finally {
        loan.giveBack()
      }
    })
  const known = keptHandles((accountId) => apart(accountId, accountId))
  const unknown = keptHandles((accountId) => apart(accountId, 'anybody'))

  return {
    forAccount: known,
    forAnybody: unknown,
    shared: apart('', undefined),
    thread,
    transaction: (accountId, work) =>
      attempt(() => inTransaction(async () => openScope(await lender.borrow(accountId || undefined), accountId), work)),
    async isDistributed() {
      const { isCluster, giveBack } = await lender.borrow(undefined)
      giveBack()
      return isCluster
    },
    connections: lender.connections,
    close: lender.close,
  }
}

const maximumHandles = 1000

/** A handle for single statements holds nothing but the account, and making one costs as much as some queries. */
function keptHandles(make: (accountId: string) => Db): (accountId: string) => Db {
  const handles = new Map<string, Db>()
  return (accountId) => {
    const kept = handles.get(accountId)
    if (kept) return kept
    if (handles.size >= maximumHandles) handles.clear()
    const made = make(accountId)
    handles.set(accountId, made)
    return made
  }
}
