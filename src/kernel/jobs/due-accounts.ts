import { type RawBuilder, sql } from 'kysely'
import { acrossAccounts } from '../database/across-accounts.ts'
import { type Db, later } from '../database/database.ts'

/** Work of an account that is due at some time. */
interface DueWork {
  readonly account: string
  readonly due: Date
}

/**
 * The accounts known to this process to have work of one kind, filled by notifications and by scans over all accounts. It is only a cache:
 * the next scan finds missing accounts, and an account without work costs one query.
 */
export interface DueAccounts {
  add(account: string, due: Date): void
  /** Adds the result of a scan. If there are more accounts than fit, successive scans rotate through them. */
  addScanned(found: readonly DueWork[]): void
  /** Puts an account that was just served and has more work behind all that wait. */
  requeue(account: string): void
  /** Accounts that are due, longest waiting first. */
  ready(now: Date): Iterable<string>
  /** Removes an account before its work is claimed, so that a notification during the claim adds it again. False if it was not ready. */
  take(account: string): boolean
  /** When the next account becomes due, in milliseconds. */
  nextDue(): number
  /** Whether accounts were dropped for lack of capacity and there is capacity for them now. */
  needsScan(): boolean
}

export function createDueAccounts(capacity: number): DueAccounts {
  // Sets and maps iterate in insertion order.
  const ready = new Set<string>()
  const upcoming = new Map<string, number>()
  let earliest = Number.POSITIVE_INFINITY
  let hasDropped = false
  /** The last account that was admitted when not all of them fitted. */
  let cursor = ''

  const add = (account: string, due: number) => {
    const known = upcoming.get(account)
    if (known !== undefined && known <= due) return
    if (known === undefined && upcoming.size >= capacity) {
      hasDropped = true
      return
    }
    upcoming.set(account, due)
    earliest = Math.min(earliest, due)
  }
  const promote = (now: number) => {
    const due = [...upcoming].filter(([, at]) => at <= now).sort(([, one], [, other]) => one - other)
    for (const [account] of due) {
      if (ready.size >= capacity) break
      upcoming.delete(account)
      ready.add(account)
    }
    earliest = Math.min(...upcoming.values())
  }
  return {
    add: (account, due) => add(account, due.getTime()),
    addScanned(found) {
      hasDropped = false
      const unknown = found.filter(({ account }) => !ready.has(account) && !upcoming.has(account))
      const free = capacity - Math.max(ready.size, upcoming.size)
      if (unknown.length <= free) {
        for (const { account, due } of found) if (!ready.has(account)) add(account, due.getTime())
        return
      }
      hasDropped = true
      const admitted = rotate(unknown, cursor).slice(0, Math.max(0, free))
      cursor = admitted.at(-1)?.account ?? cursor
      for (const { account, due } of admitted) add(account, due.getTime())
    },
    requeue(account) {
      // While accounts are being dropped, this one gives up its entry; the next scan finds it again.
      if (hasDropped || ready.size >= capacity) hasDropped = true
      else ready.add(account)
    },
    ready(now) {
      if (earliest <= now.getTime()) promote(now.getTime())
      return ready
    },
    take: (account) => ready.delete(account),
    nextDue: () => earliest,
    needsScan: () => hasDropped && ready.size === 0 && upcoming.size < capacity,
  }
}

/** Sorted by account, beginning after the cursor. */
function rotate(works: readonly DueWork[], cursor: string): DueWork[] {
  const sorted = [...works].sort((one, other) => (one.account < other.account ? -1 : 1))
  const first = sorted.findIndex(({ account }) => account > cursor)
  return first < 0 ? sorted : [...sorted.slice(first), ...sorted.slice(0, first)]
}

/**
 * Work due within this many milliseconds is announced when it is written; later work is found by a scan before it is due. Must exceed the
 * interval between scans.
 */
const notifyWithin = 15_000

interface DueNotification extends DueWork {
  /** Empty on channels with a single kind of work. */
  readonly kind: string
}

/** Notifies all processes of due work when the transaction commits. Notifications may be lost: a scan finds the work without them. */
export async function notifyDue(db: Db, channel: string, now: Date, { kind, account, due }: DueNotification) {
  if (due.getTime() > now.getTime() + notifyWithin) return
  // No part contains a space.
  await later(db, sql`select pg_notify(${channel}, ${`${kind} ${account} ${due.getTime()}`})`)
}

/** Undefined if the payload cannot be parsed: an older version may have sent it. */
export function parseNotification(payload: string | undefined): DueNotification | undefined {
  const [kind = '', account, due] = payload?.split(' ') ?? []
  const time = new Date(Number(due))
  if (account === undefined || due === undefined || Number.isNaN(time.getTime())) return undefined
  return { kind, account, due: time }
}

/** A query for the `account`, `kind` and `due` of unclaimed work that is due by a given time. */
export type DueQuery = (until: Date) => RawBuilder<unknown>

/** A scan that finds this many rows has found a backlog, which may hide the work of other accounts. */
const scannedRows = 1_000

/**
 * Returns a function that finds the accounts with due work, by kind. This is the only query that names no account, so it runs rarely.
 * When there is a backlog, successive scans page through the accounts.
 */
export function createScan(db: Db, dueWork: DueQuery, maxAccounts: number) {
  let cursor = ''
  return async (until: Date): Promise<Map<string, DueWork[]>> => {
    const { rows: first } = await sql<ScannedWork & { rows: number }>`
      select account, kind, min(due) as due, count(*)::int as rows from (${dueWork(until)} order by due limit ${scannedRows}) first
      group by account, kind ${acrossAccounts('due work')}`.execute(db)
    if (first.reduce((sum, { rows }) => sum + rows, 0) < scannedRows) return groupByKind(first)
    const { rows: page } = await sql<ScannedWork>`
      select account, kind, min(due) as due from (${dueWork(until)}) waiting where account >= ${cursor}
      group by account, kind order by account limit ${maxAccounts} ${acrossAccounts('due work')}`.execute(db)
    cursor = page.length < maxAccounts ? '' : (page.at(-1)?.account ?? '')
    return groupByKind([...first, ...page])
  }
}

interface ScannedWork extends DueWork {
  readonly kind: string
}

function groupByKind(found: readonly ScannedWork[]): Map<string, DueWork[]> {
  const kinds = new Map<string, DueWork[]>()
  for (const work of found) {
    const known = kinds.get(work.kind)
    if (known) known.push(work)
    else kinds.set(work.kind, [work])
  }
  return kinds
}
