import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput } from '../connector/fault.ts'
import { askList, type Calls, watchUrl } from './calls.ts'
import { handleOf } from './login.ts'
import { asJson, type Comment, type CommentThread } from './shapes.ts'

export const fetchComments = (calls: Calls, actor: Actor, postId: string, cursor?: string) =>
  nextPage(calls, actor, { videoId: postId }, cursor)

/** Comments under all videos of the channel: YouTube has neither mentions nor messages. */
export const fetchInbox = (calls: Calls, actor: Actor, cursor?: string) =>
  nextPage(calls, actor, { allThreadsRelatedToChannelId: actor.remoteId }, cursor)

/** One call each: a page of threads with their first answers, then the long threads' other answers. */
async function nextPage(calls: Calls, actor: Actor, of: Record<string, string>, cursor?: string) {
  const position = readPosition(cursor)
  const [long] = position.long
  return long ? answers(calls, actor, long, position) : threads(calls, actor, of, position)
}

async function threads(
  calls: Calls,
  actor: Actor,
  of: Record<string, string>,
  { page }: Position,
): Promise<Page<Activity>> {
  const query = { part: 'snippet,replies', order: 'time', maxResults: 50, textFormat: 'plainText', pageToken: page }
  const { items, nextPageToken } = await askList<CommentThread>(calls, actor, 'commentThreads.list', {
    ...query,
    ...of,
  })
  const comments = items.flatMap(({ id, snippet = {}, replies }) => {
    const { topLevelComment, videoId } = snippet
    const answered = (replies?.comments ?? []).map((comment) => activityOf(calls, actor, comment, videoId, id))
    return topLevelComment ? [activityOf(calls, actor, topLevelComment, videoId), ...answered] : answered
  })
  const long = items.flatMap(({ id = '', snippet, replies }) =>
    (snippet?.totalReplyCount ?? 0) > (replies?.comments?.length ?? 0) ? [{ id, videoId: snippet?.videoId }] : [],
  )
  return { items: comments, cursor: writePosition({ page: nextPageToken, long }) }
}

async function answers(
  calls: Calls,
  actor: Actor,
  { id, videoId, page }: Position['long'][number],
  position: Position,
): Promise<Page<Activity>> {
  const query = { part: 'snippet', parentId: id, maxResults: 100, textFormat: 'plainText', pageToken: page }
  const { items, nextPageToken } = await askList<Comment>(calls, actor, 'comments.list', query)
  const others = position.long.slice(1)
  const long = nextPageToken ? [{ id, videoId, page: nextPageToken }, ...others] : others
  return {
    items: items.map((comment) => activityOf(calls, actor, comment, videoId, id)),
    cursor: writePosition({ page: position.page, long }),
  }
}

function activityOf(calls: Calls, actor: Actor, comment: Comment, videoId?: string, rootId?: string): Activity {
  const { id = '', snippet = {} } = comment
  const { authorChannelId, authorDisplayName, authorProfileImageUrl, textOriginal, textDisplay } = snippet
  const authorId = authorChannelId?.value
  const isAnswer = rootId !== undefined
  const postId = snippet.videoId ?? videoId
  const isHandle = authorDisplayName?.startsWith('@')
  return {
    dedupeKey: `comment:${id}`,
    kind: authorId === actor.remoteId ? 'echo' : isAnswer ? 'reply' : 'comment',
    actorRemoteId: actor.remoteId,
    remoteId: id,
    from:
      authorId === undefined
        ? undefined
        : {
            id: authorId,
            name: authorDisplayName,
            username: isHandle ? handleOf(authorDisplayName) : undefined,
            picture: authorProfileImageUrl,
          },
    postId,
    parentCommentId: isAnswer ? (snippet.parentId ?? rootId) : undefined,
    threadId: rootId ?? id,
    text: textOriginal ?? textDisplay,
    url: postId === undefined ? undefined : watchUrl(calls.app, postId, id),
    at: snippet.publishedAt === undefined ? calls.installation.clock.now() : new Date(snippet.publishedAt),
    raw: asJson(comment),
  }
}

/** Where reading goes on: threads whose answers did not all ride along, and then the next page of threads. */
export interface Position {
  page?: string | undefined
  long: { id: string; videoId?: string | undefined; page?: string | undefined }[]
}

function readPosition(cursor?: string): Position {
  if (cursor === undefined) return { long: [] }
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Position
  } catch {
    throw badInput('YouTube', 'This is not a place where reading comments can go on.')
  }
}

/** Nothing at the end. */
const writePosition = (position: Position): string | undefined =>
  position.page === undefined && !position.long.length
    ? undefined
    : Buffer.from(JSON.stringify(position)).toString('base64url')
