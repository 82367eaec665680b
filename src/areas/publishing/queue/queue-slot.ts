import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { queueTimezone } from './queue-timezone.ts'

const mostPerDay = 24

/** When the queue of a profile sends: the times of the week on the clock of whoever connected it. */
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

/** Gives the queue exactly these times. What stands in it already keeps the moment it was given. */
export async function replace(context: Context, { id, slots }: Week) {
  const { db, accountId } = context
  // Who takes a place, or changes the week as well, waits.
  const held = await profiles(context)
    .where('id', '=', id)
    .modifyEnd(heldRows('credentials', 'no key update'))
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
  await reserveQuota(context, 'queueSlots', db.selectFrom('queueSlots').where('accountId', '=', accountId), rows.length)
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
