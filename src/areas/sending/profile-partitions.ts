import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { accountFilter } from '#kernel/database/across-accounts.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, type DeferredWrite, deferWrite } from '#kernel/database/deferred-writes.ts'
import { notifyDue } from '#kernel/jobs/due-accounts.ts'
import { claimPartitions, type PartitionTable, readWakes, releasePartition } from '#kernel/jobs/partitions.ts'
import { type AccountLoad, type ClaimResult, findAccountsWithMore } from '#kernel/jobs/scheduler.ts'

/** Every profile is a partition: its sends are made one at a time, in order, by one process. */
export const profilePartitions: PartitionTable = {
  name: 'profilePartitions',
  key: 'credential',
  dueWork: (until) => sql`
    select account, '' as kind, greatest(due, not_before) as due from profile_partitions
    where worker is null and fence >= 0 and due <= ${until} and (not_before is null or not_before <= ${until})`,
}

/** Notifies of accounts with profiles that have sends due soon. */
export const sendsChannel = 'chorus_sends'

interface ProfileWake {
  credential: string
  network: string
  due: Date
}

interface AccountWake extends ProfileWake {
  accountId: string
  now: Date
}

/** Makes profiles due in the transaction that adds sends for them; written right before the commit, in a fixed lock order. */
export const wakeProfiles = (
  { db, accountId, now }: Pick<Context, 'accountId' | 'now'> & { db: Db },
  wakes: readonly ProfileWake[],
) =>
  deferWrite(
    db,
    wakeStep,
    wakes.map((wake) => ({ ...wake, accountId, now })),
  )

const wakeStep: DeferredWrite<AccountWake> = {
  order: 1,
  async write(db, wakes) {
    for (const [accountId, own] of byAccount(wakes)) await writeWakes(db, accountId, earliestPerProfile(own))
  },
}

/** Sorted by profile, which is the lock order. */
function earliestPerProfile(wakes: readonly AccountWake[]): AccountWake[] {
  const earliest = new Map<string, AccountWake>()
  for (const wake of wakes) {
    const known = earliest.get(wake.credential)
    if (!known || wake.due < known.due) earliest.set(wake.credential, wake)
  }
  return [...earliest.values()].sort((one, other) => (one.credential < other.credential ? -1 : 1))
}

async function writeWakes(db: Db, accountId: string, profiles: readonly AccountWake[]) {
  const upsert = sql`
    insert into profile_partitions (credential, account, network, due)
    select credential, ${accountId}, network, due from unnest(${profiles.map((one) => one.credential)}::text[],
      ${profiles.map((one) => one.network)}::text[], ${profiles.map((one) => one.due)}::timestamptz[]) as w (credential, network, due)
    on conflict (account, credential) do update set wakes = profile_partitions.wakes + 1, due = least(profile_partitions.due, excluded.due)
    returning credential`
  await later(db, upsert)
  const due = new Date(Math.min(...profiles.map((one) => one.due.getTime())))
  const now = new Date(Math.max(...profiles.map((one) => one.now.getTime())))
  await notifyDue(db, sendsChannel, now, { kind: '', account: accountId, due })
}

/** A profile that only this process sends for, until it releases it or loses its lease. */
export interface ProfileClaim {
  credential: string
  account: string
  fence: number
  wakes: number
}

interface ClaimOptions {
  worker: string
  now: Date
  count: number
  /** Profiles of one account that may be served at a time. */
  maxPerAccount: number
  accounts: readonly AccountLoad[]
}

/** Candidates selected per profile wanted, since other processes may lock some of them. */
const overfetch = 2

/**
 * Claims profiles with due sends. Accounts with the fewest profiles being served come first, then those waiting longest. Profiles that a
 * network has throttled are skipped.
 */
export async function claimProfiles(db: Db, options: ClaimOptions): Promise<ClaimResult<ProfileClaim>> {
  const { worker, now, count, maxPerAccount } = options
  const accounts = options.accounts.map(({ account }) => account)
  const served = options.accounts.map(({ running }) => running)
  const query = sql`
    select account, id, '' as kind from (
      select first.*, served + row_number() over (partition by first.account order by first.due, first.id) as level
      from unnest(${accounts}::text[], ${served}::int[]) as load (owner, served)
      cross join lateral (
        select account, credential as id, due from profile_partitions
        where ${accountFilter(accounts)} and account = owner and worker is null and due <= ${now}
          and (not_before is null or not_before <= ${now})
          and network not in (select network from network_publishing_pauses where until > ${now})
        order by due, credential limit least(${maxPerAccount} - served, ${count * overfetch})) first) levelled
    order by level, due, id limit ${count * overfetch}`
  const partitions = { worker, accounts, candidates: query, count }
  const { candidates, claimed } = await claimPartitions(db, profilePartitions, partitions)
  return {
    claims: claimed.map(({ account, id: credential, fence, wakes }) => ({ account, credential, fence, wakes })),
    accountsWithMore: findAccountsWithMore({
      accounts: options.accounts,
      maxPerAccount,
      candidates,
      claimed,
      isTruncated: candidates.length >= count * overfetch,
    }),
  }
}

const heldBy = (worker: string, { account, credential: id, fence }: ProfileClaim) => ({ account, id, worker, fence })

/** Releases a profile and returns when it is due again; undefined if sends were added since `wakes` was read, or if it was lost. */
export const releaseProfile = (db: Db, worker: string, claim: ProfileClaim) =>
  releasePartition(db, profilePartitions, heldBy(worker, claim), {
    wakes: claim.wakes,
    set: sql`due = (
      select due from sends where account_id = ${claim.account} and credential_id = ${claim.credential} and due is not null
      order by due limit 1)`,
  })

/** Undefined when another process holds the profile. */
export const readProfileWakes = (db: Db, worker: string, claim: ProfileClaim) =>
  readWakes(db, profilePartitions, heldBy(worker, claim))

/** The network throttled this profile. */
export const throttleProfile = (db: Db, account: string, credential: string, until: Date) =>
  db
    .updateTable('profilePartitions')
    .set({ notBefore: until })
    .where('account', '=', account)
    .where('credential', '=', credential)
    .execute()

/** The network throttled our app, and with it all profiles. */
export const throttleNetwork = (db: Db, network: string, until: Date) =>
  sql`insert into network_publishing_pauses (network, until) values (${network}, ${until})
      on conflict (network) do update set until = greatest(network_publishing_pauses.until, excluded.until)`.execute(db)

/** Until when the network must not be called for a profile; undefined if it is not throttled. */
export async function throttledUntil(
  db: Db,
  { accountId, id, network }: { accountId: string; id: string; network: string },
  now: Date,
): Promise<Date | undefined> {
  const profile = await db
    .selectFrom('profilePartitions')
    .select('notBefore as until')
    .where('account', '=', accountId)
    .where('credential', '=', id)
    .where('notBefore', '>', now)
    .executeTakeFirst()
  const hold = await db
    .selectFrom('networkPublishingPauses')
    .select('until')
    .where('network', '=', network)
    .where('until', '>', now)
    .executeTakeFirst()
  const times = [profile?.until, hold?.until].flatMap((until) => until ?? [])
  return times.length > 0 ? new Date(Math.max(...times.map((until) => until.getTime()))) : undefined
}
