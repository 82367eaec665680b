import { setTimeout as sleep } from 'node:timers/promises'
import { patiently } from '../patience.ts'
import type { Stage } from '../publishing/stage.ts'
import type { Found } from './model.ts'

/** What the service has of the run, read by whoever owns the database. */
export async function foundIn({ query }: Stage, profileIds: readonly string[]): Promise<Found> {
  const entries = await query<{ place: string; entry: string }>(
    `select i.credential_id || ' ' || i.remote_key as place,
       case when e.type = 'like' then 'like ' || e.person_id || ' ' || e.parent_remote_id
         else e.type || ' ' || e.remote_id || ' ' || e.content end as entry
     from inbox_items i join inbox_entries e on e.account_id = i.account_id and e.item_id = i.id
     where i.credential_id = any ($1)`,
    [profileIds],
  )
  const timelines = new Map<string, string[]>()
  for (const { place, entry } of entries) timelines.set(place, [...(timelines.get(place) ?? []), entry])
  const events = await query<{ type: string; count: number }>(
    `select type, count(*)::int from events where type like 'new%InboxItem'
       and coalesce(data::json -> 0 -> 'Item' -> 'Data', data::json -> 0 -> 'Data') -> 'Profile' ->> 'Id' = any ($1) group by type`,
    [profileIds],
  )
  const [unread] = await query<{ count: number }>(
    `select count(*)::int from inbox_items where credential_id = any ($1) and status = 'open' and last_activity > 'epoch'`,
    [profileIds],
  )
  const [counted] = await query<{ sum: number }>(
    'select coalesce(sum(items), 0)::int as sum from inbox_item_counts where credential_id = any ($1)',
    [profileIds],
  )
  const [figures] = await query<{ sum: number }>(
    `select coalesce(sum(value), 0)::int as sum from quarter_figures
     where of_kind = 'profile' and name = 'inboxReceived' and of_id = any ($1)`,
    [profileIds],
  )
  return {
    timelines,
    events: Object.fromEntries(events.map(({ type, count }) => [type, count])),
    unread: unread?.count ?? 0,
    counted: counted?.sum ?? 0,
    received: figures?.sum ?? 0,
  }
}

/** Waits until as much stands in the inbox as must, and nothing is on its way; gives up when nothing has moved for long. */
export async function settled(stage: Stage, entries: number, say: (line: string) => void): Promise<void> {
  let before = ''
  for (let quiet = 0; quiet < 240; quiet++) {
    const [row] = await patiently(() =>
      stage.query<{ entries: number; open: number }>(
        `select (select count(*)::int from inbox_entries e where e.remote_id <> '') as entries,
           (select count(*)::int from inbox_arrivals where state in ('new', 'waiting')) as open`,
      ),
    )
    if (row && row.entries >= entries && row.open === 0) return
    const now = `${row?.entries} of ${entries} entries stand, ${row?.open} arrivals wait`
    if (now !== before) quiet = 0
    if (quiet % 8 === 0) say(now)
    before = now
    await sleep(500)
  }
}
