import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { accountFilter } from '#kernel/database/across-accounts.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, type LastStep, lastly } from '#kernel/database/lastly.ts'
import { notifyDue } from '#kernel/jobs/due-accounts.ts'
import * as partitions from '#kernel/jobs/partitions.ts'
import { type AccountLoad, type ClaimResult, findAccountsWithMore } from '#kernel/jobs/scheduler.ts'

export const profileLanes: partitions.PartitionTable = {
  name: 'profileLanes',
  key: 'credential',
  dueWork: (until) => sql`
    select account, '' as kind, greatest(due, not_before) as due from profile_lanes
    where worker is null and fence >= 0 and due <= ${until} and (not_before is null or not_before <= ${until})`,
}

/** Tells whose profiles have something to send soon. */
export const sendsChannel = 'chorus_sends'

export interface Wake {
  credential: string
  network: string
  due: Date
}

interface AccountWake extends Wake {
  accountId: string
  now: Date
}

/** Sees to it that somebody serves these profiles when their time comes, in the transaction that gives them something to do. */
export const wakeLanes = (
  { db, accountId, now }: Pick<Context, 'accountId' | 'now'> & { db: Db },
  wakes: readonly Wake[],
) =>
  lastly(
    db,
    waking,
    wakes.map((wake) => ({ ...wake, accountId, now })),
  )

const waking: LastStep<AccountWake> = {
  writes: 'profileLanes',
  async write(db, wakes) {
    for (const [accountId, own] of byAccount(wakes)) await wake(db, accountId, firstOfEach(own))
  },
}

/** The earliest of each profile, in the order of their ids. */
function firstOfEach(wakes: readonly AccountWake[]): AccountWake[] {
  const first = new Map<string, AccountWake>()
  for (const wake of wakes) {
    const known = first.get(wake.credential)
    if (!known || wake.due < known.due) first.set(wake.credential, wake)
  }
  return [...first.values()].sort((one, other) => (one.credential < other.credential ? -1 : 1))
}

async function wake(db: Db, accountId: string, profiles: readonly AccountWake[]) {
  const waking = sql`
    insert into profile_lanes (credential, account, network, due)
    select credential, ${accountId}, network, due from unnest(${profiles.map((one) => one.credential)}::text[],
      ${profiles.map((one) => one.network)}::text[], ${profiles.map((one) => one.due)}::timestamptz[]) as w (credential, network, due)
    on conflict (account, credential) do update set wakes = profile_lanes.wakes + 1, due = least(profile_lanes.due, excluded.due)
    returning credential`
  await later(db, waking)
  const due = new Date(Math.min(...profiles.map((one) => one.due.getTime())))
  const now = new Date(Math.max(...profiles.map((one) => one.now.getTime())))
  await notifyDue(db, sendsChannel, now, { kind: '', account: accountId, due })
}

/** A profile this process alone sends for, until it lets go or its lease ends. */
export interface LaneClaim {
  credential: string
  account: string
  fence: number
  /** How often somebody gave the profile something to do. */
  wakes: number
}

export interface LaneOrder {
  worker: string
  now: Date
  count: number
  /** How many profiles of one account may be served at a time. */
  maxPerAccount: number
  /** The accounts that are asked, and how many profiles of each are served already. */
  accounts: readonly AccountLoad[]
}

/** More than wanted are picked, as another process may be taking the same. */
const spare = 2

/**
 * Takes profiles that have something due, account by account: who has the fewest served comes first, then who waits longest.
 * Those whose network told them to wait do.
 */
export async function claimProfiles(db: Db, order: LaneOrder): Promise<ClaimResult<LaneClaim>> {
  const { worker, now, count, maxPerAccount } = order
  const accounts = order.accounts.map(({ account }) => account)
  const served = order.accounts.map(({ running }) => running)
  const query = sql`
    select account, id, '' as kind from (
      select first.*, served + row_number() over (partition by first.account order by first.due, first.id) as level
      from unnest(${accounts}::text[], ${served}::int[]) as asked (owner, served)
      cross join lateral (
        select account, credential as id, due from profile_lanes
        where ${accountFilter(accounts)} and account = owner and worker is null and due <= ${now}
          and (not_before is null or not_before <= ${now})
          and network not in (select network from network_holds where until > ${now})
        order by due, credential limit least(${maxPerAccount} - served, ${count * spare})) first) levelled
    order by level, due, id limit ${count * spare}`
  const wanted = { worker, accounts, candidates: query, count }
  const { candidates, claimed } = await partitions.claimPartitions(db, profileLanes, wanted)
  return {
    claims: claimed.map(({ account, id: credential, fence, wakes }) => ({ account, credential, fence, wakes })),
    accountsWithMore: findAccountsWithMore({
      accounts: order.accounts,
      maxPerAccount,
      candidates,
      claimed,
      isTruncated: candidates.length >= count * spare,
    }),
  }
}

const heldBy = (worker: string, { account, credential: id, fence }: LaneClaim) => ({ account, id, worker, fence })

/** Lets go of a profile and gives when it is due again; refuses if it got something to do since `wakes` was read. */
export const releaseProfile = (db: Db, worker: string, claim: LaneClaim) =>
  partitions.releasePartition(db, profileLanes, heldBy(worker, claim), {
    wakes: claim.wakes,
    set: sql`due = (
      select due from sends where account_id = ${claim.account} and credential_id = ${claim.credential} and due is not null
      order by due limit 1)`,
  })

/** How often the profile was woken; nothing when another process holds it. */
export const readWakes = (db: Db, worker: string, claim: LaneClaim) =>
  partitions.readWakes(db, profileLanes, heldBy(worker, claim))

/** The network told this profile to wait. */
export const holdLane = (db: Db, account: string, credential: string, until: Date) =>
  db
    .updateTable('profileLanes')
    .set({ notBefore: until })
    .where('account', '=', account)
    .where('credential', '=', credential)
    .execute()

/** A network told all of us to wait. */
export const holdNetwork = (db: Db, network: string, until: Date) =>
  sql`insert into network_holds (network, until) values (${network}, ${until})
      on conflict (network) do update set until = greatest(network_holds.until, excluded.until)`.execute(db)

/** Until when nobody may ask the network about the profile, where it told us to wait. */
export async function heldUntil(
  db: Db,
  { accountId, id, network }: { accountId: string; id: string; network: string },
  now: Date,
): Promise<Date | undefined> {
  const lane = await db
    .selectFrom('profileLanes')
    .select('notBefore as until')
    .where('account', '=', accountId)
    .where('credential', '=', id)
    .where('notBefore', '>', now)
    .executeTakeFirst()
  const hold = await db
    .selectFrom('networkHolds')
    .select('until')
    .where('network', '=', network)
    .where('until', '>', now)
    .executeTakeFirst()
  const times = [lane?.until, hold?.until].flatMap((until) => until ?? [])
  return times.length > 0 ? new Date(Math.max(...times.map((until) => until.getTime()))) : undefined
}
