import { sql } from 'kysely'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { LinkPlace } from '#areas/links/link/link-making.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { EndedSend, Send, Sendable } from '#areas/sending/sendable.ts'
import { failDependents, releaseDependents } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { type PostlogEntry, writePostlogs } from '../../postlog/postlog-write.ts'
import { published, type Said } from './draft.ts'
import type { MakeLinks } from './link-batches.ts'
import { postAllowance, postRefusal } from './post-allowance.ts'
import { lockPosts, settlePosts } from './post-settle.ts'

/** What a post says on a profile. */
interface PostContent extends Said {
  messageId: string
}

/** A post on a profile: published once, with the comment under it to follow. */
export const postSendable = (installation: ProfileInstallation, makeLinks: MakeLinks): Sendable<PostContent> => ({
  kind: 'post',
  noun: 'post',
  read,
  allowance: postAllowance,
  refusal: postRefusal,
  ...published(installation, makeLinks, { placeOf, isAnothers }),
  end,
})

async function read(db: Db, accountId: string, sends: readonly Send[]) {
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

const placeOf = (send: Send, { messageId }: PostContent): LinkPlace => ({
  ...{ postId: send.contentId, credentialId: send.credentialId, network: send.network },
  ...{ campaignId: send.groupId, messageId },
})

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
async function end(context: Context, ends: readonly EndedSend<PostContent>[]) {
  const posts = await lockPosts(context, [...new Set(ends.map(({ send }) => send.contentId))])
  const byId = new Map(posts.map((post) => [post.id, post]))
  const follow = async (kept: readonly EndedSend<PostContent>[]) => {
    const facts = await writePostlogs(
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
    await releaseDependents(context, comments(true))
    await failDependents(context, comments(false), 'The post was not published.')
    const settled = new Set(kept.map(({ send }) => send.contentId))
    await settlePosts(
      context,
      posts.filter(({ id }) => settled.has(id)),
    )
    await addFacts(context, facts)
  }
  return { follow }
}

function entryOf(outcome: EndedSend['outcome']): Omit<PostlogEntry, 'post' | 'credentialId'> {
  if (outcome.kind !== 'sent')
    return { status: 'failed', isUnconfirmed: outcome.kind === 'unconfirmed', error: outcome.error }
  const { remoteId, remoteUrl = '', at: publishedDate } = outcome.receipt
  return { status: 'success', remoteId, remoteUrl, publishedDate }
}
