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
import { run } from './statement.ts'
import type { DB } from './tables.ts'
import { valueTypes } from './values.ts'

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
    idleTimeoutMillis: 60_000,
    pipeline: true,
    types: valueTypes,
    application_name: 'chorus',
    options: `-c role=${applicationRole} -c timezone=UTC -c statement_timeout=${statementTimeout}`,
  } as pg.PoolConfig)
  // A connection that breaks while idle is replaced by the pool; the next statement reports what matters.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  const open = async (accountId: string): Promise<pg.PoolClient> => {
    const client = (await pool.connect().catch(unreachable)) as pg.PoolClient & { account?: string }
    if (client.account !== accountId) {
      client.account = accountId
      // Sent ahead of the statement that follows, without waiting for the answer.
      client.query({ name: 'scope', text: scopeStatement, values: [accountId] }).catch(() => {
        delete client.account
      })
    }
    return client
  }

  return {
    forAccount: (accountId) => handle(statementsApart(() => open(accountId))),
    shared: handle(statementsApart(() => open(''))),
    transaction: (accountId, work) => attempt(() => inTransaction(() => open(accountId), work)),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

const scopeStatement = `select set_config('chorus.account_id', $1, false)`

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

function statementsApart(open: () => Promise<pg.PoolClient>): ConnectionProvider {
  return {
    async provideConnection(consumer) {
      const client = await open()
      try {
        return await consumer(connection((query) => run(client, query)))
      } finally {
        client.release()
      }
    },
  }
}

async function inTransaction<Result>(
  open: () => Promise<pg.PoolClient>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  let opening: Promise<pg.PoolClient> | undefined
  let ended = false
  const begin = async () => {
    const client = await open()
    // The first statement follows at once in the same packet; were the connection gone, it would fail as well.
    client.query('begin').catch(() => {})
    return client
  }
  const only = connection(async (query) => {
    if (ended) throw new Error('A statement was run after its transaction had ended.')
    opening ??= begin()
    return run(await opening, query)
  })

  let result: Result
  try {
    result = await work(handle({ provideConnection: (consumer) => consumer(only) }))
  } catch (error) {
    ended = true
    const client = await opening?.catch(() => undefined)
    if (client)
      await client.query('rollback').then(
        () => client.release(),
        () => client.release(true),
      )
    throw error
  }
  ended = true
  if (!opening) return result
  const client = await opening
  try {
    const { command } = await client.query('commit')
    // A statement whose error was swallowed turns the commit into a rollback, without an error of its own.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error.')
  } catch (error) {
    client.release(true)
    throw error
  }
  client.release()
  return result
}

function connection(execute: <Row>(query: CompiledQuery) => ReturnType<typeof run<Row>>): DatabaseConnection {
  return {
    executeQuery: execute,
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
