import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { RecordAuditEntry } from '#kernel/audit-entry.ts'
import type { Via } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { invalid } from '#kernel/errors.ts'
import { idAt, isId, newId } from '#kernel/ids.ts'
import { accountIds } from '../declarations.ts'

export interface Wish {
  userId?: string | undefined
  operation?: readonly string[] | undefined
  id?: string | undefined
  via?: Via['by'] | undefined
  from?: Date | undefined
  to?: Date | undefined
  _after?: string | undefined
  _count?: number | undefined
}

interface Row {
  id: string
  created: Date
  userId: string
  userName: string
  via: Via['by']
  viaId: string
  address: string
  operation: string
  entityId: string
  fields: string[]
  count: number
  refused: boolean
}

const usualCount = 50

/**
 * What was done in the account, the latest first, from where the page before it ended. Each filter has an index that ends in the id,
 * which is in the order of time: a page costs what it shows, however much there is.
 */
export async function list({ db, accountId }: Context, wish: Wish) {
  const count = wish._count ?? usualCount
  const matching = sql.join([sql`account_id = ${accountId}`, ...conditions(wish)], sql` and `)
  // One more tells whether there is another page.
  const most = sql`${count + 1}::integer`
  const page = (more: RawBuilder<unknown>) =>
    sql`select *, ${nameOfUser(accountId)} from deeds where ${matching}${more} order by id desc limit ${most}`
  const found = wish.operation?.length
    ? sql<Row>`select of_one.* from unnest(${wish.operation}::text[]) as wanted (operation)
        cross join lateral (${page(sql` and deeds.operation = wanted.operation`)}) of_one
        order by of_one.id desc limit ${most}`
    : (page(sql``) as RawBuilder<Row>)
  const { rows } = await found.execute(db)
  const items = rows.slice(0, count)
  return { items, next: rows.length > count ? (items.at(-1)?.id ?? null) : null }
}

/** Asked for what is shown alone. */
const nameOfUser = (accountId: string) => sql`coalesce((
  select name from users u where u.account_id = ${accountId} and u.id = deeds.user_id), '') as user_name`

function conditions({ userId, id, via, from, to, _after }: Wish): RawBuilder<unknown>[] {
  if (_after && !isId(accountIds.auditEntry, _after)) throw invalid('_after must be the Next of another page.')
  const all: (RawBuilder<unknown> | false | '' | undefined)[] = [
    userId && sql`user_id = ${userId}`,
    id && sql`entity_id = ${id}`,
    // Spelled out, as the index spells its own condition, so that kept plans can use it.
    via && sql`via = ${sql.lit(via)}`,
    from && sql`id >= ${idAt(accountIds.auditEntry, from)}`,
    to && sql`id < ${idAt(accountIds.auditEntry, to)}`,
    _after && sql`id < ${_after}`,
  ]
  return all.filter((one) => one !== false && one !== '' && one !== undefined)
}

const hour = 60 * 60 * 1000

/** Ready as it stands: every change has one, and putting its text together each time takes as long as checking what was sent. */
const insertion = `insert into deeds (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

/** Writes down what somebody did; what names nothing concerns the account itself. */
export const recordAuditEntry: RecordAuditEntry = (doer, { operation, fields }, { id, count }) => {
  const { db, accountId, userId, via, visitor, now } = doer
  const who = [accountId, newId(accountIds.auditEntry, now), now, userId, via?.by, via?.id, visitor?.address ?? '']
  return later(db, CompiledQuery.raw(insertion, [...who, operation, id ?? accountId, fields, count ?? 1]))
}

/** As the log names what people do to get in and out, by whichever page or call. */
export const signInOperations = {
  signIn: 'POST /app/api/session',
  signOut: 'DELETE /app/api/session',
  reset: 'POST /app/api/password-reset/choice',
  invitation: 'POST /app/api/invitation/choice',
  boardInvitation: 'POST /app/api/board/invitation',
  boardEntry: 'POST /app/api/board/entry',
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
    select ${accountId}, ${newId(accountIds.auditEntry, now)}, ${now}, ${userId}, 'password', '', ${address}, ${signInOperations.signIn}, ${userId}, '{}', 1, true
    where (select count(*) from (
      select from deeds where account_id = ${accountId} and user_id = ${userId} and refused
      and id > ${idAt(accountIds.auditEntry, new Date(now.getTime() - hour))} limit ${mostRefused}::integer) lately) < ${mostRefused}::integer
    returning id`.execute(db)
