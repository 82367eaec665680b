import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { type Result, run, type Statement } from './statement.ts'

/** A connection together with the account it was last scoped to. */
export type AccountClient = pg.PoolClient & { account?: string | undefined }

/** A connection while it works for one account. */
export interface Scope {
  run(query: CompiledQuery): Promise<Result<unknown>>
  /** Opens a transaction, together with the next statement. */
  begin(): void
  commit(): Promise<void>
  rollBack(): Promise<void>
  release(): void
}

const setAccount = `select set_config('chorus.account_id', $1, false)`
const plain = (text: string): Statement => ({ text, values: [] })

/** Makes the connection see this account and no other; what that takes is sent in one packet with the first statement. */
export function openScope(client: AccountClient, accountId: string): Scope {
  let ahead: Statement[] = client.account === accountId ? [] : [{ text: setAccount, values: [accountId] }]
  const scoping = ahead.length > 0
  // Whatever undoes the packet or its transaction undoes the scope as well.
  const undone = () => {
    if (scoping) client.account = undefined
  }

  return {
    async run({ sql, parameters }) {
      const statements = [...ahead, { text: sql, values: parameters }]
      ahead = []
      client.account = accountId
      try {
        return await run(client, statements)
      } catch (error) {
        undone()
        throw error
      }
    },
    begin() {
      ahead = [plain('begin'), ...ahead]
    },
    async commit() {
      try {
        const { command } = await run(client, [plain('commit')])
        // A statement whose error was swallowed turns the commit into a rollback, without an error of its own.
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back by an earlier error.')
      } catch (error) {
        client.release(true)
        throw error
      }
      client.release()
    },
    async rollBack() {
      undone()
      try {
        await run(client, [plain('rollback')])
      } catch {
        // Whatever state it is in, nobody is to get this connection again.
        return client.release(true)
      }
      client.release()
    },
    release: () => client.release(),
  }
}
