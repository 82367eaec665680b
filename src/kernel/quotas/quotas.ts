import { type InsertQueryBuilder, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Context } from '../context.ts'
import { freeRows, heldRows } from '../database/locks.ts'
import type { DB } from '../database/tables.ts'
import { Refusal } from '../errors.ts'
import { fullSentence, type LimitedKind } from './account-limits.ts'

/** The account has as many as it may have. */
export class QuotaExceeded extends Refusal {
  override name = 'NoRoom'
  constructor(kind: LimitedKind, limit: number) {
    super('conflict', fullSentence(kind, limit))
  }
}

/** What is needed to make room: a transaction, whose, and how much there may be. */
export type QuotaContext = Pick<Context, 'db' | 'accountId' | 'accountLimits'>

/**
 * Makes sure that the account may have so many more of a kind, in the transaction that makes them; refuses otherwise. `existing`
 * selects what counts. However many ask at the same moment, no more are made than the limit allows.
 *
 * Whoever makes something counts up one of several parts, and holds it until the commit; deleting counts nothing down. So the parts
 * never say less than there is. Only where they seem to be full are all of them held, until nobody else is making anything, and the
 * things themselves are counted.
 */
export async function reserveQuota<DB, Table extends keyof DB, Row>(
  context: QuotaContext,
  kind: LimitedKind,
  existing: SelectQueryBuilder<DB, Table, Row>,
  more = 1,
): Promise<void> {
  if (more === 0 || (await countUp(context, kind, more))) return
  await countAnew(context, kind, existing, more, more)
}

/** The slow way, where the parts seem to be full. Of those that are to be counted, some may be among the existing already. */
async function countAnew<DB, Table extends keyof DB, Row>(
  context: QuotaContext,
  kind: LimitedKind,
  existing: SelectQueryBuilder<DB, Table, Row>,
  more: number,
  notThereYet: number,
): Promise<void> {
  await holdParts(context, kind)
  // Somebody may have counted while this one waited.
  if (await countUp(context, kind, more)) return
  const limit = context.accountLimits[kind]
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (${existing.clearSelect().limit(limit + 1)}) things`.execute(context.db)
  const total = (rows[0]?.count ?? 0) + notThereYet
  if (total > limit) throw new QuotaExceeded(kind, limit)
  await setParts(context, kind, total)
}

/** So many can make something of one kind in one account at the same moment without waiting for each other. */
const parts = 16

/** A part that nobody has counted for yet lets nobody in. */
const uncounted = 2_000_000_000

/** Each part has its share of the limit; those before the rest that does not divide have one more. */
function sharesOf(limit: number) {
  const [each, rest] = [Math.floor(limit / parts), limit % parts]
  return {
    share: sql`(${each}::integer + (part < ${rest}::integer)::integer)`,
    before: sql`(${each}::integer * part + least(part, ${rest}::integer))`,
  }
}

/** The part of a statement that counts up: `room` has a row if it did. Whoever is in the way is passed by. */
export function countingUp(
  { accountId, accountLimits }: QuotaContext,
  kind: LimitedKind,
  more: number,
): RawBuilder<unknown> {
  const { share } = sharesOf(accountLimits[kind])
  return sql`room as (
      update account_usage u set used = u.used + ${more}::integer where u.account_id = ${accountId} and u.kind = ${kind} and u.part = (
        select part from account_usage where account_id = ${accountId} and kind = ${kind} and used + ${more}::bigint <= ${share}
        order by part limit 1 ${freeRows('accountUsage', 'no key update')})
      returning u.part)`
}

async function countUp(context: QuotaContext, kind: LimitedKind, more: number): Promise<boolean> {
  const { rows } = await sql`with ${countingUp(context, kind, more)} select part from room`.execute(context.db)
  return rows.length > 0
}

/** Waits for all who are making something of the kind, and keeps others from it until the commit. */
async function holdParts({ db, accountId }: QuotaContext, kind: LimitedKind) {
  await sql`
    insert into account_usage (account_id, kind, part, used)
    select ${accountId}, ${kind}, part, ${uncounted}::integer from generate_series(0, ${parts - 1}::integer) part
    on conflict do nothing returning part`.execute(db)
  await sql`
    select from account_usage where account_id = ${accountId} and kind = ${kind} order by part ${heldRows('accountUsage', 'no key update')}`.execute(
    db,
  )
}

async function setParts({ db, accountId, accountLimits }: QuotaContext, kind: LimitedKind, total: number) {
  const { share, before } = sharesOf(accountLimits[kind])
  await sql`
    update account_usage set used = least(${share}, greatest(0, ${total}::integer - ${before}))
    where account_id = ${accountId} and kind = ${kind}`.execute(db)
}

/**
 * Makes one thing and room for it in one statement: for what is made often and by a single statement. Where room seems to be missing
 * `existing` is asked for, and room looked for afterwards; a refusal undoes the transaction and the thing with it.
 */
export async function insertWithin<Into extends keyof DB, Made, Table extends keyof DB, Row>(
  context: QuotaContext,
  kind: LimitedKind,
  existing: () => SelectQueryBuilder<DB, Table, Row>,
  insert: InsertQueryBuilder<DB, Into, Made>,
): Promise<Made> {
  const { rows } = await sql<Made & { hasRoom: boolean }>`
    with ${countingUp(context, kind, 1)}, made as (${insert})
    select made.*, exists (select from room) as has_room from made`.execute(context.db)
  const [made] = rows as [Made & { hasRoom: boolean }]
  if (!made.hasRoom) await countAnew(context, kind, existing(), 1, 0)
  return made
}
