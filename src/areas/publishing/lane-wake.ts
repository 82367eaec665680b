import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

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
  const lanes = [...first.values()].sort((one, other) => (one.credential < other.credential ? -1 : 1))
  await sql`
    insert into profile_lanes (credential, account, network, due)
    select credential, ${accountId}, network, due from unnest(${lanes.map((lane) => lane.credential)}::text[],
      ${lanes.map((lane) => lane.network)}::text[], ${lanes.map((lane) => lane.due)}::timestamptz[]) as w (credential, network, due)
    on conflict (credential) do update set wakes = profile_lanes.wakes + 1, due = least(profile_lanes.due, excluded.due)`.execute(
    db,
  )
  if (lanes.some(({ due }) => due <= now)) await sql`select pg_notify(${sendsChannel}, '')`.execute(db)
}
