import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

/** The directory of who signs in with which address. It follows the users, and says nothing but where to look. */
export const noteEmail = ({ db, accountId }: Context, userId: string, email: string) =>
  db
    .insertInto('userEmails')
    .values({ email: lower(email), account: accountId, userId })
    .onConflict((on) => on.columns(['email', 'account']).doUpdateSet({ userId }))
    .execute()

export const forgetEmail = ({ db, accountId }: Context, email: string) =>
  db.deleteFrom('userEmails').where('email', '=', lower(email)).where('account', '=', accountId).execute()

/** An address belongs to few accounts; of more than these, one has to name the account. */
const mostAccounts = 10

export function findByEmail(shared: Db, email: string, accountId?: string) {
  let found = shared.selectFrom('userEmails').select(['account', 'userId']).where('email', '=', lower(email))
  if (accountId !== undefined) found = found.where('account', '=', accountId)
  return found.orderBy('account').limit(mostAccounts).execute()
}

/** The users of an account with these addresses, to be found by `id in`: row security keeps their own index from being used. */
export const idsOfEmails = ({ accountId }: Pick<Context, 'accountId'>, emails: readonly string[]) =>
  sql<string>`(select e.user_id from user_emails e where e.account = ${accountId}
    and e.email = any (array(select lower(given) from unnest(${emails}::text[]) given)))`

/** As the index of users spells it: the database alone decides which letters are the same. */
const lower = (email: string) => sql<string>`lower(${email})`
