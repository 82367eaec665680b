import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { later } from '../database/database.ts'
import type { ReferenceKind } from '../ids.ts'
import type { ChangeKind, ChangeNotification } from './change-notification.ts'

/** Told, with the account, whenever there are new entries of its feed. */
export const feedChannel = 'chorus_feed'

/** A kind of thing whose current viewers are shown to each other. Areas list theirs in their manifest. */
export interface PresenceKind {
  readonly kind: ChangeKind
  readonly reference: ReferenceKind
  /** Where it belongs; nothing when it is absent or the caller may not see it. */
  find(context: Context, id: string): Promise<Pick<ChangeNotification, 'parent' | 'scope'> | undefined>
}

/** More than that of one kind in one change are told as many. */
const most = 100

/** The hints of one change, written as the last thing it does. */
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
      // It travels with the commit and nothing comes in between: whoever writes the next entry of the account waits for it.
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

/** Of many one for each scope, of many scopes one for all. */
function fewer(kind: ChangeKind, hints: ReadonlyMap<string, ChangeNotification>): Map<string, ChangeNotification> {
  const manyIn = (scope: string | null): [string, ChangeNotification] => [
    `null ${scope}`,
    { kind, id: null, parent: null, scope },
  ]
  const scopes = new Set([...hints.values()].map(({ scope }) => scope))
  return new Map(scopes.size > most / 2 ? [manyIn(null)] : [...scopes].map(manyIn))
}
