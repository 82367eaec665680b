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

/** On a cluster: what is set for the length of a transaction is told to every node it comes to, and nothing else is. */
const scopeOnNodes = (accountId: string): Statement => ({
  text: `set local chorus.account_id = ${pg.escapeLiteral(accountId)}`,
  values: [],
  once: true,
})

/** Runs one statement that sees this account and no other; a connection that changes hands is told so in the same packet. */
export async function runScoped(loan: PooledConnection, accountId: string, { sql, parameters }: CompiledQuery) {
  const { client, deadline, isCluster } = loan
  const statement = { text: sql, values: parameters }
  if (isCluster) return runOnNodes(loan, accountId, statement)
  if (client.account === accountId) return run<unknown>(client, [statement], deadline)
  // Unknown until it worked: what undoes the packet undoes the scope as well.
  client.account = undefined
  const result = await run<unknown>(client, [scopeTo(accountId), statement], deadline)
  client.account = accountId
  return result
}

/** What belongs to no account lies with the coordinator, or is asked of all nodes: neither needs to know of one. */
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

/** What a cluster says when it lost a node in the middle of a commit. */
const lostCommit = /could not commit transaction/

/** A connection for the length of one transaction. */
export interface Scope {
  /** Gives the result of the last one. */
  run(queries: readonly CompiledQuery[]): Promise<Result<unknown>>
  /** After these, in the same packet. */
  commit(queries: readonly CompiledQuery[]): Promise<void>
  rollBack(): Promise<void>
}

/** Opens a transaction that sees this account and no other; it begins in one packet with its first statement. */
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
      // Whatever state it is in, nobody is to get this connection again.
      return loan.release(true)
    }
    loan.release()
  }

  return {
    run: (queries) => run(client, statementsOf(queries), deadline),
    async commit(queries) {
      try {
        const { command } = await run(client, [...statementsOf(queries), commit], deadline).catch(unsettled)
        // A statement whose error was swallowed turns the commit into a rollback, without an error of its own.
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error.')
      } catch (error) {
        // What was refused before it came to the commit leaves the transaction open.
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

/** Only the server itself can say that a commit failed; where its answer is missing, nobody knows. */
function unsettled(error: unknown): never {
  if (isRefused(error)) throw error
  const sentence =
    'The database did not tell whether the change was made. Look before you repeat it, or repeat it with the same Idempotency-Key: then it is made once.'
  throw new Refusal('unavailable', sentence, { retryAfter: 5, cause: error })
}
