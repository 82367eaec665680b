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
import type { Result } from './statement/statement.ts'
import { followStatement, snakeName } from './statement/statement.ts'
import type { DB } from './tables.ts'

/** The single database handle in scope: it sees one account and, inside a transaction, is that transaction. */
export type Db = Kysely<DB>

type Execute = (query: CompiledQuery) => Promise<Result<unknown>>
type Add = (query: CompiledQuery) => void

/** A query builder whose queries run through `execute`; queries without an awaited result are passed to `add`, if there is one. */
export function handle(execute: Execute, add?: Add): Db {
  const only = connection(execute)
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(only) }
  const executor = new DefaultQueryExecutor(compiler, adapter, provider)
  return new Handle({ config, dialect, driver, executor }, execute, add)
}

class Handle extends Kysely<DB> {
  readonly run: Execute
  readonly add: Add | undefined

  constructor(parts: ConstructorParameters<typeof Kysely<DB>>[0], run: Execute, add: Add | undefined) {
    super(parts)
    this.run = run
    this.add = add
  }
}

/** Runs a compiled statement: the query builder's own way to the connection takes several times as long. */
export async function rowsOf<Row>(db: Db, query: CompiledQuery): Promise<Row[]> {
  followStatement(query.sql, query.parameters)
  return (await (db as Handle).run(query)).rows as Row[]
}

/**
 * Runs a statement whose result is not needed. In a transaction it is sent with the next statement or the commit, which saves a round trip.
 * If it fails, that statement fails.
 */
export async function later(db: Db, query: CompiledQuery | { compile(db: Db): CompiledQuery }): Promise<void> {
  const { add } = db as Handle
  const compiled = 'compile' in query ? query.compile(db) : query
  if (!add) await db.executeQuery(compiled)
  else {
    followStatement(compiled.sql, compiled.parameters)
    add(compiled)
  }
}

function connection(execute: Execute): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      followStatement(query.sql, query.parameters)
      const { rows, command, affected } = await execute(query)
      return command === 'SELECT' ? { rows: rows as Row[] } : { rows: rows as Row[], numAffectedRows: BigInt(affected) }
    },
    streamQuery() {
      throw new Error('Streaming goes through COPY.')
    },
  }
}

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
