import { sql } from 'kysely'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import { wantCollection } from './collect-profile.job.ts'

export const planCollection = { name: 'analytics.plan-collection', queue: 'housekeeping' } as const

/** Finds due and new profiles. */
export const planCollectionJob = ({ networks }: ProfileInstallation): Job<Record<string, never>> =>
  job(planCollection.name, {
    ...planCollection,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, (accountId) => {
        const reached = connectedNetworks.filter((network) => networks.connector(network))
        return context.transaction(accountId, (inside) => plan(inside, reached))
      }),
  })

async function plan(context: Context, networks: readonly string[]) {
  if (networks.length === 0) return
  await addProfiles(context, networks)
  const { db, accountId, now } = context
  const { rows } = await sql<{ credentialId: string }>`
    select p.credential_id from profile_metrics p
    join credentials c on c.account_id = ${accountId} and c.id = p.credential_id
    where p.account_id = ${accountId} and p.not_before <= ${now} and p.network = any (${networks})
      and c.deleted is null and c.status = 'valid'
      and (p.followers_due <= ${now} or (select m.due from post_metrics m where m.account_id = ${accountId}
        and m.credential_id = p.credential_id and m.due is not null order by m.due limit 1) <= ${now})
    order by p.not_before, p.credential_id limit ${atOnce}`.execute(db)
  for (const { credentialId } of rows) await wantCollection(context, credentialId)
}

const atOnce = 500

/** Advocates' own profiles aren't counted. */
async function addProfiles({ db, accountId, now }: Context, networks: readonly string[]) {
  await sql`
    insert into profile_metrics (account_id, credential_id, network, created, not_before, followers_due)
    select ${accountId}, c.id, c.network, ${now}, ${now}, ${now} from credentials c
    where c.account_id = ${accountId} and c.deleted is null and c.status = 'valid' and not c.board_only and c.network = any (${networks})
      and not exists (select from profile_metrics p where p.account_id = ${accountId} and p.credential_id = c.id)
    on conflict (account_id, credential_id) do nothing
    returning credential_id`.execute(db)
}
