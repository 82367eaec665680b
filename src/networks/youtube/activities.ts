import type { Activity, Actor, Page } from '../connector/connector.ts'
import { badInput } from '../connector/connector.ts'
import { asJson, type Comment, type CommentThread, requestList, watchUrl, type YouTubeClient } from './client.ts'
import { handleOf } from './login.ts'

export const fetchComments = (client: YouTubeClient, actor: Actor, postId: string, cursor?: string) =>
  nextPage(client, actor, { videoId: postId }, cursor)

/** Comments under all videos of the channel: YouTube has neither mentions nor messages. */
export const fetchInbox = (client: YouTubeClient, actor: Actor, cursor?: string) =>
  nextPage(client, actor, { allThreadsRelatedToChannelId: actor.remoteId }, cursor)

/** One request each: a page of threads with their first replies, then the remaining replies of long threads. */
async function nextPage(client: YouTubeClient, actor: Actor, of: Record<string, string>, cursor?: string) {
  const position = readPosition(cursor)
  const [long] = position.long
  return long ? replies(client, actor, long, position) : threads(client, actor, of, position)
}

async function threads(
  client: YouTubeClient,
  actor: Actor,
  of: Record<string, string>,
  { page }: Position,
): Promise<Page<Activity>> {
  const query = { part: 'snippet,replies', order: 'time', maxResults: 50, textFormat: 'plainText', pageToken: page }
  const { items, nextPageToken } = await requestList<CommentThread>(client, actor, 'commentThreads.list', {
    ...query,
    ...of,
  })
  const comments = items.flatMap(({ id, snippet = {}, replies }) => {
    const { topLevelComment, videoId } = snippet
    const replyActivities = (replies?.comments ?? []).map((comment) => activityOf(client, actor, comment, videoId, id))
    return topLevelComment ? [activityOf(client, actor, topLevelComment, videoId), ...replyActivities] : replyActivities
  })
  const long = items.flatMap(({ id = '', snippet, replies }) =>
    (snippet?.totalReplyCount ?? 0) > (replies?.comments?.length ?? 0) ? [{ id, videoId: snippet?.videoId }] : [],
  )
  return { items: comments, cursor: writePosition({ page: nextPageToken, long }) }
}

async function replies(
  client: YouTubeClient,
  actor: Actor,
  { id, videoId, page }: Position['long'][number],
  position: Position,
): Promise<Page<Activity>> {
  const query = { part: 'snippet', parentId: id, maxResults: 100, textFormat: 'plainText', pageToken: page }
  const { items, nextPageToken } = await requestList<Comment>(client, actor, 'comments.list', query)
  const others = position.long.slice(1)
  const long = nextPageToken ? [{ id, videoId, page: nextPageToken }, ...others] : others
  return {
    items: items.map((comment) => activityOf(client, actor, comment, videoId, id)),
    cursor: writePosition({ page: position.page, long }),
  }
}

function activityOf(
  client: YouTubeClient,
  actor: Actor,
  comment: Comment,
  videoId?: string,
  rootId?: string,
): Activity {
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
    url: postId === undefined ? undefined : watchUrl(client.app, postId, id),
    at: snippet.publishedAt === undefined ? client.installation.clock.now() : new Date(snippet.publishedAt),
    raw: asJson(comment),
  }
}

/** Read position: threads with remaining replies, then the next page of threads. */
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

/** Undefined at the end. */
const writePosition = (position: Position): string | undefined =>
  position.page === undefined && !position.long.length
    ? undefined
    : Buffer.from(JSON.stringify(position)).toString('base64url')
