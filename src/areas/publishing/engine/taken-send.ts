import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { Audience, Progress } from '#networks/connector/draft.ts'
import type { Network } from '#networks/manifests.ts'
import type { SendRow, SendState } from '../post/post-row.ts'
import type { LaneClaim } from './lane-claim.ts'

/** A send that is due, taken by the holder of its profile's lane, with everything needed to make it. */
export interface TakenSend
  extends Pick<SendRow, 'postId' | 'kind' | 'campaignId' | 'planned' | 'attempts' | 'looks' | 'intent'> {
  accountId: string
  credentialId: string
  messageId: string
  network: Network
  fence: number
  /** What it was found as, and what it is now. */
  was: SendState
  state: SendState
  progress: Progress | null
  message: string
  subject: string
  linkUrl: string
  linkTitle: string
  description: string
  imageUrl: string
  mediaIds: string[]
  audience: Audience | null
  comment: string | null
  commentMediaId: string | null
  /** The post under which a comment goes. */
  postRemoteId: string | null
}

export interface Take {
  now: Date
  /** Planned before this and never tried: a person decides. */
  lateBefore: Date
  /** Planned before this: a person decides, tried or not, unless the call that makes it visible may be out. */
  holdBefore: Date
  firstLook: number
}

/**
 * Takes the next send that is due of each of these profiles of an account; nothing for one that has none. One that waited too long
 * is held instead; one that was about to be made visible when its process ended is never made again, but looked for. All in
 * one statement, the state together with what decides on it.
 */
export async function takeSends(
  db: Db,
  account: string,
  claims: readonly LaneClaim[],
  { now, lateBefore, holdBefore, firstLook }: Take,
): Promise<(TakenSend | undefined)[]> {
  const isLate = sql`(s.state = 'waiting' and s.attempts = 0 and s.planned < ${lateBefore}
    or s.state in ('waiting', 'preparing') and s.planned < ${holdBefore})`
  const isCut = sql`s.state = 'sending' and s.progress ->> 'stage' = 'committing'`
  const { rows } = await sql<TakenSend>`
    with next as materialized (
      select lane.credential, lane.fence, first.post_id, first.kind, first.state
      from unnest(${claims.map(({ credential }) => credential)}::text[], ${claims.map(({ fence }) => fence)}::bigint[]) as lane (credential, fence)
      cross join lateral (
        select post_id, kind, state from post_sends
        where account_id = ${account} and credential_id = lane.credential and due <= ${now}
        order by due, post_id, kind limit 1 for update) first),
    taken as (
      update post_sends s set fence = next.fence,
        attempts = s.attempts + case when s.state = 'waiting' and not ${isLate} then 1 else 0 end,
        due = case when ${isLate} then null when ${isCut} then greatest(${now}::timestamptz, s.intent + ${firstLook} * interval '1 millisecond') else s.due end,
        state = case when ${isLate} then 'late' when s.state = 'waiting' then 'preparing' when ${isCut} then 'unknown' else s.state end
      from next where s.account_id = ${account} and s.credential_id = next.credential and s.post_id = next.post_id and s.kind = next.kind
      returning s.*, next.state as was)
    select t.account_id, t.post_id, t.credential_id, t.kind, t.campaign_id, t.network, t.state, t.was, t.planned, t.attempts,
      t.looks, t.intent, t.progress, t.fence, p.message_id, m.message, m.subject, m.link_url, m.link_title, m.description, m.image_url,
      array(select mm.media_id from message_media mm where mm.account_id = ${account} and mm.message_id = m.id order by mm.position) as media_ids,
      (select json_build_object('CompanySize', a.company_size, 'Industry', a.industry, 'Function', a.function,
         'Seniority', a.seniority, 'Geography', a.geography, 'Language', a.language) from targeting_presets a
       where a.account_id = ${account} and a.id = p.targeting_preset_id and a.credential_id = t.credential_id) as audience,
      f.text as comment, f.media_id as comment_media_id,
      (select o.remote_id from post_sends o where t.kind = 'comment' and o.account_id = ${account} and o.post_id = t.post_id
         and o.credential_id = t.credential_id and o.kind = 'post') as post_remote_id
    from taken t join posts p on p.account_id = ${account} and p.id = t.post_id
    join messages m on m.account_id = ${account} and m.id = p.message_id
    left join first_comments f on t.kind = 'comment' and f.account_id = ${account} and f.post_id = p.id`.execute(db)
  const byProfile = new Map(rows.map((send) => [send.credentialId, send]))
  return claims.map(({ credential }) => byProfile.get(credential))
}
