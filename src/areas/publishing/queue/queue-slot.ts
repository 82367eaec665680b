import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { publishingQuotas } from '../declarations.ts'
import { dayLength, momentAt, type Weekday, wallAt } from './local-time.ts'

const maxPerDay = 24

/** The weekly slots of a profile's queue, in the time zone of the user who connected it. */
export async function list(context: Context, { id }: { id: string }) {
  const profile = await profiles(context).where('id', '=', id).executeTakeFirst()
  if (!profile) throw missing('Credential')
  const items = await slotsOf(context, id)
  return { items, total: items.length, timezone: profile.timezone }
}

interface Week {
  id: string
  slots: readonly { weekday: number; time: number }[]
}

/** Replaces the slots. Posts that are already queued keep their time. */
export async function replace(context: Context, { id, slots }: Week) {
  const { db, accountId } = context
  // Serializes with other transactions that take a slot or change the week.
  const profile = await profiles(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('credentials', 'no key update'))
    .executeTakeFirst()
  if (!profile) throw missing('Credential')
  const week = new Map(slots.map((slot) => [`${slot.weekday} ${slot.time}`, slot]))
  const rows = [...week.values()].map(({ weekday, time: minutes }) => ({
    accountId,
    credentialId: id,
    weekday,
    minutes,
  }))
  for (const { weekday } of rows)
    if (rows.filter((row) => row.weekday === weekday).length > maxPerDay)
      throw invalid(`slots must not hold more than ${maxPerDay} times for one day.`)
  await db.deleteFrom('queueSlots').where('accountId', '=', accountId).where('credentialId', '=', id).execute()
  await reserveQuota(
    context,
    publishingQuotas.queueSlots,
    db.selectFrom('queueSlots').where('accountId', '=', accountId),
    rows.length,
  )
  if (rows.length > 0) await db.insertInto('queueSlots').values(rows).execute()
  return list(context, { id })
}

const slotsOf = ({ db, accountId }: Context, credentialId: string) =>
  db
    .selectFrom('queueSlots')
    .select(['weekday', 'minutes as time'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .orderBy('weekday')
    .orderBy('minutes')
    .execute()

const profiles = ({ db, accountId }: Context) =>
  db
    .selectFrom('credentials')
    .select(queueTimezone(accountId).as('timezone'))
    .where('accountId', '=', accountId)
    .where('deleted', 'is', null)

/** The next free slot of a profile's queue, strictly after `after`. Concurrent callers wait until this transaction ends. */
export async function takeSlot({ db, accountId }: Context, credentialId: string, after: Date): Promise<Date> {
  const profile = await db
    .selectFrom('credentials')
    .select(['displayName', queueTimezone(accountId).as('timezone')])
    .where('accountId', '=', accountId)
    .where('id', '=', credentialId)
    .modifyEnd(lockRows('credentials', 'no key update'))
    .executeTakeFirst()
  const { week, taken } = await queueOf({ db, accountId }, credentialId, after)
  const name = profile?.displayName ?? credentialId
  if (week.length === 0)
    throw conflict(`"${name}" has no queue: give it times of the week, or schedule the post for a date.`)
  const moment = nextFree(week, profile?.timezone ?? 'UTC', after, taken)
  if (!moment) throw conflict(`The queue of "${name}" is full for the next two years.`)
  return moment
}

interface FreeSlotsOptions {
  id: string
  after?: Date | undefined
  count?: number | undefined
}

const defaultCount = 10

/** The next free slots of a profile's queue right now; they are not reserved. */
export async function freeSlots(context: Context, { id, after = context.now, count = defaultCount }: FreeSlotsOptions) {
  const { db, accountId, now } = context
  const profile = await db
    .selectFrom('credentials')
    .select(queueTimezone(accountId).as('timezone'))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .executeTakeFirst()
  if (!profile) throw missing('Credential')
  const from = after < now ? now : after
  const { week, taken } = await queueOf(context, id, from)
  const slots = nextFrees(week, profile.timezone, from, taken, count)
  return { slots, timezone: profile.timezone, hasQueue: week.length > 0 }
}

/** The weekly slots, and the times that are taken. */
async function queueOf({ db, accountId }: Pick<Context, 'db' | 'accountId'>, credentialId: string, after: Date) {
  const slots = await db
    .selectFrom('queueSlots')
    .select(['weekday', 'minutes'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()
  const takenTimes = await db
    .selectFrom('sends')
    .select('slot')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('slot', '>', after)
    .execute()
  return {
    week: slots.map(({ weekday, minutes }) => ({ weekday: weekday as Weekday, minutes })),
    taken: new Set(takenTimes.map(({ slot }) => slot?.getTime() ?? 0)),
  }
}

/** The time zone of a profile's queue: that of the user who connected it. For statements on credentials. */
export const queueTimezone = (accountId: string) => sql<string>`coalesce((
  select u.timezone from users u where u.account_id = ${accountId} and u.id = credentials.created_by), 'UTC')`

/** A weekly publishing slot, in minutes after midnight, local time. */
export interface Slot {
  weekday: Weekday
  /** 0 to 1439. */
  minutes: number
}

/** The times of the slots strictly after `after`, in order and without duplicates; infinite unless there are no slots. */
export function* slotMoments(slots: readonly Slot[], timezone: string, after: Date): Generator<Date> {
  const week = weekOf(slots)
  let last = after.getTime()
  // Starting today is enough: local times up to now denote moments that have passed.
  for (let day = Math.floor(wallAt(last, timezone) / dayLength); slots.length > 0; day++) {
    const times = week[new Date(day * dayLength).getUTCDay()] ?? []
    if (times.length === 0 || !exists(day, timezone)) continue
    for (const minutes of times) {
      const moment = momentAt(day * dayLength + minutes * minuteLength, timezone)
      // Times are in order, so comparing with the last one finds slots that fall on the same moment.
      if (moment <= last) continue
      last = moment
      yield new Date(moment)
    }
  }
}

/** The first moment that is not taken (`getTime()`); undefined without slots or if two years are full. */
export const nextFree = (
  slots: readonly Slot[],
  timezone: string,
  after: Date,
  takenTimes: ReadonlySet<number>,
): Date | undefined => nextFrees(slots, timezone, after, takenTimes, 1)[0]

/** The first free moments, at most those of two years. */
export function nextFrees(
  slots: readonly Slot[],
  timezone: string,
  after: Date,
  takenTimes: ReadonlySet<number>,
  count: number,
): Date[] {
  const end = after.getTime() + twoYears
  const free: Date[] = []
  for (const moment of slotMoments(slots, timezone, after)) {
    if (moment.getTime() > end) break
    if (!takenTimes.has(moment.getTime())) free.push(moment)
    if (free.length === count) break
  }
  return free
}

const minuteLength = 60 * 1000
const twoYears = 2 * 366 * dayLength

/** Sorted times by weekday. */
function weekOf(slots: readonly Slot[]): number[][] {
  const week: number[][] = [[], [], [], [], [], [], []]
  for (const { weekday, minutes } of slots) {
    const times = week[weekday]
    if (!times || !Number.isInteger(minutes) || minutes < 0 || minutes > 1439) {
      throw invalid('A slot has a weekday from 0 (Sunday) to 6 and whole minutes after midnight from 0 to 1439.')
    }
    times.push(minutes)
  }
  for (const times of week) times.sort((one, other) => one - other)
  return week
}

/** Whether the day exists in the zone: Samoa skipped 30 December 2011. */
const exists = (day: number, timezone: string) =>
  wallAt(momentAt(day * dayLength, timezone), timezone) < (day + 1) * dayLength
