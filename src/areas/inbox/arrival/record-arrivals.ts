import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Activity } from '#networks/connector/activity.ts'
import { wantPlacing } from './arrival-jobs.ts'
import { heardOf } from './heard.ts'

/** Whose arrivals, of the account of the context. */
export interface Place {
  credentialId: string
}

/** Keeps what was heard, once each however often, and sees to it that it gets into the inbox. Gives how much of it was new. */
export async function recordArrivals(
  context: Context,
  { credentialId }: Place,
  activities: readonly Activity[],
): Promise<number> {
  const { db, accountId, now } = context
  const heard = activities.filter(({ kind }) => kind !== 'post').map((activity) => heardOf(activity, now))
  const once = [...new Map(heard.map((one) => [one.dedupeKey, one])).values()]
  if (once.length === 0) return 0
  const column = <Value>(read: (one: (typeof once)[number]) => Value) => once.map(read)
  const { rows } = await sql<{ state: string }>`
    insert into inbox_arrivals (account_id, credential_id, dedupe_key, received, state, activity, reason)
    select ${accountId}, ${credentialId}, a.key, ${now}, a.state, a.activity::jsonb, a.reason
    from unnest(${column((one) => one.dedupeKey)}::text[], ${column(({ heard }) => (heard ? 'new' : 'refused'))}::text[],
      ${column(({ heard }) => (heard ? JSON.stringify(heard) : null))}::text[], ${column(({ reason = '' }) => reason)}::text[])
      as a (key, state, activity, reason)
    on conflict (account_id, credential_id, dedupe_key) do nothing
    returning state`.execute(db)
  const refused = rows.filter(({ state }) => state === 'refused').length
  if (refused > 0) context.remark({ arrivalsRefused: refused })
  if (rows.length > refused) await wantPlacing(context, credentialId)
  return rows.length
}
