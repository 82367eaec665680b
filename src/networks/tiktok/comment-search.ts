import type { Actor } from '../connector/actor.ts'
import type { Found, Target } from '../connector/draft.ts'
import type { TikTokCalls } from './calls.ts'
import { type Row, textIn, timeIn } from './row.ts'
import { fetchComment, listThread } from './threads.ts'

/** Searches for a comment of our own whose answer got lost. */
export async function findReply(
  calls: TikTokCalls,
  actor: Actor,
  to: Target,
  text: string,
  since: Date,
): Promise<Found> {
  const root = await rootOf(calls, actor, to)
  if (root === 'gone') return undecidable('The comment that was answered is gone')
  const said = await ownSince(calls, actor, to.postId, root, new Date(since.getTime() - 60_000))
  if (!said) return undecidable('There are too many newer comments to look through')
  const [found, ...more] = said.filter((comment) => (textIn(comment, 'text') ?? '').trim() === text.trim())
  if (!found) return { state: 'absent' }
  if (more.length > 0) return undecidable('There are several comments with these words')
  const at = timeIn(found, 'create_time') ?? calls.clock.now()
  return { state: 'found', remoteId: textIn(found, 'comment_id') ?? '', at }
}

/** A reply to a reply stands under the same top-level comment; nothing for a comment under the video itself. */
async function rootOf(calls: TikTokCalls, actor: Actor, to: Target): Promise<string | undefined | 'gone'> {
  if (to.commentId === undefined || to.rootCommentId !== undefined) return to.rootCommentId
  const comment = await fetchComment(calls, actor, to.postId, to.commentId)
  return comment ? (textIn(comment, 'parent_comment_id') ?? to.commentId) : 'gone'
}

/** Nothing when there are more than could be looked through. */
async function ownSince(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  commentId: string | undefined,
  since: Date,
): Promise<Row[] | undefined> {
  const own: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const found = await listThread(calls, actor, postId, commentId, cursor)
    const newer = found.comments.filter((comment) => (timeIn(comment, 'create_time') ?? since) >= since)
    own.push(...newer.filter(({ owner }) => owner === true))
    cursor = found.cursor
    if (cursor === undefined || newer.length < found.comments.length) return own
  }
  return undefined
}

const undecidable = (why: string): Found => ({ state: 'undecidable', why: `${why}; look at the post on TikTok.` })

const mostPages = 8
