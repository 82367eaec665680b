import { withProfile } from '#areas/profiles/access/profile-access.ts'
import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { isConnected, manifestOf } from '#networks/manifests.ts'
import type { PollInstallation } from './poll-profile.job.ts'
import { type OfProfile, subscribePush } from './record-activities.ts'

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
      const subscribe = async (): Promise<Subscribed> => {
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
      const subscribed = await subscribe()
      await complete(accountId, (context) => keep(context, credentialId, subscribed))
    },
  })

interface Subscribed {
  pushRenew: Date | null
  pushError: string
}

const keep = ({ db, accountId }: Context, credentialId: string, subscribed: Subscribed) =>
  db
    .updateTable('inboxProfiles')
    .set(subscribed)
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .execute()
