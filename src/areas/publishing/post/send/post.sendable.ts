import { sql } from 'kysely'
import { linksOf } from '#areas/links/link/link-making.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Ended, Order, Send, Sendable } from '#areas/sending/sendable.ts'
import { giveUpFollowing, letFollow } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Audience, Draft, MediaRef } from '#networks/connector/draft.ts'
import { type Content, type ContentMedia, contentProblems } from '#networks/content/content-check.ts'
import { type PostlogEntry, writePostlogs } from '../../postlog/postlog-write.ts'
import { postAllowance, postRefusal } from './post-allowance.ts'
import { lockPosts, settlePosts } from './post-settle.ts'
import { type Saying, type Shorten, shortened } from './short-links.ts'

/** What a post says on a profile. */
interface PostContent {
  messageId: string
  message: string
  subject: string
  linkUrl: string
  linkTitle: string
  description: string
  imageUrl: string
  mediaIds: string[]
  audience: Audience | null
}

/** Links of what is about to be sent, made unless they are there. */
export type MakeLinks = (accountId: string) => Shorten

/** A post on a profile: published once, with the comment under it to follow. */
export const postSendable = (installation: ProfileInstallation, makeLinks: MakeLinks): Sendable<PostContent> => ({
  kind: 'post',
  noun: 'post',
  read,
  allowance: postAllowance,
  refusal: postRefusal,
  async perform(order, save, progress) {
    const { send, connector, actor } = order
    // As long as nothing has gone to the network, files are checked before they do.
    const draft = await draftOf(installation, order, makeLinks(send.accountId), !progress)
    return connector.publish(actor, draft, save, progress)
  },
  async find(order, since, progress) {
    const { send, connector, actor } = order
    const db = installation.database.forAccount(send.accountId)
    // Who searches only uses links that were made.
    const known: Shorten = ({ place }) => linksOf(db, send.accountId, place)
    const found = await connector.findPost(actor, await draftOf(installation, order, known, false), since, progress)
    return found.state === 'found' && (await isAnothers(db, send, found.remoteId)) ? { state: 'absent' } : found
  },
  end,
})

async function read(db: Db, accountId: string, sends: readonly Send[]) {
  const { rows } = await sql<PostContent & { postId: string; credentialId: string }>`
    select p.id as post_id, t.credential_id, m.id as message_id, m.message, m.subject, m.link_url, m.link_title, m.description, m.image_url,
      array(select mm.media_id from message_media mm where mm.account_id = ${accountId} and mm.message_id = m.id order by mm.position) as media_ids,
      (select json_build_object('CompanySize', a.company_size, 'Industry', a.industry, 'Function', a.function,
         'Seniority', a.seniority, 'Geography', a.geography, 'Language', a.language) from targeting_presets a
       where a.account_id = ${accountId} and a.id = p.targeting_preset_id and a.credential_id = t.credential_id) as audience
    from unnest(${sends.map(({ contentId }) => contentId)}::text[], ${sends.map(({ credentialId }) => credentialId)}::text[]) as t (post_id, credential_id)
    join posts p on p.account_id = ${accountId} and p.id = t.post_id
    join messages m on m.account_id = ${accountId} and m.id = p.message_id`.execute(db)
  const found = new Map(rows.map((row) => [`${row.postId} ${row.credentialId}`, row]))
  return sends.map(({ contentId, credentialId }) => found.get(`${contentId} ${credentialId}`))
}

async function draftOf(
  installation: ProfileInstallation,
  order: Order<PostContent>,
  shorten: Shorten,
  whole: boolean,
): Promise<Draft> {
  const { send, content, connector, actor } = order
  const { subject: title, linkTitle, description, imageUrl, audience, mediaIds } = content
  const media: MediaRef[] =
    mediaIds.length > 0
      ? await mediaRefs(installation, send.accountId, mediaIds, connector.limits(actor), { whole })
      : []
  const { text, url } = await shortened(installation, sayingOf(send, content, media), shorten)
  return {
    text,
    media,
    ...(title && { title }),
    ...(url && { link: { url, title: linkTitle, description, imageUrl } }),
    ...(audience && { audience }),
  }
}

const sayingOf = (send: Send, content: PostContent, media: readonly MediaRef[]): Saying => ({
  words: { text: content.message, url: content.linkUrl },
  place: {
    ...{ postId: send.contentId, credentialId: send.credentialId, network: send.network },
    ...{ campaignId: send.groupId, messageId: content.messageId },
  },
  problemsWith({ text, url }) {
    const wanted: Content = {
      ...{ text, media: media.map(asContent) },
      ...(content.subject && { title: content.subject }),
      ...(url && { link: { url } }),
    }
    return contentProblems(send.network, wanted).length
  },
})

/** As much of a file as the length of a text can depend on. */
const asContent = ({ mime, bytes, name = '' }: MediaRef): ContentMedia => {
  return { type: mime.startsWith('video/') ? 'Video' : mime === 'application/pdf' ? 'PDF' : 'Image', name, mime, bytes }
}

/** Of two posts with the same text each is found once. */
async function isAnothers(db: Db, { accountId, credentialId, contentId }: Send, remoteId: string) {
  const other = await db
    .selectFrom('postlogs')
    .select('postId')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '=', remoteId)
    .where('postId', '<>', contentId)
    .executeTakeFirst()
  return other !== undefined
}

/** Postlogs, the posts themselves, counters, events, and the comments under them. */
async function end(context: Context, ends: readonly Ended<PostContent>[]) {
  const posts = await lockPosts(context, [...new Set(ends.map(({ send }) => send.contentId))])
  const byId = new Map(posts.map((post) => [post.id, post]))
  const follow = async (kept: readonly Ended<PostContent>[]) => {
    await writePostlogs(
      context,
      kept.flatMap(({ send, outcome }) => {
        const post = byId.get(send.contentId)
        return post ? [{ post, credentialId: send.credentialId, ...entryOf(outcome) }] : []
      }),
    )
    const comments = (isSent: boolean) =>
      kept
        .filter(({ outcome }) => (outcome.kind === 'sent') === isSent)
        .map(({ send: { contentId, credentialId } }) => ({ contentId, credentialId, kind: 'first-comment' }))
    await letFollow(context, comments(true))
    await giveUpFollowing(context, comments(false), 'The post was not published.')
    const settled = new Set(kept.map(({ send }) => send.contentId))
    await settlePosts(
      context,
      posts.filter(({ id }) => settled.has(id)),
    )
  }
  return { follow }
}

function entryOf(outcome: Ended['outcome']): Omit<PostlogEntry, 'post' | 'credentialId'> {
  if (outcome.kind !== 'sent')
    return { status: 'failed', isUnconfirmed: outcome.kind === 'unconfirmed', error: outcome.error }
  const { remoteId, remoteUrl = '', at: publishedDate } = outcome.receipt
  return { status: 'success', remoteId, remoteUrl, publishedDate }
}
