import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { conflict } from '#kernel/errors.ts'
import { accountChanges } from '../declarations.ts'

/**
 * The directory of email addresses: which users can sign in with an email address, before the account is known. It also keeps email
 * addresses unique within an account.
 */

/** Assigns an email address to the user; refuses it if another user of the account has it. */
export async function claimEmail({ db, accountId }: Context, userId: string, email: string) {
  const claimed = await db
    .insertInto('userEmails')
    .values({ email: normalised(email), account: accountId, userId })
    .onConflict((on) =>
      on.columns(['email', 'account']).doUpdateSet({ userId }).where('userEmails.userId', '=', userId),
    )
    .returning('userId')
    .executeTakeFirst()
  if (!claimed) throw emailTaken(email)
}

/** Claims many email addresses in a fixed order, which prevents deadlocks; returns the users who got theirs. */
export async function claimEmails(
  { db, accountId }: Context,
  people: readonly { id: string; email: string }[],
): Promise<Set<string>> {
  const { rows } = await sql<{ userId: string }>`
    insert into user_emails (email, account, user_id)
    select distinct on (email) ${normalised(sql`p.email`)} as email, ${accountId}, p.id
    from unnest(${people.map(({ email }) => email)}::text[], ${people.map(({ id }) => id)}::text[]) as p (email, id)
    order by email
    on conflict (email, account) do nothing returning user_id`.execute(db)
  return new Set(rows.map(({ userId }) => userId))
}

export const releaseEmail = ({ db, accountId }: Context, userId: string, email: string) =>
  later(
    db,
    db
      .deleteFrom('userEmails')
      .where('email', 'in', spellings(email))
      .where('account', '=', accountId)
      .where('userId', '=', userId),
  )

/** An email address rarely belongs to more accounts; beyond this number the account has to be named. */
const mostAccounts = 10

interface Found {
  /** The normalized email address, used for comparing and counting. */
  address: string
  users: { account: string; userId: string }[]
}

/** The users who can sign in with an email address, and its normalized form. */
export async function lookUpEmail(shared: Db, email: string, accountId?: string): Promise<Found> {
  const inAccount = accountId === undefined ? sql`` : sql`and e.account = ${accountId}`
  const { rows } = await sql<{ address: string; account: string | null; userId: string }>`
    select ${normalised(email)} as address, e.account, e.user_id
    from (select) one left join user_emails e on e.email in (${sql.join(spellings(email))}) ${inAccount}
    order by e.account, e.user_id limit ${mostAccounts}::integer`.execute(shared)
  const users = rows.flatMap(({ account, userId }) => (account === null ? [] : { account, userId }))
  return { address: rows[0]?.address ?? '', users }
}

export const findByEmail = async (shared: Db, email: string, accountId?: string): Promise<Found['users']> =>
  (await lookUpEmail(shared, email, accountId)).users

/** The users of an account with these email addresses, for use with `id in`: row-level security prevents the use of their own index. */
export const idsOfEmails = ({ accountId }: Pick<Context, 'accountId'>, emails: readonly string[]) =>
  sql<string>`(select e.user_id from user_emails e where e.account = ${accountId} and e.email = any (array(
    select ${normalised(sql`given`)} from unnest(${emails}::text[]) given
    union select lower(given) from unnest(${emails}::text[]) given)))`

/**
 * The normalized form in which email addresses are stored, found and counted: NFKC, then lower case. Computed only in the database, because
 * JavaScript's lower case differs for some letters.
 */
export const normalised = (email: string | ReturnType<typeof sql>) =>
  sql<string>`lower(normalize(${typeof email === 'string' ? sql`${email}::text` : email}, NFKC))`

/**
 * Includes the form of former versions: two users of one account whose email addresses differ only in normalization are both still found.
 */
const spellings = (email: string) => [normalised(email), sql<string>`lower(${email}::text)`]

export const emailTaken = (email: string) => conflict(`A user with the email address ${email} exists already.`)

/** Notifies clients that show users. Without an id: an advocate is visible only to users of their boards. */
export const notifyUsersChanged = ({ notifyChange }: Pick<Context, 'notifyChange'>) =>
  notifyChange({ kind: accountChanges.user, id: null, parent: null, scope: null })
