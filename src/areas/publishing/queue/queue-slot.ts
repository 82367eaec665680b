import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { publishingQuotas } from '../declarations.ts'
import { nextFree, nextFrees, queueTimezone, type Weekday } from './slot.ts'

const mostPerDay = 24

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
  const held = await profiles(context)
    .where('id', '=', id)
    .modifyEnd(lockRows('credentials', 'no key update'))
    .executeTakeFirst()
  if (!held) throw missing('Credential')
  const week = new Map(slots.map((slot) => [`${slot.weekday} ${slot.time}`, slot]))
  const rows = [...week.values()].map(({ weekday, time: minutes }) => ({
    accountId,
    credentialId: id,
    weekday,
    minutes,
  }))
  for (const { weekday } of rows)
    if (rows.filter((row) => row.weekday === weekday).length > mostPerDay)
      throw invalid(`slots must not hold more than ${mostPerDay} times for one day.`)
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

interface Looking {
  id: string
  after?: Date | undefined
  count?: number | undefined
}

const usualCount = 10

/** The next free slots of a profile's queue right now; they are not reserved. */
export async function freeSlots(context: Context, { id, after = context.now, count = usualCount }: Looking) {
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
  const taken = await db
    .selectFrom('sends')
    .select('slot')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('slot', '>', after)
    .execute()
  return {
    week: slots.map(({ weekday, minutes }) => ({ weekday: weekday as Weekday, minutes })),
    taken: new Set(taken.map(({ slot }) => slot?.getTime() ?? 0)),
  }
}
