import { type Insertable, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { AccountLimits, Context } from '../context.ts'
import { assume, type Db } from '../database/database.ts'
import { lockFreeRows, lockRows } from '../database/locks.ts'
import { type PreparedStatement, prepared } from '../database/prepared.ts'
import type { DB } from '../database/tables.ts'
import { Refusal } from '../errors.ts'

/** Maximum number of objects of a kind per account. The area that owns them declares it. */
export interface Quota {
  readonly name: string
  /** Default limit, which the operator can override. */
  readonly standard: number
  /** Noun in messages: "media assets". */
  readonly things: string
  /** Advice for users once the limit is reached. */
  readonly remedy: string
}

export const quotas = <const Declared extends { readonly [name: string]: Omit<Quota, 'name'> }>(
  declared: Declared,
): { readonly [name in keyof Declared]: Quota } =>
  Object.fromEntries(Object.entries(declared).map(([name, quota]) => [name, { name, ...quota }])) as never

export const limitOf = ({ accountLimits }: Pick<Context, 'accountLimits'>, { name, standard }: Quota): number =>
  accountLimits[name] ?? standard

const largestLimit = 1_000_000_000

/** Parses the operator's setting: `tags=10000,webhooks=200`. */
export function readAccountLimits(text: string, known: readonly Quota[]): AccountLimits {
  const given: { [quota: string]: number } = {}
  const names = known.map(({ name }) => name)
  for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', number = ''] = entry.split('=').map((part) => part.trim())
    if (!names.includes(name)) throw new Error(`names "${name}"; it can name ${names.join(', ')}`)
    if (!/^\d{1,10}$/.test(number) || Number(number) > largestLimit)
      throw new Error(`must give ${name} a whole number from 0 to ${largestLimit}`)
    given[name] = Number(number)
  }
  return given
}

/** The account has reached the limit of a quota. */
export class QuotaExceeded extends Refusal {
  override name = 'QuotaExceeded'
  constructor({ name, things, remedy }: Quota, limit: number) {
    const setting = `${name} in CHORUS_ACCOUNT_LIMITS`
    super(
      'conflict',
      `An account can have ${limit} ${things}, and this one has them. ${remedy}, or ask the operator to raise ${setting}.`,
    )
  }
}

/** The inputs of a reservation: a transaction, the account and its limits. */
export type QuotaContext = Pick<Context, 'db' | 'accountId' | 'accountLimits'>

/**
 * Reserves quota for new objects in the transaction that creates them; refuses if the limit is reached. `existing` selects the objects that
 * count. The limit holds under any concurrency.
 * Each creation increments one of several counter shards and locks it until the commit; deletions don't decrement. So the shards never
 * count less than there is. If all shards are locked, a creation waits for one of them. Only if they are full are all of them locked, until
 * no other transaction is creating objects, and the objects themselves are counted.
 */
export async function reserveQuota<DB, Table extends keyof DB, Row>(
  context: QuotaContext,
  quota: Quota,
  existing: SelectQueryBuilder<DB, Table, Row>,
  more = 1,
): Promise<void> {
  if (more === 0 || (await increment(context, quota, more))) return
  await recount(context, quota, existing, more, more)
}

/** The slow path, if no shard could be incremented at once. Some of the objects to reserve for may already be among the existing ones. */
async function recount<DB, Table extends keyof DB, Row>(
  context: QuotaContext,
  quota: Quota,
  existing: SelectQueryBuilder<DB, Table, Row>,
  more: number,
  pending: number,
): Promise<void> {
  if (await incrementWaiting(context, quota, more)) return
  await lockShards(context, quota)
  // Another transaction may have recounted while this one waited.
  if (await increment(context, quota, more)) return
  const limit = limitOf(context, quota)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${existing.clearSelect().limit(limit + 1)}) things`.execute(context.db)
  const total = (rows[0]?.count ?? 0) + pending
  if (total > limit) throw new QuotaExceeded(quota, limit)
  await setShards(context, quota, total)
}

/** Number of concurrent creations of one kind in one account that don't wait for each other. */
const shardCount = 16

/** A shard that has not been counted yet admits nothing. */
const uncounted = 2_000_000_000

/** Each shard has its share of the limit; the first ones get one more if it doesn't divide evenly. */
interface Shares {
  each: number
  rest: number
}

const sharesOf = (limit: number): Shares => ({ each: Math.floor(limit / shardCount), rest: limit % shardCount })
const shareOfPart = ({ each, rest }: Shares) => sql`(${each}::integer + (part < ${rest}::integer)::integer)`
const sharesBefore = ({ each, rest }: Shares) => sql`(${each}::integer * part + least(part, ${rest}::integer))`

/** The part of a statement that increments a shard: `room` has a row if it did. Locked shards are skipped. */
export const incrementQuery = (context: QuotaContext, quota: Quota, more: number): RawBuilder<unknown> =>
  shardIncrement({ accountId: context.accountId, kind: quota.name, ...sharesOf(limitOf(context, quota)) }, more)

const shardIncrement = ({ accountId, kind, ...shares }: Shares & { accountId: string; kind: string }, more: number) =>
  sql`room as (
      update account_usage u set used = u.used + ${more}::integer where u.account_id = ${accountId} and u.kind = ${kind} and u.part = (
        select part from account_usage where account_id = ${accountId} and kind = ${kind} and used + ${more}::bigint <= ${shareOfPart(shares)}
        order by part limit 1 ${lockFreeRows('accountUsage', 'no key update')})
      returning u.part)`

async function increment(context: QuotaContext, quota: Quota, more: number): Promise<boolean> {
  const { rows } = await sql`with ${incrementQuery(context, quota, more)} select part from room`.execute(context.db)
  return rows.length > 0
}

/** Increments a shard that has room, after the transaction that holds it. Taking all shards instead would make every following one do the same. */
async function incrementWaiting({ db, accountId, accountLimits }: QuotaContext, quota: Quota, more: number) {
  const share = shareOfPart(sharesOf(limitOf({ accountLimits }, quota)))
  const { rows: open } = await sql<{ part: number }>`
    select part from account_usage where account_id = ${accountId} and kind = ${quota.name} and used + ${more}::bigint <= ${share}`.execute(
    db,
  )
  // Spread over the shards, because others wait for them as well.
  const part = open[Math.floor(Math.random() * open.length)]?.part
  if (part === undefined) return false
  const { rows } = await sql`
    update account_usage set used = used + ${more}::integer
    where account_id = ${accountId} and kind = ${quota.name} and part = ${part} and used + ${more}::bigint <= ${share} returning part`.execute(
    db,
  )
  return rows.length > 0
}

/** Waits for all transactions that are creating objects of the kind, and blocks new ones until the commit. */
async function lockShards({ db, accountId }: QuotaContext, quota: Quota) {
  await sql`
    insert into account_usage (account_id, kind, part, used)
    select ${accountId}, ${quota.name}, part, ${uncounted}::integer from generate_series(0, ${shardCount - 1}::integer) part
    on conflict do nothing returning part`.execute(db)
  await sql`
    select from account_usage where account_id = ${accountId} and kind = ${quota.name} order by part ${lockRows('accountUsage', 'no key update')}`.execute(
    db,
  )
}

async function setShards(context: QuotaContext, quota: Quota, total: number) {
  const { db, accountId } = context
  const shares = sharesOf(limitOf(context, quota))
  await sql`
    update account_usage set used = least(${shareOfPart(shares)}, greatest(0, ${total}::integer - ${sharesBefore(shares)}))
    where account_id = ${accountId} and kind = ${quota.name}`.execute(db)
}

/**
 * Creates an object and reserves its quota in one statement, for objects that are created often. If quota appears to be missing, `existing`
 * is evaluated and quota reserved afterwards; a refusal rolls back the transaction and the object with it.
 */
export async function insertWithin<Table extends keyof DB, Counted extends keyof DB, Row>(
  context: QuotaContext,
  quota: Quota,
  existing: () => SelectQueryBuilder<DB, Counted, Row>,
  { into, row }: { into: Table; row: Insertable<DB[Table]> },
): Promise<Selectable<DB[Table]>> {
  const [made] = await insertions(into).read.rows(context.db, reservedRow(context, quota, row))
  if (!made?.hasRoom) await recount(context, quota, existing(), 1, 0)
  return made as unknown as Selectable<DB[Table]>
}

/**
 * The same for an object whose row is complete, as the last step of a change: its statement is sent in one packet with the audit entry and the
 * commit. It assumes that there is quota; if not, the change is repeated with `insertWithin`.
 */
export async function insertLastWithin<Table extends keyof DB, Counted extends keyof DB, Row>(
  context: QuotaContext & Pick<Context, 'attempt'>,
  quota: Quota,
  existing: () => SelectQueryBuilder<DB, Counted, Row>,
  { into, row }: { into: Table; row: Selectable<DB[Table]> & Insertable<DB[Table]> },
): Promise<Selectable<DB[Table]>> {
  if (context.attempt > 1) return insertWithin(context, quota, existing, { into, row })
  await insertions(into).assume.later(context.db, reservedRow(context, quota, row))
  return row
}

/** A row with the values of its reservation. */
function reservedRow(context: QuotaContext, quota: Quota, row: object): Reservation {
  const { each, rest } = sharesOf(limitOf(context, quota))
  return { ...row, quotaName: quota.name, quotaAccount: context.accountId, quotaEach: each, quotaRest: rest }
}

interface Reservation {
  quotaName: string
  quotaAccount: string
  quotaEach: number
  quotaRest: number
}

interface Insertions {
  /** Returns the row, and whether there was quota for it. */
  read: PreparedStatement<Reservation, { hasRoom: boolean }>
  assume: PreparedStatement<Reservation, unknown>
}

const insertionsByTable = new Map<keyof DB, Insertions>()

function insertions(table: keyof DB): Insertions {
  const known = insertionsByTable.get(table)
  if (known) return known
  const insertion = (db: Db, { quotaName, quotaAccount, quotaEach, quotaRest, ...row }: Reservation) => {
    const shard = { accountId: quotaAccount, kind: quotaName, each: quotaEach, rest: quotaRest }
    return sql`with ${shardIncrement(shard, 1)}, made as (${db
      .insertInto(table)
      .values(row as never)
      .returningAll()})`
  }
  const hasRoom = sql`exists (select from room)`
  const made = {
    read: prepared(
      (db, values: Reservation) =>
        sql<{ hasRoom: boolean }>`${insertion(db, values)} select made.*, ${hasRoom} as has_room from made`,
    ),
    assume: prepared(
      (db, values: Reservation) => sql`${insertion(db, values)} select ${assume(hasRoom, sql`made.id`)} from made`,
    ),
  }
  insertionsByTable.set(table, made)
  return made
}
