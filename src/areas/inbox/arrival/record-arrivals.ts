import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Activity } from '#networks/connector/activity.ts'
import { wantPlacing, wantPosts, wantRelease } from './arrival-jobs.ts'
import { heardOf } from './heard.ts'

/** Whose arrivals, of the account of the context. */
export interface Place {
  credentialId: string
}

/** What an arrival waits for whose post has to be asked for; no network has an id like this. */
export const unsurePost = '?post'
/** After this it goes into the inbox with the post that was told. */
const patience = 3 * 60_000

/** Keeps what was heard, once each however often, and sees to it that it gets into the inbox. Gives how much of it was new. */
export async function recordArrivals(
  context: Context,
  { credentialId }: Place,
  activities: readonly Activity[],
): Promise<number> {
  const { db, accountId, now } = context
  const heard = activities
    .filter(({ kind }) => kind !== 'post')
    .map((activity) => ({ ...heardOf(activity, now), isPostUnsure: activity.isPostUnsure === true }))
  const once = [...new Map(heard.map((one) => [one.dedupeKey, one])).values()]
  if (once.length === 0) return 0
  const column = <Value>(read: (one: (typeof once)[number]) => Value) => once.map(read)
  const due = new Date(now.getTime() + patience)
  const { rows } = await sql<{ state: string }>`
    insert into inbox_arrivals (account_id, credential_id, dedupe_key, received, state, activity, reason, waits_for, due)
    select ${accountId}, ${credentialId}, a.key, ${now}, a.state, a.activity::jsonb, a.reason, a.waits_for, a.due
    from unnest(${column((one) => one.dedupeKey)}::text[], ${column(stateOf)}::text[],
      ${column(({ heard }) => (heard ? JSON.stringify(heard) : null))}::text[], ${column(({ reason = '' }) => reason)}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? unsurePost : null))}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? due : null))}::timestamptz[])
      as a (key, state, activity, reason, waits_for, due)
    on conflict (account_id, credential_id, dedupe_key) do nothing
    returning state`.execute(db)
  const count = (state: string) => rows.filter((row) => row.state === state).length
  const refused = count('refused')
  if (refused > 0) context.remark({ arrivalsRefused: refused })
  if (count('new') > 0) await wantPlacing(context, credentialId)
  if (count('waiting') > 0) {
    await wantPosts(context, credentialId)
    await wantRelease(context, credentialId, [due])
  }
  return rows.length
}

const stateOf = ({ heard, isPostUnsure }: { heard?: object; isPostUnsure: boolean }) =>
  heard ? (isPostUnsure ? 'waiting' : 'new') : 'refused'
