import { sql } from 'kysely'
import { advocateOn } from '#areas/counters/counter.ts'
import type { LinkTarget } from '#areas/links/link/link-create.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { contentPublisher, type LinkMaker } from '#areas/publishing/post/post-content.ts'
import type { Send, Sendable } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { lockEndedShares, type ShareContent } from './share-end.ts'

/** A share on an advocate's profile: published once, with its own links. */
export const shareSendable = (installation: ProfileInstallation, makeLinks: LinkMaker): Sendable<ShareContent> => ({
  kind: 'share',
  noun: 'share',
  readContents: read,
  allowedContents: shareAllowance,
  refusalReason: shareRefusal,
  ...contentPublisher(installation, makeLinks, { linkPlaceOf: clickAttributes, belongsToOther: isAnothers }),
  lockContents: lockEndedShares,
})

async function read(db: Db, accountId: string, sends: readonly Send[]) {
  const { rows } = await sql<ShareContent & { id: string }>`
    select s.id, s.story_id, s.board_id, s.user_id, s.message_id, s.message, s.subject, s.link_url, s.link_title, s.description, s.image_url,
      s.media_ids, s.repost_of, null as audience
    from shares s where s.account_id = ${accountId} and s.id = any (${sends.map(({ contentId }) => contentId)})`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return sends.map(({ contentId }) => found.get(contentId))
}

/** Clicks count for the share's campaign, story, board and advocate. */
const clickAttributes = (
  send: Send,
  { storyId: story, boardId: board, userId, messageId }: ShareContent,
): LinkTarget => ({
  postId: '',
  credentialId: send.credentialId,
  network: send.network,
  campaignId: send.groupId,
  messageId,
  share: {
    id: send.contentId,
    countsFor: { share: send.contentId, story, board, advocate: advocateOn(board, userId) },
  },
})

async function isAnothers(db: Db, { accountId, credentialId, contentId }: Send, remoteId: string) {
  const other = await db
    .selectFrom('shares')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '=', remoteId)
    .where('id', '<>', contentId)
    .executeTakeFirst()
  return other !== undefined
}

/** Whether shares may still be sent depends on campaign, story and membership. */

/** Writers of a campaign lock its row; the sender skips it and retries. */
const shareAllowance = (accountId: string, shareIds: readonly string[]) => sql`
  with campaign as materialized (
    select id, status = 'paused' as is_held from campaigns where account_id = ${accountId} and deleted is null
      and status in ('active', 'complete', 'paused')
      and id in (select campaign_id from shares where account_id = ${accountId} and id = any (${shareIds})) ${lockFreeRows('campaigns', 'share')})
  select s.id as content_id, c.is_held from shares s join campaign c on c.id = s.campaign_id
  join boards b on b.account_id = ${accountId} and b.id = s.board_id and b.status = 'active'
  join board_members m on m.account_id = ${accountId} and m.board_id = s.board_id and m.user_id = s.user_id
  left join stories t on t.account_id = ${accountId} and t.id = s.story_id
  where s.account_id = ${accountId} and s.id = any (${shareIds}) and s.status = 'pending' and (s.story_id = '' or t.status = 'approved')`

interface ShareState {
  campaignEnded: boolean
  isMember: boolean
  storyGone: boolean
}

/** A share withdrawn while it waited isn't sent later: the advocate sees why, and may share again. */
async function shareRefusal(db: Db, { accountId, contentId }: Send): Promise<string | undefined> {
  const { rows } = await sql<ShareState>`
    select (c.status = 'archived' and not c.ending) or c.deleted is not null as campaign_ended,
      b.id is not null and m.user_id is not null as is_member,
      s.story_id <> '' and coalesce(t.status, '') <> 'approved' as story_gone
    from shares s
    join campaigns c on c.account_id = ${accountId} and c.id = s.campaign_id
    left join boards b on b.account_id = ${accountId} and b.id = s.board_id and b.status = 'active'
    left join board_members m on m.account_id = ${accountId} and m.board_id = s.board_id and m.user_id = s.user_id
    left join stories t on t.account_id = ${accountId} and t.id = s.story_id
    where s.account_id = ${accountId} and s.id = ${contentId}`.execute(db)
  const [state] = rows
  if (!state) return 'The share was taken back.'
  if (state.campaignEnded) return 'The campaign was archived or deleted before this could be shared.'
  if (!state.isMember) return 'The board was archived, or the advocate is no longer on it.'
  return state.storyGone ? 'The story was changed or withdrawn before it could be shared.' : undefined
}
