import type { Context } from '#kernel/context.ts'
import { announcer } from '#kernel/database/announcer.ts'
import type { Database } from '#kernel/database/database.ts'

/** Does something in an account on the operator's behalf, in one transaction, with an admin's rights. */
export function asSystem<Result>(
  database: Database,
  accountId: string,
  now: Date,
  work: (context: Context) => Promise<Result>,
) {
  return database.transaction(accountId, (db) => {
    const { announce } = announcer(db)
    return work({ db, accountId, userId: '', role: 'admin', now, announce })
  })
}
