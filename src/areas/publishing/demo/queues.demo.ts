import type { Context } from '#kernel/context.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import type { Weekday } from '../queue/slot.ts'
import { queueTimezone, slotMoments } from '../queue/slot.ts'
import type { DemoPost } from './post-table.demo.ts'

/** On weekdays at 09:00 and 14:30. */
const week = ([1, 2, 3, 4, 5] satisfies Weekday[]).flatMap((weekday) =>
  [9 * 60, 14 * 60 + 30].map((minutes) => ({ weekday, minutes })),
)

export type DemoProfile = Awaited<ReturnType<typeof seedQueues>>[number]

/** Creates a queue for every profile that can publish and returns these profiles. */
export async function seedQueues({ db, accountId }: Context) {
  const profiles = await db
    .selectFrom('credentials')
    .select([
      'id',
      'network',
      'kind',
      'networkAccountId',
      'networkUsername',
      'status',
      queueTimezone(accountId).as('timezone'),
    ])
    .where('accountId', '=', accountId)
    .where('network', 'in', connectedNetworks)
    .where('deleted', 'is', null)
    .orderBy('id')
    .execute()
  const rows = profiles.flatMap(({ id: credentialId }) => week.map((slot) => ({ accountId, credentialId, ...slot })))
  if (rows.length > 0) await db.insertInto('queueSlots').values(rows).execute()
  return profiles
}

/** The first working profiles of the post's network. */
export const profilesFor = (profiles: readonly DemoProfile[], { message, profiles: most }: DemoPost) =>
  profiles.filter(({ network, status }) => network === message.network && status === 'valid').slice(0, most)

/** Takes the slots of each queue in order, starting after the given time. */
export function placesIn(profiles: readonly DemoProfile[], after: Date): (credentialId: string) => Date {
  const places = new Map(profiles.map(({ id, timezone }) => [id, slotMoments(week, timezone, after)]))
  return (credentialId) => places.get(credentialId)?.next().value as Date
}
