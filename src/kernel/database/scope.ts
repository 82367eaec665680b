import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { Refusal } from '../errors.ts'
import type { PooledConnection } from './connection-pool.ts'
import { isRefused, type Result, run, type Statement } from './statement/statement.ts'

const scopeTo = (accountId: string): Statement => ({
  text: `select set_config('chorus.account_id', $1, false)`,
  values: [accountId],
})
const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/** On a cluster only SET LOCAL is propagated to the nodes of a transaction. */
const scopeOnNodes = (accountId: string): Statement => ({
  text: `set local chorus.account_id = ${pg.escapeLiteral(accountId)}`,
  values: [],
  once: true,
})

/** Runs one statement that sees only this account; if the connection was scoped to another account, it is switched in the same packet. */
export async function runScoped(loan: PooledConnection, accountId: string, { sql, parameters }: CompiledQuery) {
  const { client, deadline, isCluster } = loan
  const statement = { text: sql, values: parameters }
  if (isCluster) return runOnNodes(loan, accountId, statement)
  if (client.account === accountId) return run<unknown>(client, [statement], deadline)
  // Unknown until the packet succeeds: an error that rolls it back also reverts the scope.
  client.account = undefined
  const result = await run<unknown>(client, [scopeTo(accountId), statement], deadline)
  client.account = accountId
  return result
}

/** Tables without an account are on the coordinator or are queried on all nodes: neither needs the scope. */
async function runOnNodes({ client, deadline }: PooledConnection, accountId: string, statement: Statement) {
  if (accountId === '') return run<unknown>(client, [statement], deadline)
  const wanted = 2
  try {
    return await run<unknown>(client, [begin, scopeOnNodes(accountId), statement, commit], deadline, wanted)
  } catch (error) {
    if (error instanceof pg.DatabaseError) await run(client, [rollback], deadline)
    if (lostCommit.test((error as Error).message)) unsettled(error)
    throw error
  }
}

/** The message of a cluster that lost a node during a commit. */
const lostCommit = /could not commit transaction/

/** A connection for the duration of one transaction. */
export interface Scope {
  /** Returns the result of the last one. */
  run(queries: readonly CompiledQuery[]): Promise<Result<unknown>>
  /** Commits after these statements, in the same packet. */
  commit(queries: readonly CompiledQuery[]): Promise<void>
  rollBack(): Promise<void>
}

/** Opens a transaction that sees only this account; it begins in one packet with its first statement. */
export function openScope(loan: PooledConnection, accountId: string): Scope {
  const { client, deadline, isCluster } = loan
  const known = client.account === accountId
  let ahead = isCluster ? [begin, scopeOnNodes(accountId)] : known ? [begin] : [begin, scopeTo(accountId)]
  if (!known) client.account = undefined
  const statementsOf = (queries: readonly CompiledQuery[]) => {
    const statements = [...ahead, ...queries.map(({ sql, parameters }) => ({ text: sql, values: parameters }))]
    ahead = []
    return statements
  }
  const rollBack = async () => {
    try {
      await run(client, [rollback], deadline)
    } catch {
      // The state of the connection is unknown, so it is not reused.
      return loan.release(true)
    }
    loan.release()
  }

  return {
    run: (queries) => run(client, statementsOf(queries), deadline),
    async commit(queries) {
      try {
        const { command } = await run(client, [...statementsOf(queries), commit], deadline).catch(unsettled)
        // After a swallowed statement error, COMMIT performs a rollback without raising an error.
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error.')
      } catch (error) {
        // A statement that failed before the commit leaves the transaction open.
        if (queries.length > 0 && error instanceof pg.DatabaseError) await rollBack()
        else loan.release(true)
        throw error
      }
      client.account = accountId
      loan.release()
    },
    rollBack,
  }
}

/** Only the server itself can report that a commit failed; without its response the outcome is unknown. */
function unsettled(error: unknown): never {
  if (isRefused(error)) throw error
  const sentence =
    'The database did not tell whether the change was made. Look before you repeat it, or repeat it with the same Idempotency-Key: then it is made once.'
  throw new Refusal('unavailable', sentence, { retryAfter: 5, cause: error })
}
