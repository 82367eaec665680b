import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { type Result, run, type Statement } from './statement.ts'

/** A connection together with the account it was last scoped to. */
export type AccountClient = pg.PoolClient & { account?: string | undefined }

const scopeTo = (accountId: string): Statement => ({
  text: `select set_config('chorus.account_id', $1, false)`,
  values: [accountId],
})
const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/** Runs one statement that sees this account and no other; a connection that changes hands is told so in the same packet. */
export async function runScoped(client: AccountClient, accountId: string, { sql, parameters }: CompiledQuery) {
  const statement = { text: sql, values: parameters }
  if (client.account === accountId) return run<unknown>(client, [statement])
  // Unknown until it worked: what undoes the packet undoes the scope as well.
  client.account = undefined
  const result = await run<unknown>(client, [scopeTo(accountId), statement])
  client.account = accountId
  return result
}

/** A connection for the length of one transaction. */
export interface Scope {
  run(query: CompiledQuery): Promise<Result<unknown>>
  commit(): Promise<void>
  rollBack(): Promise<void>
}

/** Opens a transaction that sees this account and no other; it begins in one packet with its first statement. */
export function openScope(client: AccountClient, accountId: string): Scope {
  const known = client.account === accountId
  let ahead = known ? [begin] : [begin, scopeTo(accountId)]
  if (!known) client.account = undefined

  return {
    run({ sql, parameters }) {
      const statements = [...ahead, { text: sql, values: parameters }]
      ahead = []
      return run(client, statements)
    },
    async commit() {
      try {
        const { command } = await run(client, [commit])
        // A statement whose error was swallowed turns the commit into a rollback, without an error of its own.
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error.')
      } catch (error) {
        client.release(true)
        throw error
      }
      client.account = accountId
      client.release()
    },
    async rollBack() {
      try {
        await run(client, [rollback])
      } catch {
        // Whatever state it is in, nobody is to get this connection again.
        return client.release(true)
      }
      client.release()
    },
  }
}
