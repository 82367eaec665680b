import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { type LinkTarget, linksOf } from '#areas/links/link/link-create.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { EndedSend, Send, Sendable } from '#areas/sending/sendable.ts'
import { failDependents, releaseDependents } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { commentProblems, firstCommentNetwork } from '#networks/content/content-check.ts'
import {
  contentPublisher,
  createLinkMaker,
  type LinkMaker,
  type PublishedContent,
  type Shorten,
  type ShortenRequest,
  shortenLinks,
} from './post-content.ts'
import { lockPosts, settlePosts } from './post-end.ts'
import { type PostlogEntry, writePostlogs } from './postlog.ts'

/** The kinds of content that publishing sends. */
export function publishingSendables(installation: ProfileInstallation): Sendable[] {
  const makeLinks = createLinkMaker(installation)
  return [postSendable(installation, makeLinks), firstCommentSendable(installation, makeLinks)]
}

interface PostContent extends PublishedContent {
  messageId: string
}

/** A post on one profile; the first comment is sent after it. */
const postSendable = (installation: ProfileInstallation, makeLinks: LinkMaker): Sendable<PostContent> => ({
  kind: 'post',
  noun: 'post',
  readContents: readPosts,
  allowedContents: allowedPosts,
  refusalReason: postRefusal,
  ...contentPublisher<PostContent>(installation, makeLinks, { linkPlaceOf, belongsToOther }),
  lockContents: lockEndedPosts,
})

async function readPosts(db: Db, accountId: string, sends: readonly Send[]) {
  const { rows } = await sql<PostContent & { postId: string; credentialId: string }>`
    select p.id as post_id, t.credential_id, m.id as message_id, m.message, m.subject, m.link_url, m.link_title, m.description, m.image_url, '' as repost_of,
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

const linkPlaceOf = (send: Send, { messageId }: { messageId: string }): LinkTarget => ({
  postId: send.contentId,
  credentialId: send.credentialId,
  network: send.network,
  campaignId: send.groupId,
  messageId,
})

async function belongsToOther(db: Db, { accountId, credentialId, contentId }: Send, remoteId: string) {
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

/** Locks the posts; then writes postlogs, first comments, post statuses, events and counters. */
async function lockEndedPosts(context: Context, ends: readonly EndedSend<PostContent>[]) {
  const posts = await lockPosts(context, [...new Set(ends.map(({ send }) => send.contentId))])
  const byId = new Map(posts.map((post) => [post.id, post]))
  const applyOutcomes = async (ended: readonly EndedSend<PostContent>[]) => {
    const increments = await writePostlogs(
      context,
      ended.flatMap(({ send, outcome }) => {
        const post = byId.get(send.contentId)
        return post ? [{ post, credentialId: send.credentialId, ...postlogEntry(outcome) }] : []
      }),
    )
    const comments = (isSent: boolean) =>
      ended
        .filter(({ send, outcome }) => send.network === firstCommentNetwork && (outcome.kind === 'sent') === isSent)
        .map(({ send: { contentId, credentialId } }) => ({ contentId, credentialId, kind: 'first-comment' }))
    await releaseDependents(context, comments(true))
    await failDependents(context, comments(false), 'The post was not published.')
    const settled = new Set(ended.map(({ send }) => send.contentId))
    await settlePosts(
      context,
      posts.filter(({ id }) => settled.has(id)),
    )
    await incrementCounters(context, increments)
  }
  return { applyOutcomes }
}

function postlogEntry(outcome: EndedSend['outcome']): Omit<PostlogEntry, 'post' | 'credentialId'> {
  if (outcome.kind !== 'sent')
    return { status: 'failed', isUnconfirmed: outcome.kind === 'unconfirmed', error: outcome.error }
  const { remoteId, remoteUrl = '', at: publishedDate, notice = '' } = outcome.receipt
  return { status: 'success', remoteId, remoteUrl, publishedDate, error: notice }
}

interface CommentContent {
  messageId: string
  text: string
  mediaId: string | null
  /** The network's id of the post. */
  postRemoteId: string
}

/** The first comment on one profile, sent once the post is published. */
const firstCommentSendable = (installation: ProfileInstallation, makeLinks: LinkMaker): Sendable<CommentContent> => ({
  kind: 'first-comment',
  noun: 'comment',
  readContents: readComments,
  allowedContents: allowedPosts,
  refusalReason: postRefusal,
  async perform({ send, content, connector, actor }, save) {
    const mediaIds = content.mediaId ? [content.mediaId] : []
    const media = await mediaRefs(installation, send.accountId, mediaIds, connector.limits(actor), { whole: true })
    const { text } = await shortenLinks(installation, shortenRequest(send, content), makeLinks(send.accountId))
    await save({ stage: 'committing' })
    return { state: 'done', ...(await connector.reply(actor, { postId: content.postRemoteId }, text, media)) }
  },
  async findSent({ send, content, connector, actor }, since) {
    const db = installation.database.forAccount(send.accountId)
    const known: Shorten = ({ place }) => linksOf(db, send.accountId, place)
    const { text } = await shortenLinks(installation, shortenRequest(send, content), known)
    return connector.findReply(actor, { postId: content.postRemoteId }, text, since)
  },
  lockContents: lockEndedComments,
})

async function readComments(db: Db, accountId: string, sends: readonly Send[]) {
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

const shortenRequest = (send: Send, content: CommentContent): ShortenRequest => ({
  linked: { text: content.text, url: '' },
  place: linkPlaceOf(send, content),
  countProblems: ({ text }) => commentProblems(send.network, text).length,
})

async function lockEndedComments(context: Context, ends: readonly EndedSend<CommentContent>[]) {
  // Lock order: the post before its sends.
  await lockPosts(context, [...new Set(ends.map(({ send }) => send.contentId))])
  return { applyOutcomes: async () => {} }
}

/**
 * Posts that are approved and whose campaign is not over. A campaign that is being changed is skipped, not waited for: the send is retried.
 * Posts are looked up one by one: until the table is analyzed, a join is planned as if an account had a handful of them.
 */
const allowedPosts = (accountId: string, postIds: readonly string[]) => sql`
  with post as materialized (
    select p.id, p.campaign_id from unnest(${[...new Set(postIds)]}::text[]) as wanted (id) cross join lateral (
      select id, campaign_id from posts where account_id = ${accountId} and id = wanted.id and approve_status = 'Approved' limit 1) p),
  campaign as materialized (
    select id, status = 'paused' as is_held from campaigns where account_id = ${accountId} and deleted is null
      and status in ('active', 'complete', 'paused') and id in (select campaign_id from post) ${lockFreeRows('campaigns', 'share')})
  select post.id as content_id, campaign.is_held from post join campaign on campaign.id = post.campaign_id`

/** Not while a campaign is still ending: its posts are about to be withdrawn. */
async function postRefusal(db: Db, { accountId, groupId }: Send): Promise<string | undefined> {
  const { rows } = await sql<{ ended: boolean }>`
    select (status = 'archived' and not ending) or deleted is not null as ended from campaigns
    where account_id = ${accountId} and id = ${groupId}`.execute(db)
  return rows[0]?.ended ? 'The campaign was archived or deleted before the post could go out.' : undefined
}
