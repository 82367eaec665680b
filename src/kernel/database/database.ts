import pg from 'pg'
import { Refusal } from '../errors.ts'
import { usualRhythm } from '../rhythm.ts'
import { type Db, handle } from './handle.ts'
import { type AccountClient, openScope, runScoped } from './scope.ts'
import { attempt, inTransaction } from './transaction.ts'

export type { Db } from './handle.ts'

export interface Database {
  /** Statements that stand alone, each on whatever connection is free. */
  forAccount(accountId: string): Db
  /** All or nothing; begun by the first statement, run again when the database asks for it. */
  transaction<Result>(accountId: string, work: (db: Db) => Promise<Result>): Promise<Result>
  /** Tables that belong to no account. */
  readonly shared: Db
  readonly connections: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  connections: number
  statementTimeout?: number
  /** How long a statement waits for a connection, in milliseconds. */
  patience?: number
}

/** The role every statement of the service runs under: it owns nothing, so row-level security binds it. */
export const applicationRole = 'chorus_app'

export function openDatabase(options: DatabaseOptions): Database {
  const { url, connections, statementTimeout = usualRhythm.statement, patience = usualRhythm.connection } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: patience,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'chorus',
    options: `-c role=${applicationRole} -c timezone=UTC -c statement_timeout=${statementTimeout}`,
  })
  // A connection that breaks while idle is replaced by the pool; the next statement reports what matters.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const connect = async () => (await pool.connect().catch(unreachable)) as AccountClient
  const apart = (accountId: string) =>
    handle(async (query) => {
      const client = await connect()
      try {
        return await runScoped(client, accountId, query)
      } finally {
        client.release()
      }
    })
  // A handle for single statements holds nothing but the account, and making one costs as much as some queries.
  const handles = new Map<string, Db>()

  return {
    forAccount(accountId) {
      const known = handles.get(accountId)
      if (known) return known
      if (handles.size >= maximumHandles) handles.clear()
      const made = apart(accountId)
      handles.set(accountId, made)
      return made
    },
    shared: apart(''),
    transaction: (accountId, work) =>
      attempt(() => inTransaction(async () => openScope(await connect(), accountId), work)),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

const maximumHandles = 1000

function unreachable(cause: unknown): never {
  throw new Refusal('unavailable', 'The database cannot be reached right now. Try again in a few seconds.', {
    retryAfter: 5,
    cause,
  })
}
