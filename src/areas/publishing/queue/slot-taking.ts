import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import type { Weekday } from './local-time.ts'
import { queueTimezone } from './queue-timezone.ts'
import { nextFree } from './slot.ts'

/** The next free moment in the queue of a profile, strictly after `after`. Whoever asks next waits until this one is written down or given up. */
export async function takeSlot({ db, accountId }: Context, credentialId: string, after: Date): Promise<Date> {
  const profile = await db
    .selectFrom('credentials')
    .select(['displayName', queueTimezone(accountId).as('timezone')])
    .where('accountId', '=', accountId)
    .where('id', '=', credentialId)
    .modifyEnd(heldRows('credentials', 'no key update'))
    .executeTakeFirst()
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
  const name = profile?.displayName ?? credentialId
  if (slots.length === 0)
    throw conflict(`"${name}" has no queue: give it times of the week, or schedule the post for a date.`)
  const week = slots.map(({ weekday, minutes }) => ({ weekday: weekday as Weekday, minutes }))
  const moment = nextFree(
    week,
    profile?.timezone ?? 'UTC',
    after,
    new Set(taken.map(({ slot }) => slot?.getTime() ?? 0)),
  )
  if (!moment) throw conflict(`The queue of "${name}" is full for the next two years.`)
  return moment
}
