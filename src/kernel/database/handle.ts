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
import { snakeName } from './names.ts'
import type { Result } from './statement.ts'
import type { DB } from './tables.ts'

/** The one database handle in scope: it sees one account and, inside a transaction, is that transaction. */
export type Db = Kysely<DB>

/** A query builder whose queries are run by this function. */
export function handle(execute: (query: CompiledQuery) => Promise<Result<unknown>>): Db {
  const only = connection(execute)
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(only) }
  return new Kysely<DB>({ config, dialect, driver, executor: new DefaultQueryExecutor(compiler, adapter, provider) })
}

function connection(execute: (query: CompiledQuery) => Promise<Result<unknown>>): DatabaseConnection {
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
