import { sql } from 'kysely'
import { accountIds } from '#areas/account/declarations.ts'
import type { Sees } from '#areas/account/team/visibility.ts'
import type { ChangeNotification } from '#kernel/changes/change-notification.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Identity } from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import type { StreamWriter } from '#kernel/stream-writer.ts'

/** The feed of one browser. */
export interface Feed {
  readonly identity: Identity
  position(): Position
  /** Advances to a position and sends the events in between; empty if the user may see none of them. */
  advance(to: Position, events: string): void
  /** Sends events that have no position. */
  send(events: string): void
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
    send: write,
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
export function mayReceive({ userId, role }: Identity, scope: Scope, sees: Sees): boolean {
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
  const visible: { entry: Entry; notification: ChangeNotification }[] = []
  for (const entry of entries) {
    if (!entry.hints) return undefined
    for (const notification of entry.hints)
      if (mayReceive(identity, notification.scope, sees)) visible.push({ entry, notification })
  }
  const last = entries.at(-1)
  if (visible.length > mostAtOnce) {
    const kinds = [...new Set(visible.map(({ notification }) => notification.kind))]
    const many = kinds.map((kind) => ({ kind, id: null, parent: null, by: null }))
    return many.map((data, index) => event('hint', data, index === many.length - 1 ? last : undefined)).join('')
  }
  // Only the last event of an entry carries its id: a browser that received part of an entry gets all of it again.
  return visible
    .map(({ entry, notification: { kind, id, parent } }, index) => {
      const isLast = visible[index + 1]?.entry !== entry
      return event('hint', { kind, id, parent, by: entry.by || null }, isLast ? entry : undefined)
    })
    .join('')
}

/** Position of a feed: number and mark of the last entry sent. */
export interface Position {
  readonly number: number
  readonly mark: string
}

/** One change in the feed. Without `hints` if they can't be read. */
export interface Entry extends Position {
  readonly by: string
  readonly hints: readonly ChangeNotification[] | undefined
  readonly error?: unknown
}

const beginning: Position = { number: 0, mark: '' }

/** The event id, with which a browser resumes. */
export const idOf = ({ number, mark }: Position) => `${number}.${mark}`

export function readId(text: string): Position | undefined {
  const [, number, mark = ''] = /^(\d{1,15})\.([\w-]{0,20})$/.exec(text) ?? []
  return number === undefined ? undefined : { number: Number(number), mark }
}

interface HeadRow {
  last: number
  mark: string
}

/** The head of the account's feed, and whether all entries after the position are still available. */
export async function statusAt(db: Db, accountId: string, position: Position | undefined) {
  const number = position?.number ?? 0
  const { rows } = await sql<HeadRow & { known: string | null; oldest: number | null }>`
    select h.last, h.mark,
      (select e.mark from feed_entries e where e.account_id = ${accountId} and e.number = ${number}) as known,
      (select min(e.number) from feed_entries e where e.account_id = ${accountId}) as oldest
    from feed_heads h where h.account_id = ${accountId}`.execute(db)
  const [row] = rows
  const head: Position = row ? { number: row.last, mark: row.mark } : beginning
  if (!position) return { head, isWhole: false }
  const isHead = number === head.number && position.mark === head.mark
  const isKnown = number === 0 ? position.mark === '' && row?.oldest === 1 : row?.known === position.mark
  return { head, isWhole: isHead || isKnown }
}

/** The next entries after a number, and the head. Consecutive numbers prove that none is missing. */
export async function entriesAfter(db: Db, accountId: string, number: number, atOnce: number) {
  const { rows } = await sql<HeadRow & { number: number | null; own: string; by: string; hints: string }>`
    select h.last, h.mark, e.number, e.mark as own, e.created_by as by, e.hints from feed_heads h
      left join lateral (select n.number, n.mark, n.created_by, n.hints from feed_entries n
        where n.account_id = ${accountId} and n.number > ${number} order by n.number limit ${atOnce}) e on true
    where h.account_id = ${accountId} order by e.number`.execute(db)
  const [first] = rows
  const head: Position = first ? { number: first.last, mark: first.mark } : beginning
  const entries = rows.flatMap((row) =>
    row.number === null ? [] : [{ number: row.number, mark: row.own, by: row.by, ...hintsIn(row.hints) }],
  )
  const isWhole = entries.length > 0 ? entries[0]?.number === number + 1 : head.number === number
  return { head, entries, isWhole }
}

function hintsIn(text: string): Pick<Entry, 'hints' | 'error'> {
  try {
    const hints: unknown = JSON.parse(text)
    if (!Array.isArray(hints) || !hints.every(isHint)) throw new Error('The hints of an entry are none.')
    return { hints }
  } catch (error) {
    return { hints: undefined, error }
  }
}

const isHint = (value: unknown): value is ChangeNotification =>
  typeof value === 'object' && value !== null && typeof (value as ChangeNotification).kind === 'string'
