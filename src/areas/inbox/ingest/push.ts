import { withProfile } from '#areas/profiles/access/profile-access.ts'
import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { type Activity, NetworkError } from '#networks/connector/connector.ts'
import { isConnected, manifestOf, type Network } from '#networks/manifests.ts'
import type { PollInstallation } from './poll-profile.job.ts'
import { cleanId, isThin } from './received.ts'
import { type OfProfile, recordActivities, subscribePush } from './record-activities.ts'
import { pollNow } from './watching.ts'

const hour = 3_600_000

/** Asks a network to push activities of a profile. Otherwise the profile is polled; the subscription is retried later. */
export const subscribePushJob = ({ pollEvery, ...installation }: PollInstallation): Job<OfProfile> =>
  job(subscribePush.name, {
    ...subscribePush,
    async run({ complete, log }, { accountId, credentialId }) {
      if (pollEvery === undefined) return
      const { database, clock, publicUrl } = installation
      const watched = await database
        .forAccount(accountId)
        .selectFrom('inboxProfiles')
        .select('network')
        .where('accountId', '=', accountId)
        .where('credentialId', '=', credentialId)
        .executeTakeFirst()
      if (!watched || !isConnected(watched.network)) return
      const callback = webhookUrl(publicUrl(), manifestOf(watched.network).code)
      const subscribe = async (): Promise<Subscription> => {
        try {
          const owner = { accountId, id: credentialId }
          const { renewBefore } = await withProfile(installation, owner, (connector, actor) =>
            connector.subscribePush(actor, callback),
          )
          return { pushRenew: renewBefore ?? null, pushError: '' }
        } catch (error) {
          const fault = error instanceof NetworkError ? error.fault : undefined
          if (!fault && !(error instanceof Refusal))
            log.error({ account: accountId, profile: credentialId, err: error }, 'asking for pushes failed')
          const pushError = (error as Error).message.slice(0, 500)
          const isNever = fault?.kind === 'permanent' && fault.why === 'unsupported'
          return { pushRenew: isNever ? null : new Date(clock.now().getTime() + hour), pushError }
        }
      }
      const subscription = await subscribe()
      await complete(accountId, (context) => writeSubscription(context, credentialId, subscription))
    },
  })

interface Subscription {
  pushRenew: Date | null
  pushError: string
}

const writeSubscription = ({ db, accountId }: Context, credentialId: string, subscription: Subscription) =>
  db
    .updateTable('inboxProfiles')
    .set(subscription)
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()

const batchSize = 200

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
    .selectFrom('pushRoutes')
    .select(['remoteId', 'account', 'credentialId'])
    .where('network', '=', network)
    .where('remoteId', 'in', [...byProfile.keys()])
    .execute()
  for (const { remoteId, account, credentialId } of addresses) {
    const pushed = byProfile.get(remoteId) ?? []
    for (let from = 0; from < pushed.length; from += batchSize) {
      const some = pushed.slice(from, from + batchSize)
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
