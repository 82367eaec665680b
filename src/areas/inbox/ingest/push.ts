import { change, systemActor } from '#kernel/change.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Activity } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { cleanId, isThin } from './received.ts'
import { recordActivities } from './record-activities.ts'
import { pollNow } from './watching.ts'

const atOnce = 200

/** Stores pushed activities for every account the profile is connected in, before responding to the network. */
export async function storePush(installation: Installation, network: Network, activities: readonly Activity[]) {
  const { database, clock } = installation
  const byProfile = new Map<string, Activity[]>()
  for (const activity of activities) {
    const remoteId = cleanId(activity.actorRemoteId)
    if (remoteId !== undefined) byProfile.set(remoteId, added(byProfile.get(remoteId), activity))
  }
  if (byProfile.size === 0) return
  const addresses = await database.shared
    .selectFrom('pushAddresses')
    .select(['remoteId', 'account', 'credentialId'])
    .where('network', '=', network)
    .where('remoteId', 'in', [...byProfile.keys()])
    .execute()
  for (const { remoteId, account, credentialId } of addresses) {
    const pushed = byProfile.get(remoteId) ?? []
    for (let from = 0; from < pushed.length; from += atOnce) {
      const some = pushed.slice(from, from + atOnce)
      await change(installation, systemActor(account, clock.now()), async (context) => {
        await recordActivities(
          context,
          { credentialId },
          some.filter((activity) => !isThin(activity)),
        )
        if (some.some(isThin)) await pollNow(context, credentialId)
      })
    }
  }
}

function added<Item>(list: Item[] = [], item: Item): Item[] {
  list.push(item)
  return list
}
