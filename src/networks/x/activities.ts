import type { Activity, Person } from '../connector/activity.ts'
import { asJson, type Includes, readableText, repliedTo, type XMessage, type XPost, type XUser } from './answers.ts'
import { postUrl, type XCalls } from './calls.ts'

/** A post as it concerns a profile; X has one kind of thing only, so what it is follows from whom it answers. */
export function postActivity(
  calls: XCalls,
  owner: string,
  post: XPost,
  includes: Includes = {},
  otherwise: 'post' | 'mention' | 'reply' | 'share' = 'post',
): Activity {
  const parent = repliedTo(post)
  const root = post.conversation_id
  const from = personIn(includes, post.author_id)
  return {
    dedupeKey: `post:${post.id}`,
    kind: kindOf(owner, post) ?? otherwise,
    actorRemoteId: owner,
    remoteId: post.id,
    from,
    postId: parent === undefined ? undefined : (root ?? parent),
    parentCommentId: otherwise === 'share' ? quotedIn(post) : parent === root ? undefined : parent,
    text: readableText(post),
    media: mediaIn(includes, post.attachments?.media_keys),
    url: postUrl(calls, from?.username, post.id),
    at: new Date(post.created_at ?? 0),
    raw: asJson(post),
  }
}

export function messageActivity(owner: string, message: XMessage, includes: Includes = {}): Activity {
  return {
    dedupeKey: `message:${message.id}`,
    kind: message.sender_id === owner ? 'echo' : 'message',
    actorRemoteId: owner,
    remoteId: message.id,
    from: personIn(includes, message.sender_id),
    threadId: message.dm_conversation_id,
    text: readableText(message),
    media: mediaIn(includes, message.attachments?.media_keys),
    at: new Date(message.created_at ?? 0),
    raw: asJson(message),
  }
}

/** The post that somebody gave on to others. */
const quotedIn = ({ referenced_tweets: referenced = [] }: XPost) =>
  referenced?.find(({ type }) => type !== 'replied_to')?.id

function kindOf(owner: string, post: XPost): Activity['kind'] | undefined {
  const parent = repliedTo(post)
  if (post.author_id === owner) return parent === undefined ? 'post' : 'echo'
  if (parent === undefined || post.in_reply_to_user_id !== owner) return undefined
  return parent === post.conversation_id ? 'comment' : 'reply'
}

function personIn({ users = [] }: Includes, id: string | undefined): Person | undefined {
  if (id === undefined) return undefined
  const user: XUser | undefined = users.find((candidate) => candidate.id === id)
  return { id, name: user?.name, username: user?.username, picture: user?.profile_image_url }
}

function mediaIn({ media = [] }: Includes, keys: readonly string[] | null | undefined): string[] | undefined {
  const urls = (keys ?? []).map((key) => media.find(({ media_key }) => media_key === key))
  const found = urls.map((file) => file?.url ?? file?.preview_image_url).filter((url) => url !== undefined)
  return found.length > 0 ? found : undefined
}
