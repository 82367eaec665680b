import { sql } from 'kysely'
import { linksOf } from '#areas/links/link/link-making.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { EndedSend, Send, Sendable } from '#areas/sending/sendable.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { commentProblems } from '#networks/content/content-check.ts'
import type { MakeLinks } from './link-batches.ts'
import { postAllowance, postRefusal } from './post-allowance.ts'
import { lockPosts } from './post-settle.ts'
import { type Saying, type Shorten, shortened } from './short-links.ts'

/** What is said under a post on a profile. */
interface CommentContent {
  messageId: string
  text: string
  mediaId: string | null
  /** What the network calls the post. */
  postRemoteId: string
}

/** The first comment under a post on a profile: said once, when the post is out. */
export const firstCommentSendable = (
  installation: ProfileInstallation,
  makeLinks: MakeLinks,
): Sendable<CommentContent> => ({
  kind: 'first-comment',
  noun: 'comment',
  read,
  allowance: postAllowance,
  refusal: postRefusal,
  async perform({ send, content, connector, actor }, save) {
    const mediaIds = content.mediaId ? [content.mediaId] : []
    const media = await mediaRefs(installation, send.accountId, mediaIds, connector.limits(actor), { whole: true })
    const { text } = await shortened(installation, sayingOf(send, content), makeLinks(send.accountId))
    await save({ stage: 'committing' })
    return { state: 'done', ...(await connector.reply(actor, { postId: content.postRemoteId }, text, media)) }
  },
  async find({ send, content, connector, actor }, since) {
    const db = installation.database.forAccount(send.accountId)
    const known: Shorten = ({ place }) => linksOf(db, send.accountId, place)
    const { text } = await shortened(installation, sayingOf(send, content), known)
    return connector.findReply(actor, { postId: content.postRemoteId }, text, since)
  },
  end,
})

async function read(db: Db, accountId: string, sends: readonly Send[]) {
  const { rows } = await sql<CommentContent & { postId: string; credentialId: string }>`
    select f.post_id, o.credential_id, p.message_id, f.text, f.media_id, o.remote_id as post_remote_id
    from unnest(${sends.map(({ contentId }) => contentId)}::text[], ${sends.map(({ credentialId }) => credentialId)}::text[]) as t (post_id, credential_id)
    join posts p on p.account_id = ${accountId} and p.id = t.post_id
    join first_comments f on f.account_id = ${accountId} and f.post_id = p.id
    join sends o on o.account_id = ${accountId} and o.content_id = t.post_id and o.credential_id = t.credential_id and o.kind = 'post'`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [`${row.postId} ${row.credentialId}`, row]))
  return sends.map(({ contentId, credentialId }) => found.get(`${contentId} ${credentialId}`))
}

const sayingOf = (send: Send, { text, messageId }: CommentContent): Saying => ({
  words: { text, url: '' },
  place: {
    ...{ postId: send.contentId, credentialId: send.credentialId, network: send.network },
    ...{ campaignId: send.groupId, messageId },
  },
  problemsWith: (words) => commentProblems(send.network, words.text).length,
})

async function end(context: Context, ends: readonly EndedSend<CommentContent>[]) {
  // Whoever deletes or changes a post holds it first.
  await lockPosts(context, [...new Set(ends.map(({ send }) => send.contentId))])
  return { follow: async () => {} }
}
