import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { conflict } from '#kernel/errors.ts'
import { accountChanges } from '../declarations.ts'

/**
 * The directory of email addresses: which users can sign in with an address, asked before the account is known. It also keeps addresses
 * unique within an account.
 */

/** Makes an address the user's; refuses it while another user of the account has it. */
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

/** Claims many addresses in one order, so that two who claim the same wait in one direction; gives the users who got theirs. */
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

/** An address belongs to few accounts; of more than these, one has to name the account. */
const mostAccounts = 10

interface Found {
  /** The address as it is compared and counted everywhere. */
  address: string
  users: { account: string; userId: string }[]
}

/** Who can sign in with an address, and the address in the one form in which it is compared. */
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

/** The users of an account with these addresses, to be found by `id in`: row security keeps their own index from being used. */
export const idsOfEmails = ({ accountId }: Pick<Context, 'accountId'>, emails: readonly string[]) =>
  sql<string>`(select e.user_id from user_emails e where e.account = ${accountId} and e.email = any (array(
    select ${normalised(sql`given`)} from unnest(${emails}::text[]) given
    union select lower(given) from unnest(${emails}::text[]) given)))`

/**
 * The one form in which addresses are stored, found and counted: NFKC, then lower case. Only the database computes it, because JavaScript's
 * lower case is another one for some letters.
 */
export const normalised = (email: string | ReturnType<typeof sql>) =>
  sql<string>`lower(normalize(${typeof email === 'string' ? sql`${email}::text` : email}, NFKC))`

/** Beside it the form of former versions: two users of one account whose addresses differed only there are both still found. */
const spellings = (email: string) => [normalised(email), sql<string>`lower(${email}::text)`]

export const emailTaken = (email: string) => conflict(`A user with the email address ${email} exists already.`)

/** Tells those who look at people that somebody is another than before. Not who: an advocate is seen by those of their boards alone. */
export const notifyUsersChanged = ({ notifyChange }: Pick<Context, 'notifyChange'>) =>
  notifyChange({ kind: accountChanges.user, id: null, parent: null, scope: null })
