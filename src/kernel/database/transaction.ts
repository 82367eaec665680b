import type { CompiledQuery } from 'kysely'
import { type Db, handle } from './handle.ts'
import { gatherLast } from './lastly.ts'
import { followLocks } from './lock-watch.ts'
import type { Scope } from './scope.ts'

const retryable = new Set(['40001', '40P01'])

/** Runs a transaction, and again when the database gave it up for the sake of another. */
export async function attempt<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction()
    } catch (error) {
      if (tries === 3 || !retryable.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}

/** Does the work in one transaction, which begins with the first statement: work that makes none costs nothing. */
export async function inTransaction<Result>(
  open: () => Promise<Scope>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  let opening: Promise<Scope> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let ended = false
  // Statements that nobody waits for, until there is one to go with.
  let waiting: CompiledQuery[] = []
  const follow = followLocks()
  const note = ({ sql }: CompiledQuery) => {
    if (ended) throw new Error('A statement was run after its transaction had ended.')
    follow?.(sql)
  }
  const db = handle(
    async (query) => {
      note(query)
      const queries = [...waiting, query]
      waiting = []
      opening ??= open()
      const scope = await opening
      // One after the other, also when the work starts several at once.
      const result = last.then(() => scope.run(queries))
      last = result.catch(() => {})
      return result
    },
    (query) => {
      note(query)
      waiting.push(query)
    },
  )

  const writeLast = gatherLast(db)
  let result: Result
  try {
    result = await work(db)
    await writeLast()
  } catch (error) {
    ended = true
    const scope = await opening?.catch(() => undefined)
    await last
    await scope?.rollBack()
    throw error
  }
  ended = true
  await last
  if (waiting.length > 0) opening ??= open()
  await (await opening)?.commit(waiting)
  return result
}
