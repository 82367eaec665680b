import { type Selectable, sql } from 'kysely'
import { advocateOn, dimensionCounters, type Recount } from '#areas/counters/counter.ts'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { releaseAllMedia } from '#areas/media/asset/asset.ts'
import type { PublishedContent } from '#areas/publishing/post/post-content.ts'
import type { EndedSend } from '#areas/sending/sendable.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Shares } from '#kernel/database/tables.ts'
import { notifyStoriesChanged } from '../story/story.ts'

export type ShareRow = Selectable<Shares>

/** Content of a share on an advocate's profile. */
export interface ShareContent extends PublishedContent {
  storyId: string
  boardId: string
  userId: string
  messageId: string
}

/** Effects of sent and failed shares: rows, share counts of stories, and counters. */
export async function lockEndedShares(context: Context, ends: readonly EndedSend<ShareContent>[]) {
  // Stories before shares, the lock order.
  await holdStories(context, [...new Set(ends.map(({ content }) => content.storyId))])
  const shares = await lockShares(
    context,
    ends.map(({ send }) => send.contentId),
  )
  const byId = new Map(shares.map((share) => [share.id, share]))
  const applyOutcomes = async (accepted: readonly EndedSend<ShareContent>[]) => {
    const known = accepted.filter(({ send }) => byId.has(send.contentId))
    if (known.length === 0) return
    await writeEnds(context, known)
    const sent = known.filter(({ outcome }) => outcome.kind === 'sent')
    await countForStories(
      context,
      sent.map(({ content }) => content.storyId),
    )
    notifyStoriesChanged(
      context,
      sent.map(({ content: { storyId: id, boardId } }) => ({ id, boardId })),
    )
    await releaseAllMedia(
      context,
      known.map(({ send }) => send.contentId),
    )
    await incrementCounters(
      context,
      sent.flatMap(({ send, outcome }) => {
        const at = outcome.kind === 'sent' ? outcome.receipt.at : context.now
        return shareIncrement(context, { ...(byId.get(send.contentId) as ShareRow), at })
      }),
    )
  }
  return { applyOutcomes }
}

const holdStories = ({ db, accountId }: Context, ids: readonly string[]) =>
  db
    .selectFrom('stories')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('stories', 'no key update'))
    .execute()

/** Locks existing shares, so that a concurrent cancellation waits. */
export const lockShares = ({ db, accountId }: Context, ids: readonly string[]): Promise<ShareRow[]> =>
  db
    .selectFrom('shares')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('shares', 'no key update'))
    .execute()

async function writeEnds({ db, accountId, now }: Context, ends: readonly EndedSend<ShareContent>[]) {
  const rows = ends.map(({ send, outcome }) =>
    outcome.kind === 'sent'
      ? { id: send.contentId, status: 'complete', unconfirmed: false, error: '', ...outcome.receipt }
      : {
          id: send.contentId,
          status: 'error',
          unconfirmed: outcome.kind === 'unconfirmed',
          error: outcome.error,
          remoteId: '',
          remoteUrl: '',
          at: null,
        },
  )
  const column = <Value>(read: (row: (typeof rows)[number]) => Value) => rows.map(read)
  const writing = sql`
    update shares s set status = e.status, is_unconfirmed = e.unconfirmed, error = e.error, remote_id = e.remote_id, remote_url = e.remote_url,
      published_date = e.at, modified = ${now}
    from unnest(${column(({ id }) => id)}::text[], ${column(({ status }) => status)}::text[], ${column(({ unconfirmed }) => unconfirmed)}::boolean[],
      ${column(({ error }) => error)}::text[], ${column(({ remoteId }) => remoteId)}::text[], ${column(({ remoteUrl = '' }) => remoteUrl)}::text[],
      ${column(({ at }) => at)}::timestamptz[]) as e (id, status, unconfirmed, error, remote_id, remote_url, at)
    where s.account_id = ${accountId} and s.id = e.id`
  await later(db, writing)
}

async function countForStories({ db, accountId }: Context, storyIds: readonly string[]) {
  const counts = new Map<string, number>()
  for (const id of storyIds) if (id !== '') counts.set(id, (counts.get(id) ?? 0) + 1)
  if (counts.size === 0) return
  const counting = sql`
    update stories s set share_count = s.share_count + n.shares
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as n (id, shares)
    where s.account_id = ${accountId} and s.id = n.id`
  await later(db, counting)
}

type Shared = Pick<ShareRow, 'boardId' | 'userId' | 'storyId' | 'messageId' | 'campaignId' | 'network' | 'credentialId'>

/** Must match `shareRecount`. */
export function shareIncrement({ accountId }: Context, { at, ...share }: Shared & { at: Date }): Increment {
  const { boardId: board, userId, storyId: story, messageId: message, campaignId: campaign, network } = share
  const attributes = dimensionCounters(accountId, { campaign, network, author: userId, profile: share.credentialId })
  return { name: 'shares', at, of: { ...attributes, message, story, board, advocate: advocateOn(board, userId) } }
}

/** Must match `shareIncrement`. */
export const shareRecount: Recount = {
  names: ['shares'],
  increments: (accountId, from, to) => sql`
    select 'shares' as name, s.published_date as at, o.kind, o.id, 1 as amount from shares s cross join lateral (values
      ('account', ${accountId}), ('campaign', coalesce(nullif(s.campaign_id, ''), '-')), ('network', s.network), ('profile', s.credential_id),
      ('author', s.user_id), ('cell', coalesce(nullif(s.campaign_id, ''), '-') || ' ' || s.network || ' ' || s.user_id || ' ' || s.credential_id),
      ('message', s.message_id), ('story', s.story_id), ('board', s.board_id), ('advocate', s.board_id || ' ' || s.user_id)) o (kind, id)
    where s.account_id = ${accountId} and s.status = 'complete' and s.published_date >= ${from} and s.published_date < ${to}`,
  first: (accountId) =>
    sql`select min(published_date) from shares where account_id = ${accountId} and status = 'complete'`,
}
