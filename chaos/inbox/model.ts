import type { Happening } from './talk.ts'

/** What an inbox must hold, whatever way and order it was told in: plain, without any of the service's code. */
export interface Expected {
  /** Who said what in which item: `profile item-key` and `type remote-id words`. */
  timelines: Map<string, Set<string>>
  events: Record<'newInboxItem' | 'newCommentOnInboxItem' | 'newDirectMessageOnInboxItem', number>
  unread: number
  /** How much of it others said and did. */
  received: number
}

export function expectedOf(happenings: readonly Happening[]): Expected {
  const timelines = new Map<string, Set<string>>()
  const events = { newInboxItem: 0, newCommentOnInboxItem: 0, newDirectMessageOnInboxItem: 0 }
  const words = new Map<string, string>()
  for (const { kind, remoteId, text } of happenings) if (kind === 'edit' || kind === 'delete') words.set(remoteId, text)
  /** Where each comment stands. */
  const home = new Map<string, string>()
  for (const { profile, kind, remoteId, parentId, personId, text } of happenings) {
    if (kind === 'edit' || kind === 'delete') continue
    const answered = kind === 'reply' || kind === 'own' || kind === 'like' ? home.get(parentId) : undefined
    const key = answered ?? (kind === 'message' ? `thread:${personId}` : `${kind}:${remoteId}`)
    home.set(remoteId, key)
    const place = `${profile.id} ${key}`
    const entries = timelines.get(place) ?? new Set()
    timelines.set(place, entries)
    if (kind !== 'own' && kind !== 'like') {
      if (entries.size === 0) events.newInboxItem++
      else if (kind === 'message') events.newDirectMessageOnInboxItem++
      else events.newCommentOnInboxItem++
    }
    const type = kind === 'message' ? 'message' : kind === 'own' ? 'reply' : kind === 'like' ? 'like' : 'comment'
    entries.add(kind === 'like' ? `like ${personId} ${parentId}` : `${type} ${remoteId} ${words.get(remoteId) ?? text}`)
  }
  const entries = [...timelines.values()].flatMap((said) => [...said])
  const received = entries.filter((entry) => !entry.startsWith('reply ')).length
  return { timelines, events, unread: timelines.size, received }
}

export interface Found {
  timelines: Map<string, string[]>
  events: Record<string, number>
  unread: number
  /** How many items the totals of lists tell of. */
  counted: number
  /** How much reports say has arrived. */
  received: number
}

/** What must not be, each with how often. */
export function differences(expected: Expected, found: Found) {
  const keys = [...new Set([...expected.timelines.keys(), ...found.timelines.keys()])]
  const isWrong = (key: string) => {
    const wanted = expected.timelines.get(key)
    const is = found.timelines.get(key)
    return wanted && is && (wanted.size !== is.length || is.some((entry) => !wanted.has(entry)))
  }
  const names = Object.keys(expected.events) as (keyof Expected['events'])[]
  return {
    lostItems: keys.filter((key) => !found.timelines.has(key)).length,
    surplusItems: keys.filter((key) => !expected.timelines.has(key)).length,
    wrongTimelines: keys.filter(isWrong).length,
    wrongEvents: names.reduce((sum, name) => sum + Math.abs(expected.events[name] - (found.events[name] ?? 0)), 0),
    wrongUnread: Math.abs(expected.unread - found.unread),
    wrongTotals: Math.abs(expected.unread - found.counted),
    wrongFigures: Math.abs(expected.received - found.received),
  }
}
