import { setTimeout as sleep } from 'node:timers/promises'
import { retryUntilAvailable } from '../databases.ts'
import type { Harness } from '../publishing/harness.ts'
import type { Activity } from './activities.ts'

/** The expected inbox, independent of the order of pushes and without any code of the service. */
export interface Expected {
  /** Entries by item: `profile item-key` and `type remote-id text`. */
  timelines: Map<string, Set<string>>
  events: Record<'newInboxItem' | 'newCommentOnInboxItem' | 'newDirectMessageOnInboxItem', number>
  unread: number
  /** Number of entries by other users. */
  received: number
}

export function expectedOf(activities: readonly Activity[]): Expected {
  const timelines = new Map<string, Set<string>>()
  const events = { newInboxItem: 0, newCommentOnInboxItem: 0, newDirectMessageOnInboxItem: 0 }
  const editedTexts = new Map<string, string>()
  for (const { kind, remoteId, text } of activities)
    if (kind === 'edit' || kind === 'delete') editedTexts.set(remoteId, text)
  /** The item of each comment. */
  const itemKeys = new Map<string, string>()
  for (const { profile, kind, remoteId, parentId, personId, text } of activities) {
    if (kind === 'edit' || kind === 'delete') continue
    const parentKey = kind === 'reply' || kind === 'own' || kind === 'like' ? itemKeys.get(parentId) : undefined
    const key = parentKey ?? (kind === 'message' ? `thread:${personId}` : `${kind}:${remoteId}`)
    itemKeys.set(remoteId, key)
    const timelineKey = `${profile.id} ${key}`
    const entries = timelines.get(timelineKey) ?? new Set()
    timelines.set(timelineKey, entries)
    if (kind !== 'own' && kind !== 'like') {
      if (entries.size === 0) events.newInboxItem++
      else if (kind === 'message') events.newDirectMessageOnInboxItem++
      else events.newCommentOnInboxItem++
    }
    const type = kind === 'message' ? 'message' : kind === 'own' ? 'reply' : kind === 'like' ? 'like' : 'comment'
    entries.add(
      kind === 'like' ? `like ${personId} ${parentId}` : `${type} ${remoteId} ${editedTexts.get(remoteId) ?? text}`,
    )
  }
  const entries = [...timelines.values()].flatMap((group) => [...group])
  const received = entries.filter((entry) => !entry.startsWith('reply ')).length
  return { timelines, events, unread: timelines.size, received }
}

export interface Found {
  timelines: Map<string, string[]>
  events: Record<string, number>
  unread: number
  /** Number of items in the list totals. */
  counted: number
  /** Received activities according to the reports. */
  received: number
}

/** Number of differences by kind. */
export function differences(expected: Expected, found: Found) {
  const keys = [...new Set([...expected.timelines.keys(), ...found.timelines.keys()])]
  const isWrong = (key: string) => {
    const expectedEntries = expected.timelines.get(key)
    const foundEntries = found.timelines.get(key)
    return (
      expectedEntries &&
      foundEntries &&
      (expectedEntries.size !== foundEntries.length || foundEntries.some((entry) => !expectedEntries.has(entry)))
    )
  }
  const names = Object.keys(expected.events) as (keyof Expected['events'])[]
  return {
    lostItems: keys.filter((key) => !found.timelines.has(key)).length,
    surplusItems: keys.filter((key) => !expected.timelines.has(key)).length,
    wrongTimelines: keys.filter(isWrong).length,
    wrongEvents: names.reduce((sum, name) => sum + Math.abs(expected.events[name] - (found.events[name] ?? 0)), 0),
    wrongUnread: Math.abs(expected.unread - found.unread),
    wrongTotals: Math.abs(expected.unread - found.counted),
    wrongCounters: Math.abs(expected.received - found.received),
  }
}

/** The inbox of the service, read as the database owner. */
export async function readInbox({ query }: Harness, profileIds: readonly string[]): Promise<Found> {
  const entries = await query<{ place: string; entry: string }>(
    `select i.credential_id || ' ' || i.remote_key as place,
       case when e.type = 'like' then 'like ' || e.person_id || ' ' || e.parent_remote_id
         else e.type || ' ' || e.remote_id || ' ' || e.content end as entry
     from inbox_items i join inbox_entries e on e.account_id = i.account_id and e.item_id = i.id
     where i.credential_id = any ($1)`,
    [profileIds],
  )
  const timelines = new Map<string, string[]>()
  for (const { place: timelineKey, entry } of entries)
    timelines.set(timelineKey, [...(timelines.get(timelineKey) ?? []), entry])
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
  const [counters] = await query<{ sum: number }>(
    `select coalesce(sum(value), 0)::int as sum from quarter_hour_rollups
     where of_kind = 'profile' and name = 'inboxReceived' and of_id = any ($1)`,
    [profileIds],
  )
  return {
    timelines,
    events: Object.fromEntries(events.map(({ type, count }) => [type, count])),
    unread: unread?.count ?? 0,
    counted: counted?.sum ?? 0,
    received: counters?.sum ?? 0,
  }
}

/** Waits until the inbox has the expected number of entries and nothing is pending; gives up after a long time without progress. */
export async function settled(harness: Harness, entries: number, log: (line: string) => void): Promise<void> {
  let previous = ''
  for (let idleRounds = 0; idleRounds < 240; idleRounds++) {
    const [row] = await retryUntilAvailable(() =>
      harness.query<{ entries: number; open: number }>(
        `select (select count(*)::int from inbox_entries e where e.remote_id <> '') as entries,
           (select count(*)::int from inbox_activities where state in ('new', 'waiting')) as open`,
      ),
    )
    if (row && row.entries >= entries && row.open === 0) return
    const now = `${row?.entries} of ${entries} entries stand, ${row?.open} arrivals wait`
    if (now !== previous) idleRounds = 0
    if (idleRounds % 8 === 0) log(now)
    previous = now
    await sleep(500)
  }
}

/** A naive inbox: processes activities in order of arrival and buffers them in memory until they are written. */
export function controlInbox(pushes: readonly Activity[], kills: number): Found {
  const written = new Map<string, string[]>()
  const itemKeys = new Map<string, string>()
  const events: Record<string, number> = {}
  let buffered: [place: string, entry: string][] = []
  const write = () => {
    for (const [timelineKey, entry] of buffered) written.set(timelineKey, [...(written.get(timelineKey) ?? []), entry])
    buffered = []
  }
  for (const [number, { profile, kind, remoteId, parentId, personId, text }] of pushes.entries()) {
    if (number % 50 === 49) write()
    // A kill loses buffered entries.
    if (number % Math.ceil(pushes.length / (kills + 1)) === 25) buffered = []
    if (kind === 'edit' || kind === 'delete' || kind === 'like') continue
    const key = itemKeys.get(parentId) ?? (kind === 'message' ? `thread:${personId}` : `comment:${remoteId}`)
    const timelineKey = `${profile.id} ${key}`
    const name = itemKeys.has(parentId) ? 'newCommentOnInboxItem' : 'newInboxItem'
    events[name] = (events[name] ?? 0) + 1
    itemKeys.set(remoteId, key)
    buffered.push([timelineKey, `${kind === 'message' ? 'message' : 'comment'} ${remoteId} ${text}`])
  }
  write()
  const received = [...written.values()].flat().length
  return { timelines: written, events, unread: written.size, counted: written.size, received }
}
