import { type Activity, type Actor, badInput, type Page, type Person, unsupported } from '../connector/connector.ts'
import type { StreamQuery } from '../connector/manifest.ts'
import { idIn, postUrl, type XCall, type XClient } from './client.ts'
import {
  asJson,
  type Includes,
  type Listing,
  listingOf,
  readableText,
  repliedTo,
  type XMessage,
  type XPost,
  type XUser,
} from './responses.ts'

/** A post as an activity of a profile; X has posts only, so the kind follows from the post it replies to. */
export function postActivity(
  client: XClient,
  owner: string,
  post: XPost,
  includes: Includes = {},
  fallbackKind: 'post' | 'mention' | 'reply' | 'share' = 'post',
): Activity {
  const parent = repliedTo(post)
  const root = post.conversation_id
  const from = personIn(includes, post.author_id)
  return {
    dedupeKey: `post:${post.id}`,
    kind: kindOf(owner, post) ?? fallbackKind,
    actorRemoteId: owner,
    remoteId: post.id,
    from,
    postId: parent === undefined ? undefined : (root ?? parent),
    parentCommentId: fallbackKind === 'share' ? quotedIn(post) : parent === root ? undefined : parent,
    text: readableText(post),
    media: mediaIn(includes, post.attachments?.media_keys),
    url: postUrl(client, from?.username, post.id),
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

/** The post that was reposted or quoted. */
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

/** X charges per post read. */
const streamSize = 20
const commentSize = 100

/** Query parameters of every post request. */
const postQuery = {
  'tweet.fields':
    'created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,attachments,entities,note_tweet',
  expansions: 'author_id,attachments.media_keys',
  'user.fields': 'name,username,profile_image_url',
  'media.fields': 'url,preview_image_url',
}

type ListRequest = Pick<XCall, 'path' | 'query'>

const streams: {
  [type: string]: (client: XClient, actor: Actor, query: StreamQuery) => ListRequest | Promise<ListRequest>
} = {
  mention: (_, { remoteId }) => ({ path: `/users/${remoteId}/mentions` }),
  feed: (_, { remoteId }) => ({ path: `/users/${remoteId}/tweets` }),
  home: (_, { remoteId }) => ({ path: `/users/${remoteId}/timelines/reverse_chronological` }),
  favorite: (_, { remoteId }) => ({ path: `/users/${remoteId}/liked_tweets` }),
  retweet: () => ({ path: '/users/reposts_of_me' }),
  keyword: (_, __, { keyword }) => ({
    path: '/tweets/search/recent',
    query: { query: needed(keyword, 'a keyword', 'keyword') },
  }),
  list: (_, __, { listId }) => ({ path: `/lists/${encodeURIComponent(needed(listId, 'a list', 'listId'))}/tweets` }),
  user: async (client, actor, { username }) => {
    const name = needed(username, 'the name of an account', 'username').replace(/^@/, '')
    const path = `/users/by/username/${encodeURIComponent(name)}`
    return { path: `/users/${idIn(await client.as(actor, { method: 'GET', path }), 'id')}/tweets` }
  },
}

export async function fetchStream(
  client: XClient,
  actor: Actor,
  query: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  const where = streams[query.type]
  if (!where) throw unsupported('Twitter', `X has no stream of the type ${query.type}.`)
  const listing = await readPosts(client, actor, await where(client, actor, query), streamSize, cursor)
  return pageOf(client, actor, listing, query.type === 'mention' ? 'mention' : 'post')
}

/** The conversation that a post started, of the last seven days. */
export async function fetchComments(
  client: XClient,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  const where = { path: '/tweets/search/recent', query: { query: `conversation_id:${postId}` } }
  const listing = await readPosts(client, actor, where, commentSize, cursor)
  const data = (listing.data ?? []).filter(({ id }) => id !== postId)
  return pageOf(client, actor, { ...listing, data }, 'reply')
}

export async function readPosts(
  client: XClient,
  actor: Actor,
  { path, query }: ListRequest,
  size: number,
  cursor?: string,
): Promise<Listing<XPost>> {
  const all = { ...query, ...postQuery, max_results: size, pagination_token: cursor }
  return listingOf<XPost>(await client.as(actor, { method: 'GET', path, query: all }))
}

function pageOf(
  client: XClient,
  actor: Actor,
  { data = [], includes, meta }: Listing<XPost>,
  fallbackKind: 'post' | 'mention' | 'reply',
): Page<Activity> {
  const items = data.map((post) => postActivity(client, actor.remoteId, post, includes, fallbackKind))
  return { items, cursor: meta?.next_token }
}

function needed(value: string | undefined, what: string, field: string): string {
  if (value?.trim()) return value.trim()
  throw badInput('Twitter', `This stream of X needs ${what}.`, field)
}
