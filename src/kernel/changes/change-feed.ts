import { randomBytes } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import type { Context } from '../context.ts'
import { type Database, later } from '../database/database.ts'
import { lockRows } from '../database/locks.ts'
import type { ReferenceKind } from '../ids.ts'
import type { ChangeKind, ChangeNotification } from './change-notification.ts'

/** Notified with the account id whenever its change feed has new entries. */
export const feedChannel = 'chorus_feed'

/** A kind of object whose current viewers are shown to each other. Areas list theirs in their manifest. */
export interface PresenceKind {
  readonly kind: ChangeKind
  readonly reference: ReferenceKind
  /** Its parent and scope; undefined if it doesn't exist or the caller may not see it. */
  find(context: Context, id: string): Promise<Pick<ChangeNotification, 'parent' | 'scope'> | undefined>
}

/** More notifications of one kind in one transaction are merged. */
const most = 100

/** The change notifications of one transaction, written as its last step. */
export interface ChangeNotifications {
  add(notification: ChangeNotification): void
  /** Returns whether there was anything to write: if so, feeds must be notified after the commit. */
  write(context: Pick<Context, 'db' | 'accountId' | 'userId' | 'now'>): Promise<boolean>
}

export function collectChanges(): ChangeNotifications {
  const byKind = new Map<ChangeKind, Map<string, ChangeNotification>>()
  return {
    add(notification) {
      const { kind, id, scope } = notification
      const known = byKind.get(kind) ?? new Map<string, ChangeNotification>()
      known.set(`${id} ${scope}`, notification)
      byKind.set(kind, known.size > most ? merged(kind, known) : known)
    },
    async write({ db, accountId, userId, now }) {
      if (byKind.size === 0) return false
      const notifications = [...byKind.values()].flatMap((ofKind) => [...ofKind.values()])
      const mark = randomBytes(6).toString('base64url')
      // Unnumbered: a number would have to be taken from a row that other changes of the account wait for until the commit.
      await later(db, CompiledQuery.raw(insertion, [accountId, mark, now, userId, JSON.stringify(notifications)]))
      return true
    },
  }
}

const insertion = 'insert into feed_waiting (account_id, mark, created, created_by, hints) values ($1, $2, $3, $4, $5)'

/** Entries numbered by one statement. */
const atOnce = 1_000

/**
 * Numbers the entries committed since the last call, for readers of the feed; returns whether there may be more. They are visible, so every
 * entry that commits later gets a higher number: a reader that has all entries up to a number has missed none. Call it in a transaction of
 * its own.
 */
export async function numberEntries({ db, accountId }: Pick<Context, 'db' | 'accountId'>): Promise<boolean> {
  await later(
    db,
    sql`insert into feed_heads (account_id, last, mark) values (${accountId}, 0, '') on conflict do nothing`,
  )
  // The next statement sees everything that was numbered before this lock was acquired.
  await later(db, sql`select from feed_heads where account_id = ${accountId} ${lockRows('feedHeads', 'no key update')}`)
  const { rows } = await sql`
    with waiting as (
        delete from feed_waiting where account_id = ${accountId}
          and mark in (select mark from feed_waiting where account_id = ${accountId} limit ${atOnce})
        returning mark, created, created_by, hints),
      ordered as (select mark, created, created_by, hints, row_number() over (order by created, mark) as place from waiting),
      head as (
        update feed_heads set last = last + (select count(*) from ordered), mark = (select mark from ordered order by place desc limit 1)
        where account_id = ${accountId} and exists (select from ordered)
        returning last)
    insert into feed_entries (account_id, number, mark, created, created_by, hints)
    select ${accountId}, head.last - (select count(*) from ordered) + ordered.place, ordered.mark, ordered.created, ordered.created_by, ordered.hints
    from ordered, head returning number`.execute(db)
  return rows.length === atOnce
}

/** Notifies the feeds of all processes that accounts have new entries. */
export async function notifyFeeds({ shared }: Pick<Database, 'shared'>, accountIds: readonly string[]) {
  await sql`select pg_notify(${feedChannel}, account) from unnest(${accountIds}::text[]) account`.execute(shared)
}

/** Notifies feeds in batches. */
export interface FeedNotifier {
  notify(accountId: string): void
  /** Sends what is left. */
  close(): Promise<void>
}

/** Milliseconds in which changes are combined into one notification. */
const gatherMs = 20

/**
 * NOTIFY makes commits wait for each other, in all accounts, so it is not part of the transactions of changes. If it fails, or the process dies
 * before it, feeds find the entries with their next heartbeat.
 */
export function openFeedNotifier(database: Pick<Database, 'shared'>): FeedNotifier {
  let waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const send = async () => {
    clearTimeout(timer)
    timer = undefined
    const accounts = [...waiting]
    waiting = new Set()
    if (accounts.length > 0) await notifyFeeds(database, accounts).catch(() => {})
  }
  return {
    notify(accountId) {
      waiting.add(accountId)
      timer ??= setTimeout(send, gatherMs).unref()
    },
    close: send,
  }
}

/** Merges many notifications into one per scope, and many scopes into one for all. */
function merged(
  kind: ChangeKind,
  notifications: ReadonlyMap<string, ChangeNotification>,
): Map<string, ChangeNotification> {
  const manyIn = (scope: string | null): [string, ChangeNotification] => [
    `null ${scope}`,
    { kind, id: null, parent: null, scope },
  ]
  const scopes = new Set([...notifications.values()].map(({ scope }) => scope))
  return new Map(scopes.size > most / 2 ? [manyIn(null)] : [...scopes].map(manyIn))
}
