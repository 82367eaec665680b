import { sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { connectedNetworks } from '#networks/manifests.ts'
import type { PollInstallation } from './poll-profile.job.ts'
import { enqueuePoll, enqueueSubscription } from './record-activities.ts'

/** Starts watching connected profiles, or polls them again immediately. */
export async function watchConnected(
  context: Context,
  events: readonly Emitted<{ credentialId: string; boardOnly: boolean }>[],
) {
  const ids = events.filter(({ data }) => !data.boardOnly).map(({ data }) => data.credentialId)
  if (ids.length > 0) await watch(context, ids)
}

/** Stops watching removed profiles; their unprocessed activities are dropped. */
export async function stopWatching({ db, accountId }: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  const ids = events.map(({ data }) => data.credentialId)
  await sql`update inbox_activities set state = 'refused', activity = null, reason = 'The profile was disconnected.'
    where account_id = ${accountId} and credential_id = any (${ids}) and state in ('new', 'waiting')`.execute(db)
  const stopped = await db
    .deleteFrom('inboxProfiles')
    .where('accountId', '=', accountId)
    .where('credentialId', 'in', ids)
    .returning(['credentialId'])
    .execute()
  if (stopped.length === 0) return
  await db.deleteFrom('pushRoutes').where('account', '=', accountId).where('credentialId', 'in', ids).execute()
}

export const watchProfiles = { name: 'inbox.watch-profiles', queue: 'housekeeping' } as const

const minute = 60_000

/** Finds profiles that should be watched but aren't: those connected before the inbox existed, and those with a lost job. */
export const watchProfilesJob = ({ pollEvery }: Pick<PollInstallation, 'pollEvery'>): Job<Record<string, never>> =>
  job(watchProfiles.name, {
    ...watchProfiles,
    timeout: 600_000,
    async run(context) {
      if (pollEvery === undefined) return
      const lostBefore = new Date(context.now.getTime() - 5 * minute)
      await forEachAccount(context, async (accountId) => {
        while (
          !context.signal.aborted &&
          (await context.transaction(accountId, (inside) => watchMissing(inside, lostBefore)))
        );
      })
    },
  })

/** Watches profiles without a running poll. Returns how many were started. */
async function watchMissing(context: Context, lostBefore: Date): Promise<number> {
  const { db, accountId, now } = context
  const { rows } = await sql<{ id: string }>`
    select c.id from credentials c
    left join inbox_profiles p on p.account_id = ${accountId} and p.credential_id = c.id
    where c.account_id = ${accountId} and c.deleted is null and not c.board_only and c.status = 'valid'
      and c.network = any (${[...connectedNetworks]}) and p.credential_id is null
    order by c.id limit ${atOnce}`.execute(db)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await watch(context, ids)
  const lost = await db
    .selectFrom('inboxProfiles')
    .select('credentialId')
    .where('accountId', '=', accountId)
    .where('nextPoll', '<', lostBefore)
    .orderBy('nextPoll')
    .limit(atOnce)
    .execute()
  for (const { credentialId } of lost) await enqueuePoll(context, credentialId, now)
  const renewals = await db
    .selectFrom('inboxProfiles')
    .select('credentialId')
    .where('accountId', '=', accountId)
    .where('pushRenew', '<=', now)
    .limit(atOnce)
    .execute()
  for (const { credentialId } of renewals) await enqueueSubscription(context, credentialId)
  return ids.length
}

const atOnce = 500

async function watch(context: Context, ids: readonly string[]) {
  const { db, accountId, now } = context
  const watched = await sql<{ credentialId: string; network: string }>`
    insert into inbox_profiles (account_id, credential_id, network, created, next_poll, push_renew)
    select ${accountId}, c.id, c.network, ${now}, ${now}, ${now} from credentials c
    where c.account_id = ${accountId} and c.id = any (${ids}) and c.network = any (${[...connectedNetworks]})
    on conflict (account_id, credential_id) do update
      set next_poll = excluded.next_poll, push_renew = excluded.push_renew, failures = 0, error = '', push_error = ''
    returning credential_id, network`.execute(db)
  if (watched.rows.length === 0) return
  const remote = await db
    .selectFrom('credentials')
    .select(['id', 'network', 'networkAccountId'])
    .where('accountId', '=', accountId)
    .where(
      'id',
      'in',
      watched.rows.map(({ credentialId }) => credentialId),
    )
    .orderBy('id')
    .execute()
  await db
    .insertInto('pushRoutes')
    .values(
      remote.map(({ id, network, networkAccountId }) => ({
        network,
        remoteId: networkAccountId,
        account: accountId,
        credentialId: id,
      })),
    )
    .onConflict((on) =>
      on
        .columns(['network', 'remoteId', 'account'])
        .doUpdateSet((row) => ({ credentialId: row.ref('excluded.credentialId') })),
    )
    .execute()
  for (const { credentialId } of watched.rows) {
    await enqueuePoll(context, credentialId, now)
    await enqueueSubscription(context, credentialId)
  }
}

/** Polls immediately: the network reported activity without its content. */
export async function pollNow(context: Context, credentialId: string) {
  const { db, accountId, now } = context
  const hurried = await db
    .updateTable('inboxProfiles')
    .set({ nextPoll: now })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('failures', '=', 0)
    .returning('credentialId')
    .executeTakeFirst()
  if (hurried) await enqueuePoll(context, credentialId, now)
}
