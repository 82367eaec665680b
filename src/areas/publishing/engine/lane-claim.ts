import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'

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
export async function claimLanes(db: Db, { worker, now, count, share, served }: LaneOrder): Promise<LaneClaim[]> {
  const isDue = sql`worker is null and due <= ${now} and (not_before is null or not_before <= ${now})
        and not exists (select from network_holds h where h.network = l.network and h.until > ${now})`
  const { rows } = await sql<LaneClaim>`
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
    update profile_lanes set worker = ${worker}, fence = fence + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp()) and credential in (
      select l.credential from picked join profile_lanes l on l.credential = picked.credential and l.worker is null
      order by place, picked.due, picked.credential limit ${count} for update of l skip locked)
    returning credential, account, fence, wakes`.execute(db)
  return rows
}

/** Lets go of a profile; refuses if it got something to do since `wakes` was read. */
export async function releaseLane(db: Db, worker: string, { credential, account, fence, wakes }: LaneClaim) {
  const { numAffectedRows } = await sql`
    update profile_lanes set worker = null, due = (
      select due from post_sends where account_id = ${account} and credential_id = ${credential} and due is not null
      order by due limit 1)
    where credential = ${credential} and fence = ${fence} and worker = ${worker} and wakes = ${wakes}`.execute(db)
  return numAffectedRows === 1n
}

/** How often the profile was woken; nothing when another process holds it. */
export async function readWakes(db: Db, worker: string, { credential, fence }: LaneClaim): Promise<number | undefined> {
  const lane = await db
    .selectFrom('profileLanes')
    .select('wakes')
    .where('credential', '=', credential)
    .where('fence', '=', fence)
    .where('worker', '=', worker)
    .executeTakeFirst()
  return lane?.wakes
}

/** The network told this profile to wait. */
export const holdLane = (db: Db, credential: string, until: Date) =>
  db.updateTable('profileLanes').set({ notBefore: until }).where('credential', '=', credential).execute()

/** A network told all of us to wait. */
export const holdNetwork = (db: Db, network: string, until: Date) =>
  sql`insert into network_holds (network, until) values (${network}, ${until})
      on conflict (network) do update set until = greatest(network_holds.until, excluded.until)`.execute(db)
