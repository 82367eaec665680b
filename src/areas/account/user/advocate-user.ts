import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { newId } from '#kernel/ids.ts'
import { accountIds } from '../declarations.ts'
import { claimEmails, idsOfEmails, normalised, releaseEmail } from './user-email.ts'

/** Users created for a board, with or without a role in the account. Boards decide on membership; this module writes the users. */

interface Person {
  /** Generated if omitted. */
  id?: string
  email: string
  firstName: string
  lastName: string
}

/** Creates missing users, without a role. */
export async function makeUsers(context: Context, people: readonly Person[]) {
  if (people.length === 0) return
  const { db, accountId, now } = context
  const wanted = people.map((person) => ({ ...person, id: person.id ?? newId(accountIds.user, now) }))
  const claimed = await claimEmails(context, wanted)
  const newcomers = wanted.filter(({ id }) => claimed.has(id))
  if (newcomers.length === 0) return
  const { rows } = await sql<{ id: string }>`
    insert into users (account_id, id, created, modified, first_name, last_name, email, media_library)
    select ${accountId}, p.id, ${now}, ${now}, p.first_name, p.last_name, p.email, false
    from unnest(${newcomers.map(({ id }) => id)}::text[], ${newcomers.map(({ firstName }) => firstName)}::text[],
      ${newcomers.map(({ lastName }) => lastName)}::text[], ${newcomers.map(({ email }) => email)}::text[]) as p (id, first_name, last_name, email)
    on conflict do nothing returning id`.execute(db)
  // If the insert conflicted with a user missing from the directory, the email address stays theirs.
  const made = new Set(rows.map(({ id }) => id))
  for (const { id, email } of newcomers) if (!made.has(id)) await releaseEmail(context, id, email)
}

/** Locks users by email address or id. Concurrent sign-ins and changes of boards wait. */
export function holdUsers({ db, accountId }: Context, emails: readonly string[], ids: readonly string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'status', normalised(sql`email`).as('address')])
    .select(sql<boolean>`password_hash is not null`.as('hasPassword'))
    .where('accountId', '=', accountId)
    .where('status', '<>', sql.lit('deleted'))
    .where(sql<boolean>`id = any (array${idsOfEmails({ accountId }, emails)} || ${ids}::text[])`)
    .orderBy('id')
    .modifyEnd(lockRows('users', 'no key update'))
    .execute()
}

const minute = 60_000

/** With a resolution of a minute. */
export const noteBoardLogin = ({ db, accountId, userId, now }: Context) =>
  db
    .updateTable('users')
    .set({ lastBoardLogin: now })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where((row) =>
      row.or([row('lastBoardLogin', 'is', null), row('lastBoardLogin', '<', new Date(now.getTime() - minute))]),
    )
    .execute()
