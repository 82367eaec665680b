import type { CompiledQuery } from 'kysely'
import { type Db, handle } from './handle.ts'
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

/** Does the work in one transaction, which begins with the first statement: work that makes none costs nothing, unless `last` has one. */
export async function inTransaction<Result>(
  open: () => Promise<Scope>,
  work: (db: Db) => Promise<Result>,
  last: (() => CompiledQuery) | undefined,
): Promise<Result> {
  let opening: Promise<Scope> | undefined
  let latest: Promise<unknown> = Promise.resolve()
  let ended = false
  const db = handle(async (query) => {
    if (ended) throw new Error('A statement was run after its transaction had ended.')
    opening ??= open()
    const scope = await opening
    // One after the other, also when the work starts several at once.
    const result = latest.then(() => scope.run(query))
    latest = result.catch(() => {})
    return result
  })

  let result: Result
  let closing: CompiledQuery | undefined
  try {
    result = await work(db)
    closing = last?.()
  } catch (error) {
    ended = true
    const scope = await opening?.catch(() => undefined)
    await latest
    await scope?.rollBack()
    throw error
  }
  ended = true
  await latest
  if (closing) opening ??= open()
  await (await opening)?.commit(closing)
  return result
}
