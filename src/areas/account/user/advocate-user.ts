import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { newId } from '#kernel/ids.ts'
import { idsOfEmails } from './user-email.ts'

/** Users who are there for a board: with a role of the account or without one. Boards decide who they are; here they are written. */

interface Person {
  /** A new one unless told. */
  id?: string
  email: string
  firstName: string
  lastName: string
}

/** Sees to it that everybody has a user, without a role where they had none at all. */
export async function makeUsers(context: Context, people: readonly Person[]) {
  if (people.length === 0) return
  const { db, accountId, now } = context
  // In one order, so that two who make the same wait in one direction.
  const sorted = [...people].sort((one, other) => (one.email.toLowerCase() < other.email.toLowerCase() ? -1 : 1))
  const { rows } = await sql<{ id: string; email: string }>`
    insert into users (account_id, id, created, modified, first_name, last_name, email, media_library)
    select ${accountId}, p.id, ${now}, ${now}, p.first_name, p.last_name, p.email, false
    from unnest(${sorted.map(({ id }) => id ?? newId('user', now))}::text[], ${sorted.map(({ firstName }) => firstName)}::text[],
      ${sorted.map(({ lastName }) => lastName)}::text[], ${sorted.map(({ email }) => email)}::text[]) as p (id, first_name, last_name, email)
    on conflict do nothing returning id, email`.execute(db)
  if (rows.length === 0) return
  await later(
    db,
    sql`
      insert into user_emails (email, account, user_id)
      select lower(p.email), ${accountId}, p.id
      from unnest(${rows.map(({ email }) => email)}::text[], ${rows.map(({ id }) => id)}::text[]) as p (email, id)
      on conflict (email, account) do update set user_id = excluded.user_id returning user_id`,
  )
}

/** Everybody with these addresses or ids, held: who leaves, comes in or joins another board meanwhile waits. */
export function holdUsers({ db, accountId }: Context, emails: readonly string[], ids: readonly string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'status', sql<string>`lower(email)`.as('address')])
    .select(sql<boolean>`password_hash is not null`.as('hasPassword'))
    .where('accountId', '=', accountId)
    .where('status', '<>', sql.lit('deleted'))
    .where(sql<boolean>`id = any (array${idsOfEmails({ accountId }, emails)} || ${ids}::text[])`)
    .orderBy('id')
    .modifyEnd(heldRows('users', 'no key update'))
    .execute()
}

const minute = 60_000

/** When somebody was last at a board, to the minute. */
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
