import type { Selectable } from 'kysely'
import type { Db } from '../database/database.ts'
import type { CallLimits } from '../database/tables.ts'

/** The row of call_limits in milliseconds; 0 where the column is null. */
export interface LimitRow {
  day: number
  dayCount: number
  dayBase: number
  blockedUntil: number
  sharedSince: number
  sharedUntil: number
  sharers: string[]
  calls: number[]
}

interface Whose {
  accountId: string
  userId: string
}

export async function readRow(db: Db, whose: Whose): Promise<LimitRow | undefined> {
  const row = await select(db, whose).executeTakeFirst()
  return row && inMilliseconds(row)
}

/** The row, made if absent, held until the transaction ends, its count starting from zero if it is of an earlier day. */
export async function lockRow(db: Db, whose: Whose, today: number): Promise<LimitRow> {
  const row = inMilliseconds(
    (await select(db, whose).forUpdate().executeTakeFirst()) ?? (await makeRow(db, whose, today)),
  )
  return row.day < today ? { ...row, day: today, dayCount: 0, dayBase: 0 } : row
}

export async function writeRow(db: Db, { accountId, userId }: Whose, row: LimitRow) {
  await db
    .updateTable('callLimits')
    .set({
      day: dayText(row.day),
      dayCount: row.dayCount,
      dayBase: row.dayBase,
      blockedUntil: moment(row.blockedUntil),
      sharedSince: moment(row.sharedSince),
      sharedUntil: moment(row.sharedUntil),
      sharers: row.sharers,
      calls: row.calls,
    })
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .execute()
}

export function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, 10)
}

async function makeRow(db: Db, whose: Whose, today: number) {
  await db
    .insertInto('callLimits')
    .values({ accountId: whose.accountId, userId: whose.userId, day: dayText(today) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return select(db, whose).forUpdate().executeTakeFirstOrThrow()
}

function select(db: Db, { accountId, userId }: Whose) {
  return db.selectFrom('callLimits').selectAll().where('accountId', '=', accountId).where('userId', '=', userId)
}

function inMilliseconds(row: Selectable<CallLimits>): LimitRow {
  return {
    day: Date.parse(row.day),
    dayCount: row.dayCount,
    dayBase: row.dayBase,
    blockedUntil: row.blockedUntil?.getTime() ?? 0,
    sharedSince: row.sharedSince?.getTime() ?? 0,
    sharedUntil: row.sharedUntil?.getTime() ?? 0,
    sharers: row.sharers,
    calls: row.calls,
  }
}

function moment(time: number): Date | null {
  return time === 0 ? null : new Date(time)
}
