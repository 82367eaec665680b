import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { Refusal } from '../errors.ts'
import { snakeName } from './names.ts'
import { type AccountClient, openScope, runScoped, type Scope } from './scope.ts'
import type { DB } from './tables.ts'

/** The one database handle in scope: it sees one account and, inside a transaction, is that transaction. */
export type Db = Kysely<DB>

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
}

/** The role every statement of the service runs under: it owns nothing, so row-level security binds it. */
export const applicationRole = 'chorus_app'

export function openDatabase({ url, connections, statementTimeout = 15_000 }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'chorus',
    options: `-c role=${applicationRole} -c timezone=UTC -c statement_timeout=${statementTimeout}`,
  })
  // A connection that breaks while idle is replaced by the pool; the next statement reports what matters.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const connect = async () => (await pool.connect().catch(unreachable)) as AccountClient
  const apart = (accountId: string) => handle(statementsApart(connect, accountId))
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

class Compiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(identifier: string) {
    return super.sanitizeIdentifier(snakeName(identifier))
  }
}

const driver = new DummyDriver()
const adapter = new PostgresAdapter()
const compiler = new Compiler()
const dialect = {
  createDriver: () => driver,
  createAdapter: () => adapter,
  createQueryCompiler: () => compiler,
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
}
const config = { dialect }

function handle(provider: ConnectionProvider): Db {
  return new Kysely<DB>({ config, dialect, driver, executor: new DefaultQueryExecutor(compiler, adapter, provider) })
}

function statementsApart(connect: () => Promise<AccountClient>, accountId: string): ConnectionProvider {
  const only = connection(async (query) => {
    const client = await connect()
    try {
      return await runScoped(client, accountId, query)
    } finally {
      client.release()
    }
  })
  return { provideConnection: (consumer) => consumer(only) }
}

async function inTransaction<Result>(open: () => Promise<Scope>, work: (db: Db) => Promise<Result>): Promise<Result> {
  let opening: Promise<Scope> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let ended = false
  const only = connection(async (query) => {
    if (ended) throw new Error('A statement was run after its transaction had ended.')
    opening ??= open()
    const scope = await opening
    // One after the other, also when the work starts several at once.
    const result = last.then(() => scope.run(query))
    last = result.catch(() => {})
    return result
  })

  let result: Result
  try {
    result = await work(handle({ provideConnection: (consumer) => consumer(only) }))
  } catch (error) {
    ended = true
    const scope = await opening?.catch(() => undefined)
    await last
    await scope?.rollBack()
    throw error
  }
  ended = true
  await last
  await (await opening)?.commit()
  return result
}

function connection(execute: (query: CompiledQuery) => ReturnType<Scope['run']>): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const { rows, command, affected } = await execute(query)
      return command === 'SELECT' ? { rows: rows as Row[] } : { rows: rows as Row[], numAffectedRows: affected }
    },
    streamQuery() {
      throw new Error('Streaming goes through COPY.')
    },
  }
}

const retryable = new Set(['40001', '40P01'])

async function attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction()
    } catch (error) {
      if (tries === 3 || !retryable.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}

function unreachable(cause: unknown): never {
  throw new Refusal('unavailable', 'The database cannot be reached right now. Try again in a few seconds.', {
    retryAfter: 5,
    cause,
  })
}
