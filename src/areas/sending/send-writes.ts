import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { conflict } from '#kernel/errors.ts'
import type { Progress } from '#networks/connector/draft.ts'
import { keyOf, type Send, type Sendable, type SendKey } from './sendable.ts'

/** Thrown where a send turns out to be somebody else's, or gone: nothing more may be done about it here. */
export class LostSend extends Error {
  override name = 'LostSend'
}

/** Thrown where a send may not be made now: it is held, or somebody is deciding on it at this moment. */
export class HeldSend extends Error {
  override name = 'HeldSend'
}

const own = ({ accountId, contentId, credentialId, kind, fence }: Send) => sql`
  s.account_id = ${accountId} and s.content_id = ${contentId} and s.credential_id = ${credentialId} and s.kind = ${kind} and s.fence = ${fence}`

/** Whoever planned it anew meanwhile has the last word. */
const begun = sql`s.state in ('preparing', 'sending', 'unknown')`

export interface Intent {
  send: Send
  progress: Progress
}

/**
 * Writes down that calls which cannot be repeated are about to be made, unless their content no longer allows it; tells of each
 * whether it may. From here on whoever would stop it waits for it.
 */
export async function writeIntents(
  db: Db,
  sendable: Sendable,
  accountId: string,
  intents: readonly Intent[],
  now: Date,
): Promise<boolean[]> {
  const column = <Value>(read: (intent: Intent) => Value) => intents.map(read)
  const contents = column(({ send }) => send.contentId)
  const { rows } = await sql<SendKey>`
    with allowed as materialized (${sendable.allowance(accountId, contents)})
    update sends s set state = 'sending', intent = ${now}, progress = i.progress
    from unnest(${contents}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.fence)}::bigint[], ${column(({ progress }) => JSON.stringify(progress))}::jsonb[])
      as i (content_id, credential_id, fence, progress), allowed a
    where s.account_id = ${accountId} and s.content_id = i.content_id and s.credential_id = i.credential_id and s.kind = ${sendable.kind}
      and s.fence = i.fence and s.state in ('preparing', 'sending') and a.content_id = s.content_id and not a.is_held
    returning s.content_id, s.credential_id, s.kind`.execute(db)
  const written = new Set(rows.map(keyOf))
  return intents.map(({ send }) => written.has(keyOf(send)))
}

/** Why a send may not be made. */
export async function reasonAgainst(db: Db, sendable: Sendable, send: Send): Promise<Error> {
  const { rows } = await sql`
    select from sends s where ${own(send)} and s.state in ('preparing', 'sending')`.execute(db)
  if (rows.length === 0) return new LostSend(`The ${sendable.noun} was changed or taken over meanwhile.`)
  const refusal = await sendable.refusal(db, send)
  if (refusal !== undefined) return conflict(refusal)
  return new HeldSend(`The ${sendable.noun} is held, or being changed.`)
}

/** Keeps how far preparing has come. */
export async function keepProgress(db: Db, send: Send, progress: Progress) {
  const { numAffectedRows } = await sql`
    update sends s set progress = ${JSON.stringify(progress)} where ${own(send)} and s.state in ('preparing', 'sending')`.execute(
    db,
  )
  if (numAffectedRows === 0n) throw new LostSend('It was changed or taken over meanwhile.')
}

interface Parking {
  state: 'preparing' | 'sending' | 'unknown'
  due: Date
  /** Stays as it is unless given. */
  progress?: Progress
  error?: string
}

/** Comes back to a send later: while the network works on it, or to search for it. */
export async function park(db: Db, send: Send, { state, due, progress, error = '' }: Parking) {
  await sql`
    update sends s set state = ${state}, due = ${due}, searches = ${send.searches}, error = ${error},
      progress = coalesce(${progress ? JSON.stringify(progress) : null}::jsonb, s.progress) where ${own(send)} and ${begun}`.execute(
    db,
  )
}

interface Retry {
  due: Date
  now: Date
  progress: Progress | null
  error: string
}

/** Puts a send that did not happen back; one that is held waits until it is let go on. */
export async function putBack(db: Db, sendable: Sendable, send: Send, { due, now, progress, error }: Retry) {
  const soon = new Date(now.getTime() + 1_000)
  await sql`
    with allowed as materialized (${sendable.allowance(send.accountId, [send.contentId])})
    update sends s set state = 'waiting', intent = null, searches = 0, error = ${error}, progress = ${progress && JSON.stringify(progress)},
      due = case when (select is_held from allowed) then null when not (select is_held from allowed) then ${due}::timestamptz
        else greatest(${soon}::timestamptz, ${due}::timestamptz) end
    where ${own(send)} and ${begun}`.execute(db)
}

/** Leaves a send that nobody here knows how to make as it is, for a while. */
export async function putOff(db: Db, send: Send, due: Date, error: string) {
  await sql`update sends s set due = ${due}, error = ${error} where ${own(send)} and ${begun}`.execute(db)
}
