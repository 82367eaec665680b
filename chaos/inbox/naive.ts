import type { Found } from './model.ts'
import type { Happening } from './talk.ts'

/** An inbox as one would write it first: it takes what is told as it comes, and has what it knows in memory until it is written. */
export function naiveInbox(told: readonly Happening[], kills: number): Found {
  const written = new Map<string, string[]>()
  const homes = new Map<string, string>()
  const events: Record<string, number> = {}
  let waiting: [place: string, entry: string][] = []
  const write = () => {
    for (const [place, entry] of waiting) written.set(place, [...(written.get(place) ?? []), entry])
    waiting = []
  }
  for (const [number, { profile, kind, remoteId, parentId, personId, text }] of told.entries()) {
    if (number % 50 === 49) write()
    // Whoever is killed forgets what was not written.
    if (number % Math.ceil(told.length / (kills + 1)) === 25) waiting = []
    if (kind === 'edit' || kind === 'delete' || kind === 'like') continue
    const key = homes.get(parentId) ?? (kind === 'message' ? `thread:${personId}` : `comment:${remoteId}`)
    const place = `${profile.id} ${key}`
    const name = homes.has(parentId) ? 'newCommentOnInboxItem' : 'newInboxItem'
    events[name] = (events[name] ?? 0) + 1
    homes.set(remoteId, key)
    waiting.push([place, `${kind === 'message' ? 'message' : 'comment'} ${remoteId} ${text}`])
  }
  write()
  const received = [...written.values()].flat().length
  return { timelines: written, events, unread: written.size, counted: written.size, received }
}
