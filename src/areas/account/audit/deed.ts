import { CompiledQuery, sql } from 'kysely'
import { type Db, later } from '#kernel/database/database.ts'
import type { RecordDeed } from '#kernel/deed.ts'
import { idAt, newId } from '#kernel/ids.ts'

const hour = 60 * 60 * 1000

/** Ready as it stands: every change has one, and putting its text together each time takes as long as checking what was sent. */
const insertion = `insert into deeds (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

/** Writes down what somebody did; what names nothing concerns the account itself. */
export const recordDeed: RecordDeed = (doer, { operation, fields }, { id, count }) => {
  const { db, accountId, userId, via, visitor, now } = doer
  const who = [accountId, newId('deed', now), now, userId, via?.by, via?.id, visitor?.address ?? '']
  return later(db, CompiledQuery.raw(insertion, [...who, operation, id ?? accountId, fields, count ?? 1]))
}

/** As the log names what people do to get in and out, by whichever page or call. */
export const signInOperations = {
  signIn: 'POST /app/api/session',
  signOut: 'DELETE /app/api/session',
  reset: 'POST /app/api/password-reset/choice',
  invitation: 'POST /app/api/invitation/choice',
} as const

/** Of one user in an hour: whoever guesses on and on adds nothing that an admin does not see already. */
const mostRefused = 20

/** Writes down that somebody tried to sign in as a user, with a password that was wrong. */
export const recordRefusedSignIn = (
  db: Db,
  { accountId, userId, address, now }: { accountId: string; userId: string; address: string; now: Date },
) =>
  sql`
    insert into deeds (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count, refused)
    select ${accountId}, ${newId('deed', now)}, ${now}, ${userId}, 'password', '', ${address}, ${signInOperations.signIn}, ${userId}, '{}', 1, true
    where (select count(*) from (
      select from deeds where account_id = ${accountId} and user_id = ${userId} and refused
      and id > ${idAt('deed', new Date(now.getTime() - hour))} limit ${mostRefused}::integer) lately) < ${mostRefused}::integer
    returning id`.execute(db)
