import type { CompiledQuery, QueryResult } from 'kysely'
import pg from 'pg'
import { camelName } from './names.ts'

/** Runs one statement, prepared under a name on each connection, its columns named as the code names them. */
export function run<Row>(client: pg.ClientBase, { sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const name = statementName(sql)
    const config = { text: sql, values: parameters as unknown[], ...(name && { name }) }
    const statement = new Statement(config, undefined, (error: Error | null, result: pg.QueryResult) => {
      if (error) return reject(error)
      const affected = result.command === 'SELECT' ? undefined : BigInt(result.rowCount ?? 0)
      resolve({ rows: result.rows as Row[], ...(affected !== undefined && { numAffectedRows: affected }) })
    })
    client.query(statement as unknown as pg.Submittable)
  })
}

interface RowDescription {
  fields: { name: string }[]
}

/** Renames the columns once per result, where a plugin would rename every key of every row. */
const DriverQuery = pg.Query as unknown as new (
  ...args: unknown[]
) => { handleRowDescription(message: RowDescription): void }
class Statement extends DriverQuery {
  override handleRowDescription(message: RowDescription) {
    for (const field of message.fields) field.name = camelName(field.name)
    super.handleRowDescription(message)
  }
}

/** List filters make many texts; past this many a text is parsed by the server each time. */
const maximumNames = 1000
const statementNames = new Map<string, string>()

function statementName(sql: string): string | undefined {
  const known = statementNames.get(sql)
  if (known || statementNames.size >= maximumNames) return known
  const name = `s${statementNames.size}`
  statementNames.set(sql, name)
  return name
}
