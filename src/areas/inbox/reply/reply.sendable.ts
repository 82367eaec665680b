import { sql } from 'kysely'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Send, Sendable, SendTask } from '#areas/sending/sendable.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Found } from '#networks/connector/draft.ts'
import type { Limits, MediaLimits } from '#networks/content/content.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { lockEndedReplies, type ReplyRow, replyKind } from './reply.ts'
import { correspondentOf, targetOf } from './reply-check.ts'

/** A reply to a conversation, sent once. */
export const replySendable = (installation: ProfileInstallation): Sendable<ReplyRow> => ({
  kind: replyKind,
  noun: 'reply',
  readContents: read,
  allowedContents: (accountId, ids) => sql`
    select id as content_id, false as is_held from inbox_replies
    where account_id = ${accountId} and id = any (${ids}) and status = 'waiting'`,
  async refusalReason(db, { accountId, contentId }) {
    const [reply] = await repliesOf(db, accountId, [contentId])
    return reply?.status === 'waiting' ? undefined : 'The reply was taken back.'
  },
  async perform({ send, content, connector, actor }, save) {
    const limits = fitting(connector.limits(actor), content)
    const media = await mediaRefs(installation, send.accountId, content.mediaIds, limits, { whole: true })
    await save({ stage: 'committing' })
    const receipt =
      content.kind === 'message'
        ? await connector.message(actor, correspondentOf(content), content.text, media)
        : await connector.reply(actor, targetOf(content), content.text, media)
    return { state: 'done', ...receipt }
  },
  async findSent(order, since) {
    const found = await findOne(order, since)
    const db = installation.database.forAccount(order.send.accountId)
    return found.state === 'found' && (await isAnothers(db, order.send, found.remoteId)) ? duplicateText : found
  },
  lockContents: lockEndedReplies,
})

async function read(db: Db, accountId: string, sends: readonly Send[]) {
  const rows = await repliesOf(
    db,
    accountId,
    sends.map(({ contentId }) => contentId),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return sends.map(({ contentId }) => found.get(contentId))
}

const repliesOf = (db: Db, accountId: string, ids: readonly string[]): Promise<ReplyRow[]> =>
  db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .execute()

const findOne = ({ content, connector, actor }: SendTask<ReplyRow>, since: Date): Promise<Found> =>
  content.kind === 'message'
    ? connector.findMessage(actor, correspondentOf(content), content.text, since)
    : connector.findReply(actor, targetOf(content), content.text, since)

/** Networks are searched by text: if the same text was sent just before, the match may be the other reply. */
const duplicateText: Found = { state: 'undecidable', why: 'The same words were sent there a moment before.' }

async function isAnothers(db: Db, { accountId, credentialId, contentId }: Send, remoteId: string) {
  const other = await db
    .selectFrom('inboxReplies')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '=', remoteId)
    .where('id', '<>', contentId)
    .executeTakeFirst()
  return other !== undefined
}

/** Limits of replies on the network, which may be lower than those of posts. */
function fitting(limits: Limits, { network, kind }: ReplyRow): Limits {
  const { commentMedia, messageMedia } = manifestOf(network as Network)
  const own: MediaLimits | undefined = kind === 'message' ? messageMedia : commentMedia
  return own?.images.rule ? { ...limits, images: own.images } : limits
}
