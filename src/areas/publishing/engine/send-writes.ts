import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { conflict } from '#kernel/errors.ts'
import type { Progress } from '#networks/connector/draft.ts'
import type { TakenSend } from './taken-send.ts'

/** Thrown where a send turns out to be somebody else's, or gone: nothing more may be done about it here. */
export class LostSend extends Error {
  override name = 'LostSend'
}

/** Thrown where a send may not be made now: its campaign was paused, or is being changed at this moment. */
export class HeldSend extends Error {
  override name = 'HeldSend'
}

const own = ({ accountId, postId, credentialId, kind, fence }: TakenSend) => sql`
  s.account_id = ${accountId} and s.post_id = ${postId} and s.credential_id = ${credentialId} and s.kind = ${kind} and s.fence = ${fence}`

/** Whoever planned it anew meanwhile has the last word. */
const begun = sql`s.state in ('preparing', 'sending', 'unknown')`

/** Whoever changes the campaign holds its row; who sends does not wait for that, but comes again. */
const campaignOf = ({ accountId, campaignId }: TakenSend) => sql`
  select id, status from campaigns where account_id = ${accountId} and id = ${campaignId} and deleted is null for share skip locked`

export interface Intent {
  send: TakenSend
  progress: Progress
}

/**
 * Writes down that calls which cannot be repeated are about to be made, unless a post or its campaign no longer allows it; tells of
 * each whether it may. From here on a pause waits for it. Whoever changes a campaign holds its row; who sends does not wait for
 * that, but comes again.
 */
export async function writeIntents(
  db: Db,
  accountId: string,
  intents: readonly Intent[],
  now: Date,
): Promise<boolean[]> {
  const column = <Value>(read: (intent: Intent) => Value) => intents.map(read)
  const { rows } = await sql<Pick<TakenSend, 'postId' | 'credentialId' | 'kind'>>`
    with campaign as materialized (
      select id from campaigns where account_id = ${accountId} and id = any (${column(({ send }) => send.campaignId)})
        and deleted is null and status in ('active', 'complete') for share skip locked)
    update post_sends s set state = 'sending', intent = ${now}, progress = i.progress
    from unnest(${column(({ send }) => send.postId)}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.kind)}::text[], ${column(({ send }) => send.fence)}::bigint[],
      ${column(({ progress }) => JSON.stringify(progress))}::jsonb[]) as i (post_id, credential_id, kind, fence, progress), campaign c, posts p
    where s.account_id = ${accountId} and s.post_id = i.post_id and s.credential_id = i.credential_id and s.kind = i.kind
      and s.fence = i.fence and s.state in ('preparing', 'sending') and c.id = s.campaign_id
      and p.account_id = s.account_id and p.id = s.post_id and p.approve_status = 'Approved'
    returning s.post_id, s.credential_id, s.kind`.execute(db)
  const written = new Set(rows.map(keyOf))
  return intents.map(({ send }) => written.has(keyOf(send)))
}

export const keyOf = ({ postId, credentialId, kind }: Pick<TakenSend, 'postId' | 'credentialId' | 'kind'>) =>
  `${postId} ${credentialId} ${kind}`

/** Why a send may not be made. While a campaign is ending its posts are about to be taken back. */
export async function reasonAgainst(db: Db, send: TakenSend): Promise<Error> {
  const { rows } = await sql<{ ended: boolean }>`
    select (c.status = 'archived' and not c.ending) or c.deleted is not null as ended from post_sends s
    join campaigns c on c.account_id = s.account_id and c.id = s.campaign_id
    where ${own(send)} and s.state in ('preparing', 'sending')`.execute(db)
  if (!rows[0]) return new LostSend('The post was changed or taken over meanwhile.')
  if (rows[0].ended) return conflict('The campaign was archived or deleted before the post could go out.')
  return new HeldSend('The campaign is paused or being changed.')
}

/** Keeps how far preparing has come. */
export async function keepProgress(db: Db, send: TakenSend, progress: Progress) {
  const { numAffectedRows } = await sql`
    update post_sends s set progress = ${JSON.stringify(progress)} where ${own(send)} and s.state in ('preparing', 'sending')`.execute(
    db,
  )
  if (numAffectedRows === 0n) throw new LostSend('The post was changed or taken over meanwhile.')
}

interface Parking {
  state: 'preparing' | 'sending' | 'unknown'
  due: Date
  /** Stays as it is unless given. */
  progress?: Progress
  error?: string
}

/** Comes back to a send later: while the network works on it, or to look for it. */
export async function park(db: Db, send: TakenSend, { state, due, progress, error = '' }: Parking) {
  await sql`
    update post_sends s set state = ${state}, due = ${due}, looks = ${send.looks}, error = ${error},
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

/** Puts a send that did not happen back; in a paused campaign it waits until that goes on. */
export async function putBack(db: Db, send: TakenSend, { due, now, progress, error }: Retry) {
  const soon = new Date(now.getTime() + 1_000)
  await sql`
    with campaign as materialized (${campaignOf(send)})
    update post_sends s set state = 'waiting', intent = null, looks = 0, error = ${error}, progress = ${progress && JSON.stringify(progress)},
      due = case (select status from campaign) when 'paused' then null when 'active' then ${due}::timestamptz when 'complete' then ${due}::timestamptz
        else greatest(${soon}::timestamptz, ${due}::timestamptz) end
    where ${own(send)} and ${begun}`.execute(db)
}
