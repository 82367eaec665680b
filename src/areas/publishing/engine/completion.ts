import { sql } from 'kysely'
import type { ProfileWorld } from '#areas/profiles/access/profile-row.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { giveUpComments, setCommentsGoing } from '../post/comment-send.ts'
import { lockPosts, settlePosts } from '../post/post-settle.ts'
import { noteLinks } from '../postlog/postlog-links.ts'
import { type PostlogEntry, writePostlogs } from '../postlog/postlog-write.ts'
import type { Outcome } from './outcome.ts'
import { keyOf } from './send-writes.ts'
import { mayHaveLinks } from './short-links.ts'
import type { TakenSend } from './taken-send.ts'

/** How a send ended. */
export interface Ended {
  send: TakenSend
  outcome: Extract<Outcome, { kind: 'sent' | 'failed' | 'unconfirmed' }>
}

/**
 * Writes down how sends of an account ended, together with everything that follows from it: postlogs, posts, counters, events, all
 * in one transaction. Tells of each whether it stands: what another process has by now, or nobody any more, does not.
 */
export const complete = (world: ProfileWorld, accountId: string, ends: readonly Ended[]): Promise<boolean[]> =>
  change(world, systemActor(accountId, world.clock.now()), async (context) => {
    const posts = await lockPosts(context, [...new Set(ends.map(({ send }) => send.postId))])
    const byId = new Map(posts.map((post) => [post.id, post]))
    const kept = await endSends(context, ends)
    const ofPosts = ends.filter((end) => kept.has(keyOf(end.send)) && end.send.kind === 'post')
    await writePostlogs(
      context,
      ofPosts.flatMap(({ send, outcome }) => {
        const post = byId.get(send.postId)
        return post ? [{ post, credentialId: send.credentialId, ...entryOf(outcome) }] : []
      }),
    )
    await noteLinks(
      context,
      ends.filter(({ send }) => kept.has(keyOf(send)) && mayHaveLinks(send)).map(({ send }) => send),
    )
    const commentsAfter = (isSent: boolean) =>
      ofPosts.filter(({ outcome }) => (outcome.kind === 'sent') === isSent).map(({ send }) => send)
    await setCommentsGoing(context, commentsAfter(true))
    await giveUpComments(context, commentsAfter(false))
    const settled = new Set(ofPosts.map(({ send }) => send.postId))
    await settlePosts(
      context,
      posts.filter(({ id }) => settled.has(id)),
    )
    return ends.map(({ send }) => kept.has(keyOf(send)))
  })

function entryOf(outcome: Ended['outcome']): Omit<PostlogEntry, 'post' | 'credentialId'> {
  if (outcome.kind !== 'sent')
    return { status: 'failed', isUnconfirmed: outcome.kind === 'unconfirmed', error: outcome.error }
  const { remoteId, remoteUrl = '', at: publishedDate } = outcome.receipt
  return { status: 'success', remoteId, remoteUrl, publishedDate }
}

/** Those that were still this process's. */
async function endSends({ db, accountId }: Context, ends: readonly Ended[]): Promise<Set<string>> {
  const column = <Value>(read: (end: Ended) => Value) => ends.map(read)
  const { rows } = await sql<Pick<TakenSend, 'postId' | 'credentialId' | 'kind'>>`
    update post_sends s set state = e.state, due = null, progress = null, error = e.error, remote_id = e.remote_id
    from unnest(${column(({ send }) => send.postId)}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.kind)}::text[], ${column(({ send }) => send.fence)}::bigint[],
      ${column(({ outcome }) => outcome.kind)}::text[], ${column(({ outcome }) => (outcome.kind === 'sent' ? '' : outcome.error))}::text[],
      ${column(({ outcome }) => (outcome.kind === 'sent' ? outcome.receipt.remoteId : ''))}::text[])
      as e (post_id, credential_id, kind, fence, state, error, remote_id)
    where s.account_id = ${accountId} and s.post_id = e.post_id and s.credential_id = e.credential_id and s.kind = e.kind
      and s.fence = e.fence and s.state in ('preparing', 'sending', 'unknown')
    returning s.post_id, s.credential_id, s.kind`.execute(db)
  return new Set(rows.map(keyOf))
}
