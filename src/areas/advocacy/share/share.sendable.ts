import { sql } from 'kysely'
import { advocateOn } from '#areas/figures/figure.ts'
import type { LinkPlace } from '#areas/links/link/link-making.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { contentPublisher, type LinkMaker } from '#areas/publishing/post/post-content.ts'
import type { Send, Sendable } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import { shareAllowance, shareRefusal } from './share-allowance.ts'
import { lockEndedShares, type ShareContent } from './share-end.ts'

/** A share on an advocate's profile: published once, with links of its own. */
export const shareSendable = (installation: ProfileInstallation, makeLinks: LinkMaker): Sendable<ShareContent> => ({
  kind: 'share',
  noun: 'share',
  readContents: read,
  allowedContents: shareAllowance,
  refusalReason: shareRefusal,
  ...contentPublisher(installation, makeLinks, { linkPlaceOf: placeOf, belongsToOther: isAnothers }),
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

/** A click counts for whatever the share belongs to. */
const placeOf = (send: Send, { storyId: story, boardId: board, userId, messageId }: ShareContent): LinkPlace => ({
  ...{ postId: '', credentialId: send.credentialId, network: send.network, campaignId: send.groupId, messageId },
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
