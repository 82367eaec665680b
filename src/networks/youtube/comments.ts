import type { Actor } from '../connector/actor.ts'
import type { Found, Receipt, Target } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { ask, askList, type Calls, watchUrl } from './calls.ts'
import type { Comment, CommentThread } from './shapes.ts'
import { shownText } from './words.ts'

/** A comment under the video, or an answer in the thread of a comment: YouTube knows two levels. */
export async function reply(calls: Calls, actor: Actor, to: Target, textOriginal: string): Promise<Receipt> {
  refuseUnfitComment('YouTube', textOriginal, [])
  const parentId = rootOf(to)
  const under = { channelId: actor.remoteId, videoId: to.postId, topLevelComment: { snippet: { textOriginal } } }
  const { body } = await ask(calls, actor, parentId ? 'comments.insert' : 'commentThreads.insert', {
    query: { part: 'snippet' },
    json: { snippet: parentId ? { parentId, textOriginal } : under },
    irreversible: true,
  })
  const made = (body ?? {}) as Comment & CommentThread
  if (!made.id) throw new NetworkError('YouTube', { kind: 'unknownOutcome' }, 'YouTube named no comment.')
  return receiptOf(calls, to, { ...(made.snippet?.topLevelComment ?? made), id: made.id })
}

/** Looks through the newest comments under the video, or through all answers in the thread. */
export async function findReply(calls: Calls, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const earliest = since.getTime() - 60_000
  const wanted = shownText(text)
  let pageToken: string | undefined
  for (let page = 0; page < maximumPages; page++) {
    const { comments, next } = await said(calls, actor, to, pageToken)
    const found = comments.find(
      ({ snippet }) =>
        snippet?.authorChannelId?.value === actor.remoteId &&
        shownText(snippet.textOriginal ?? '') === wanted &&
        timeOf(snippet) >= earliest,
    )
    if (found) return { state: 'found', ...receiptOf(calls, to, found) }
    // Only threads come newest first.
    const isPast = rootOf(to) === undefined && comments.some(({ snippet }) => timeOf(snippet) < earliest)
    if (!next || isPast) return { state: 'absent' }
    pageToken = next
  }
  return { state: 'undecidable', why: 'There are too many comments to look through; look under the video.' }
}

const maximumPages = 5

async function said(calls: Calls, actor: Actor, to: Target, pageToken?: string) {
  const parentId = rootOf(to)
  const query = { part: 'snippet', maxResults: 100, textFormat: 'plainText', pageToken }
  if (parentId) {
    const answers = await askList<Comment>(calls, actor, 'comments.list', { ...query, parentId })
    return { comments: answers.items, next: answers.nextPageToken }
  }
  const under = { ...query, videoId: to.postId, order: 'time' }
  const threads = await askList<CommentThread>(calls, actor, 'commentThreads.list', under)
  return {
    comments: threads.items.flatMap(({ snippet }) => snippet?.topLevelComment ?? []),
    next: threads.nextPageToken,
  }
}

const timeOf = (snippet: Comment['snippet']) => Date.parse(snippet?.publishedAt ?? '')

/** The id of an answer begins with the id of the comment its thread begins with. */
const rootOf = ({ commentId, rootCommentId }: Target) => rootCommentId ?? commentId?.split('.')[0]

const receiptOf = (calls: Calls, { postId }: Target, { id = '', snippet }: Comment): Receipt => ({
  remoteId: id,
  remoteUrl: watchUrl(calls.app, postId, id),
  at: snippet?.publishedAt === undefined ? calls.installation.clock.now() : new Date(snippet.publishedAt),
})
