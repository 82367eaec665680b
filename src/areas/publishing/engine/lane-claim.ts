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

/** Takes profiles that have something due, whoever waits longest first; those whose network told them to wait do. */
export async function claimLanes(db: Db, worker: string, now: Date, count: number): Promise<LaneClaim[]> {
  const { rows } = await sql<LaneClaim>`
    update profile_lanes set worker = ${worker}, fence = fence + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp()) and credential in (
      select credential from profile_lanes l where worker is null and due <= ${now} and (not_before is null or not_before <= ${now})
        and not exists (select from network_holds h where h.network = l.network and h.until > ${now})
      order by due, credential limit ${count} for update skip locked)
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
