import type { Identity } from '#kernel/identities.ts'
import type { Outlet } from '#kernel/outlet.ts'
import { idOf, type Position } from './entry.ts'

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

export function openFeed(identity: Identity, outlet: Outlet, from: Position, first: 'ready' | 'reset'): Feed {
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
