import type { Actor } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Found, Receipt, Target } from '../connector/draft.ts'
import { rejectInvalidComment } from '../content/draft-check.ts'
import type { Comment, CommentThread } from './client.ts'
import { request, requestList, watchUrl, type YouTubeClient } from './client.ts'
import { displayedText } from './manifest.ts'

/** A comment under the video, or a reply in a comment's thread: YouTube has two levels. */
export async function reply(client: YouTubeClient, actor: Actor, to: Target, textOriginal: string): Promise<Receipt> {
  rejectInvalidComment('YouTube', textOriginal, [])
  const parentId = rootOf(to)
  const under = { channelId: actor.remoteId, videoId: to.postId, topLevelComment: { snippet: { textOriginal } } }
  const { body } = await request(client, actor, parentId ? 'comments.insert' : 'commentThreads.insert', {
    query: { part: 'snippet' },
    json: { snippet: parentId ? { parentId, textOriginal } : under },
    irreversible: true,
  })
  const made = (body ?? {}) as Comment & CommentThread
  if (!made.id) throw new NetworkError('YouTube', { kind: 'unknownOutcome' }, 'YouTube named no comment.')
  return receiptOf(client, to, { ...(made.snippet?.topLevelComment ?? made), id: made.id })
}

/** Searches the newest comments under the video, or all replies of the thread. */
export async function findReply(
  client: YouTubeClient,
  actor: Actor,
  to: Target,
  text: string,
  since: Date,
): Promise<Found> {
  const earliest = since.getTime() - 60_000
  const expected = displayedText(text)
  let pageToken: string | undefined
  for (let page = 0; page < maximumPages; page++) {
    const { comments, next } = await readComments(client, actor, to, pageToken)
    const found = comments.find(
      ({ snippet }) =>
        snippet?.authorChannelId?.value === actor.remoteId &&
        displayedText(snippet.textOriginal ?? '') === expected &&
        timeOf(snippet) >= earliest,
    )
    if (found) return { state: 'found', ...receiptOf(client, to, found) }
    // Only threads are sorted newest first.
    const isPast = rootOf(to) === undefined && comments.some(({ snippet }) => timeOf(snippet) < earliest)
    if (!next || isPast) return { state: 'absent' }
    pageToken = next
  }
  return { state: 'undecidable', why: 'There are too many comments to look through; look under the video.' }
}

const maximumPages = 5

async function readComments(client: YouTubeClient, actor: Actor, to: Target, pageToken?: string) {
  const parentId = rootOf(to)
  const query = { part: 'snippet', maxResults: 100, textFormat: 'plainText', pageToken }
  if (parentId) {
    const replies = await requestList<Comment>(client, actor, 'comments.list', { ...query, parentId })
    return { comments: replies.items, next: replies.nextPageToken }
  }
  const under = { ...query, videoId: to.postId, order: 'time' }
  const threads = await requestList<CommentThread>(client, actor, 'commentThreads.list', under)
  return {
    comments: threads.items.flatMap(({ snippet }) => snippet?.topLevelComment ?? []),
    next: threads.nextPageToken,
  }
}

const timeOf = (snippet: Comment['snippet']) => Date.parse(snippet?.publishedAt ?? '')

/** The id of a reply starts with the id of its thread's top-level comment. */
const rootOf = ({ commentId, rootCommentId }: Target) => rootCommentId ?? commentId?.split('.')[0]

const receiptOf = (client: YouTubeClient, { postId }: Target, { id = '', snippet }: Comment): Receipt => ({
  remoteId: id,
  remoteUrl: watchUrl(client.app, postId, id),
  at: snippet?.publishedAt === undefined ? client.installation.clock.now() : new Date(snippet.publishedAt),
})
