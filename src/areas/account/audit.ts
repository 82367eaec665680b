import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { RecordAuditEntry } from '#kernel/audit-entry.ts'
import type { Via } from '#kernel/caller.ts'
import { day, hour } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { invalid } from '#kernel/errors.ts'
import { idAt, isId, newId } from '#kernel/ids.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { accountIds } from './declarations.ts'

interface Search {
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
 * The audit log, latest first, from the cursor of the previous page. Every filter has an index that ends in the time-ordered id, so a page
 * costs the same however large the log is.
 */
export async function list({ db, accountId }: Context, search: Search) {
  const count = search._count ?? usualCount
  const matching = sql.join([sql`account_id = ${accountId}`, ...conditions(search)], sql` and `)
  // One extra row shows whether there is another page.
  const most = sql`${count + 1}::integer`
  const page = (more: RawBuilder<unknown>) =>
    sql`select *, ${nameOfUser(accountId)} from audit_log where ${matching}${more} order by id desc limit ${most}`
  const found = search.operation?.length
    ? sql<Row>`select of_one.* from unnest(${search.operation}::text[]) as wanted (operation)
        cross join lateral (${page(sql` and audit_log.operation = wanted.operation`)}) of_one
        order by of_one.id desc limit ${most}`
    : (page(sql``) as RawBuilder<Row>)
  const { rows } = await found.execute(db)
  const items = rows.slice(0, count)
  return { items, next: rows.length > count ? (items.at(-1)?.id ?? null) : null }
}

/** Evaluated only for the rows of the page. */
const nameOfUser = (accountId: string) => sql`coalesce((
  select name from users u where u.account_id = ${accountId} and u.id = audit_log.user_id), '') as user_name`

function conditions({ userId, id, via, from, to, _after }: Search): RawBuilder<unknown>[] {
  if (_after && !isId(accountIds.auditEntry, _after)) throw invalid('_after must be the Next of another page.')
  const all: (RawBuilder<unknown> | false | '' | undefined)[] = [
    userId && sql`user_id = ${userId}`,
    id && sql`entity_id = ${id}`,
    // A literal that matches the condition of the partial index, so that cached plans can use it.
    via && sql`via = ${sql.lit(via)}`,
    from && sql`id >= ${idAt(accountIds.auditEntry, from)}`,
    to && sql`id < ${idAt(accountIds.auditEntry, to)}`,
    _after && sql`id < ${_after}`,
  ]
  return all.filter((one) => one !== false && one !== '' && one !== undefined)
}

/** Prepared text: every change writes an entry, and building the statement each time takes as long as validating the request. */
const insertion = `insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

/** Writes an audit entry; without an entity id it refers to the account. */
export const recordAuditEntry: RecordAuditEntry = (doer, { operation, fields }, { id, count }) => {
  const { db, accountId, userId, via, visitor, now } = doer
  const values = [accountId, newId(accountIds.auditEntry, now), now, userId, via?.by, via?.id, visitor?.address ?? '']
  return later(db, CompiledQuery.raw(insertion, [...values, operation, id ?? accountId, fields, count ?? 1]))
}

/** The operation names for signing in and out, whichever page or endpoint was used. */
export const signInOperations = {
  signIn: 'POST /app/api/session',
  signOut: 'DELETE /app/api/session',
  reset: 'POST /app/api/password-reset/choice',
  invitation: 'POST /app/api/invitation/choice',
  boardInvitation: 'POST /app/api/board/invitation',
  boardEntry: 'POST /app/api/board/entry',
} as const

/** Per user and hour: further entries would give an admin no new information. */
const mostRefused = 20

/** Records a sign-in attempt with a wrong password. */
export const recordRefusedSignIn = (
  db: Db,
  { accountId, userId, address, now }: { accountId: string; userId: string; address: string; now: Date },
) =>
  sql`
    insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count, refused)
    select ${accountId}, ${newId(accountIds.auditEntry, now)}, ${now}, ${userId}, 'password', '', ${address}, ${signInOperations.signIn}, ${userId}, '{}', 1, true
    where (select count(*) from (
      select from audit_log where account_id = ${accountId} and user_id = ${userId} and refused
      and id > ${idAt(accountIds.auditEntry, new Date(now.getTime() - hour))} limit ${mostRefused}::integer) lately) < ${mostRefused}::integer
    returning id`.execute(db)

const batchSize = 5_000

export const deleteOldAuditEntries = { name: 'account.delete-old-audit-entries', queue: 'housekeeping' } as const

/** Deletes audit entries older than the configured retention, in small transactions. */
export const deleteOldAuditEntriesJob = (days: number): Job<Record<string, never>> =>
  job(deleteOldAuditEntries.name, {
    ...deleteOldAuditEntries,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (id) => {
        let deleted = batchSize
        while (deleted === batchSize && !context.signal.aborted)
          deleted = await context.transaction(id, (inside) => forget(inside, days))
      }),
  })

/**
 * Deletes the oldest entries and returns their number. The service's database role has no delete permission on the log: a function of the
 * owner does it.
 */
async function forget({ db, accountId, now }: Context, days: number): Promise<number> {
  const before = idAt(accountIds.auditEntry, new Date(now.getTime() - days * day))
  const { rows } = await sql<{ gone: number }>`
    select chorus_delete_audit_entries(${accountId}, ${before}, ${batchSize}::integer) as gone`.execute(db)
  return rows[0]?.gone ?? 0
}
