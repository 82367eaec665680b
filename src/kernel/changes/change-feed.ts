import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { later } from '../database/database.ts'
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
  add(hint: ChangeNotification): void
  write(context: Pick<Context, 'db' | 'accountId' | 'userId' | 'now'>): Promise<void>
}

export function collectChanges(): ChangeNotifications {
  const gathered = new Map<ChangeKind, Map<string, ChangeNotification>>()
  return {
    add(hint) {
      const { kind, id, scope } = hint
      const known = gathered.get(kind) ?? new Map<string, ChangeNotification>()
      known.set(`${id} ${scope}`, hint)
      gathered.set(kind, known.size > most ? fewer(kind, known) : known)
    },
    async write({ db, accountId, userId, now }) {
      if (gathered.size === 0) return
      const hints = [...gathered.values()].flatMap((ofKind) => [...ofKind.values()])
      const mark = randomBytes(6).toString('base64url')
      // Sent together with the commit and nothing in between: the next writer of the account's feed waits for this lock.
      const insertion = sql`
        with head as (
          insert into feed_heads (account_id, last, mark) values (${accountId}, 1, ${mark})
          on conflict (account_id) do update set last = feed_heads.last + 1, mark = excluded.mark returning last)
        insert into feed_entries (account_id, number, mark, created, created_by, hints)
        select ${accountId}, head.last, ${mark}, ${now}, ${userId}, ${JSON.stringify(hints)} from head returning number`
      await later(db, insertion)
      await later(db, sql`select pg_notify(${feedChannel}, ${accountId})`)
    },
  }
}

/** Merges many notifications into one per scope, and many scopes into one for all. */
function fewer(kind: ChangeKind, hints: ReadonlyMap<string, ChangeNotification>): Map<string, ChangeNotification> {
  const manyIn = (scope: string | null): [string, ChangeNotification] => [
    `null ${scope}`,
    { kind, id: null, parent: null, scope },
  ]
  const scopes = new Set([...hints.values()].map(({ scope }) => scope))
  return new Map(scopes.size > most / 2 ? [manyIn(null)] : [...scopes].map(manyIn))
}
