import { accountIds } from '#areas/account/declarations.ts'
import type { Sees } from '#areas/account/team/visibility.ts'
import type { ChangeNotification } from '#kernel/changes/change-notification.ts'
import type { Identity } from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import type { StreamWriter } from '#kernel/stream-writer.ts'
import { type Entry, idOf, type Position } from './entry.ts'

/** The feed of one browser. */
export interface Feed {
  readonly identity: Identity
  position(): Position
  /** Advances to a position and sends the events in between; empty if the user may see none of them. */
  advance(to: Position, events: string): void
  /** Sends events that have no position. */
  say(events: string): void
  /** Any data may have changed: the browser has to reload what it shows. */
  reset(to: Position): void
  /** Sends a heartbeat with the current position, and closes feeds that are no longer read. */
  beat(): void
  end(): void
}

/** Buffered bytes per reader; beyond this, changes are no longer sent one by one. */
const mostWaiting = 64 * 1024
/** Consecutive heartbeats with unsent data after which a feed is closed. */
const patience = 3

/** Reconnect delay of browsers in milliseconds. */
const retry = 1_000

export function openFeed(identity: Identity, writer: StreamWriter, from: Position, first: 'ready' | 'reset'): Feed {
  let position = from
  let isBehind = false
  let late = 0

  const write = (text: string) => {
    if (isBehind || text === '') return
    writer.write(text)
    isBehind = writer.waiting > mostWaiting
  }
  writer.onTaken(() => {
    if (!isBehind) return
    isBehind = false
    write(event('reset', {}, position))
  })
  writer.write(`retry: ${retry}\n${event(first, {}, from)}`)

  return {
    identity,
    position: () => position,
    advance(to, events) {
      position = to
      write(events)
    },
    say: write,
    reset(to) {
      position = to
      write(event('reset', {}, to))
    },
    beat() {
      late = writer.waiting > 0 ? late + 1 : 0
      if (late >= patience) writer.cut()
      // A block without data is no event, but the browser stores its id, so that it resumes at the current position after a quiet period.
      else write(`: \nid: ${idOf(position)}\n\n`)
    },
    end: () => writer.end(),
  }
}

/** One event as sent in the stream; with a position, a reconnecting browser resumes after it. */
export const event = (name: string, data: object, position?: Position) =>
  `event: ${name}\n${position ? `id: ${idOf(position)}\n` : ''}data: ${JSON.stringify(data)}\n\n`

type Scope = string | null

/** Whether a user may be notified: everyone may, only that user, or users who can see the campaign or board. */
export function mayHear({ userId, role }: Identity, scope: Scope, sees: Sees): boolean {
  if (scope === null) return true
  if (isId(accountIds.user, scope)) return scope === userId
  return role === 'admin' || sees(userId, scope)
}

/** The scopes that require a team check. */
export const scopesIn = (scopes: Iterable<Scope>): string[] =>
  [...new Set([...scopes].filter((scope) => scope !== null && !isId(accountIds.user, scope)))] as string[]

/** Larger numbers of changes are sent as one notification for their kind. */
const mostAtOnce = 200

/** The events a user receives for consecutive entries; undefined if it is unknown what changed. */
export function eventsFor(identity: Identity, entries: readonly Entry[], sees: Sees): string | undefined {
  const told: { entry: Entry; hint: ChangeNotification }[] = []
  for (const entry of entries) {
    if (!entry.hints) return undefined
    for (const hint of entry.hints) if (mayHear(identity, hint.scope, sees)) told.push({ entry, hint })
  }
  const last = entries.at(-1)
  if (told.length > mostAtOnce) {
    const kinds = [...new Set(told.map(({ hint }) => hint.kind))]
    const many = kinds.map((kind) => ({ kind, id: null, parent: null, by: null }))
    return many.map((data, index) => event('hint', data, index === many.length - 1 ? last : undefined)).join('')
  }
  // Only the last event of an entry carries its id: a browser that received part of an entry gets all of it again.
  return told
    .map(({ entry, hint: { kind, id, parent } }, index) => {
      const isLast = told[index + 1]?.entry !== entry
      return event('hint', { kind, id, parent, by: entry.by || null }, isLast ? entry : undefined)
    })
    .join('')
}
