import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { freeRows } from '#kernel/database/locks.ts'
import * as lanes from '#kernel/lanes/lane-table.ts'

export const profileLanes = { name: 'profile_lanes', key: 'credential' }

/** Told when a profile may have something to send at once. A hint: whoever listens looks twice a second anyway. */
export const sendsChannel = 'chorus_sends'

export interface Wake {
  credential: string
  network: string
  due: Date
}

/** Sees to it that somebody serves these profiles when their time comes, in the transaction that gives them something to do. */
export async function wakeLanes(
  { db, accountId, now }: Pick<Context, 'accountId' | 'now'> & { db: Db },
  wakes: readonly Wake[],
) {
  if (wakes.length === 0) return
  const first = new Map<string, Wake>()
  for (const wake of wakes) {
    const known = first.get(wake.credential)
    if (!known || wake.due < known.due) first.set(wake.credential, wake)
  }
  // Always in the same order, so that two who wake the same profiles do not wait for each other.
  const sorted = [...first.values()].sort((one, other) => (one.credential < other.credential ? -1 : 1))
  const waking = sql`
    insert into profile_lanes (credential, account, network, due)
    select credential, ${accountId}, network, due from unnest(${sorted.map((lane) => lane.credential)}::text[],
      ${sorted.map((lane) => lane.network)}::text[], ${sorted.map((lane) => lane.due)}::timestamptz[]) as w (credential, network, due)
    on conflict (credential) do update set wakes = profile_lanes.wakes + 1, due = least(profile_lanes.due, excluded.due)`
  await later(db, waking)
  if (sorted.some(({ due }) => due <= now)) await later(db, sql`select pg_notify(${sendsChannel}, '')`)
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
  share: number
  /** How many of each account are served already. */
  served: ReadonlyMap<string, number>
}

/** Up to so many due profiles all are looked at; where there are more, the accounts are gone through. */
const lookedAt = 256
/** More than wanted are picked, as another process may be taking the same. */
const spare = 2

/**
 * Takes profiles that have something due, account by account: who has the fewest served comes first, then who waits longest.
 * Those whose network told them to wait do.
 */
export function claimProfiles(db: Db, { worker, now, count, share, served }: LaneOrder): Promise<LaneClaim[]> {
  const isDue = sql`worker is null and due <= ${now} and (not_before is null or not_before <= ${now})
        and not exists (select from network_holds h where h.network = l.network and h.until > ${now})`
  const free = sql`
    with recursive seen as materialized (
      select account from profile_lanes l where ${isDue} order by due, credential limit ${lookedAt}),
    backlog (account) as (
      (select account from profile_lanes where worker is null and due is not null and (select count(*) from seen) = ${lookedAt}
       order by account limit 1)
      union all
      select (select account from profile_lanes where worker is null and due is not null and account > backlog.account
              order by account limit 1) from backlog where backlog.account is not null),
    accounts as (
      select account, coalesce(held, 0) as held
      from (select account from seen union select account from backlog where account is not null) found
      left join unnest(${[...served.keys()]}::text[], ${[...served.values()]}::int[]) as known (account, held) using (account)),
    picked as materialized (
      select first.*, held + row_number() over (partition by accounts.account order by first.due, first.credential) as place
      from accounts cross join lateral (
        select credential, due from profile_lanes l where account = accounts.account and ${isDue}
        order by due, credential limit greatest(${share} - held, 0)) first
      order by place, due, credential limit ${count * spare})
    select l.credential from picked join profile_lanes l on l.credential = picked.credential and l.worker is null
    order by place, picked.due, picked.credential limit ${count} ${freeRows('profileLanes', 'update', 'l')}`
  const returning = sql`credential, account, fence, wakes`
  return lanes.claimLanes<LaneClaim>(db, profileLanes, worker, { lanes: free, returning })
}

const heldBy = (worker: string, { credential: lane, fence }: LaneClaim) => ({ lane, worker, fence })

/** Lets go of a profile; refuses if it got something to do since `wakes` was read. */
export const releaseProfile = (db: Db, worker: string, claim: LaneClaim) =>
  lanes.releaseLane(db, profileLanes, heldBy(worker, claim), {
    wakes: claim.wakes,
    set: sql`due = (
      select due from sends where account_id = ${claim.account} and credential_id = ${claim.credential} and due is not null
      order by due limit 1)`,
  })

/** How often the profile was woken; nothing when another process holds it. */
export const readWakes = (db: Db, worker: string, claim: LaneClaim) =>
  lanes.readWakes(db, profileLanes, heldBy(worker, claim))

/** The network told this profile to wait. */
export const holdLane = (db: Db, credential: string, until: Date) =>
  db.updateTable('profileLanes').set({ notBefore: until }).where('credential', '=', credential).execute()

/** A network told all of us to wait. */
export const holdNetwork = (db: Db, network: string, until: Date) =>
  sql`insert into network_holds (network, until) values (${network}, ${until})
      on conflict (network) do update set until = greatest(network_holds.until, excluded.until)`.execute(db)
