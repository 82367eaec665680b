import { accountIds } from '#areas/account/declarations.ts'
import type { Sees } from '#areas/account/team/visibility.ts'
import type { ChangeNotification } from '#kernel/changes/change-notification.ts'
import type { Identity } from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import type { StreamWriter } from '#kernel/stream-writer.ts'
import { type Entry, idOf, type Position } from './entry.ts'

/** What one browser hears. */
export interface Feed {
  readonly identity: Identity
  position(): Position
  /** Goes on to a position, with the events in between as they are sent; none where nothing of it may be seen. */
  advance(to: Position, events: string): void
  /** Says something that has no place in the order. */
  say(events: string): void
  /** Everything may be another: what is looked at is to be read anew. */
  reset(to: Position): void
  /** A sign of life, with the position that has been reached; whoever does not listen any more is let go. */
  beat(): void
  end(): void
}

/** As much may wait for a reader; what comes after it is not told one by one any more. */
const mostWaiting = 64 * 1024
/** Who has had something waiting for so many signs of life in a row is cut off. */
const patience = 3

/** Milliseconds after which a browser comes back. */
const retry = 1_000

export function openFeed(identity: Identity, outlet: StreamWriter, from: Position, first: 'ready' | 'reset'): Feed {
  let position = from
  let isBehind = false
  let late = 0

  const write = (text: string) => {
    if (isBehind || text === '') return
    outlet.write(text)
    isBehind = outlet.waiting > mostWaiting
  }
  outlet.onTaken(() => {
    if (!isBehind) return
    isBehind = false
    write(event('reset', {}, position))
  })
  outlet.write(`retry: ${retry}\n${event(first, {}, from)}`)

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
      late = outlet.waiting > 0 ? late + 1 : 0
      if (late >= patience) outlet.cut()
      // A block without data is no event, but the browser keeps its id: after a quiet time it does not begin with what was long ago.
      else write(`: \nid: ${idOf(position)}\n\n`)
    },
    end: () => outlet.end(),
  }
}

/** One event as it is sent; with a position, a browser that comes back goes on after it. */
export const event = (name: string, data: object, position?: Position) =>
  `event: ${name}\n${position ? `id: ${idOf(position)}\n` : ''}data: ${JSON.stringify(data)}\n\n`

type Scope = string | null

/** Whether a user may hear of something: everybody may, only that user, or who sees the campaign or board. */
export function mayHear({ userId, role }: Identity, scope: Scope, sees: Sees): boolean {
  if (scope === null) return true
  if (isId(accountIds.user, scope)) return scope === userId
  return role === 'admin' || sees(userId, scope)
}

/** The scopes about which teams have to be asked. */
export const scopesIn = (scopes: Iterable<Scope>): string[] =>
  [...new Set([...scopes].filter((scope) => scope !== null && !isId(accountIds.user, scope)))] as string[]

/** More than that are told as many of their kind. */
const mostAtOnce = 200

/** What a user is told of entries that follow each other; no text at all where nobody can tell what changed. */
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
  // The last event of an entry alone has its id: a browser that heard half of one is told all of it again.
  return told
    .map(({ entry, hint: { kind, id, parent } }, index) => {
      const isLast = told[index + 1]?.entry !== entry
      return event('hint', { kind, id, parent, by: entry.by || null }, isLast ? entry : undefined)
    })
    .join('')
}
