import type { Activity, Page, StreamQuery } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput, unsupported } from '../connector/fault.ts'
import { postActivity } from './activities.ts'
import { type Listing, listingOf, type XPost } from './answers.ts'
import { idIn, type XCall, type XCalls } from './calls.ts'

/** X is paid by the post that is read. */
const streamSize = 20
const commentSize = 100

/** What is asked of every post. */
const postQuery = {
  'tweet.fields':
    'created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,attachments,entities,note_tweet',
  expansions: 'author_id,attachments.media_keys',
  'user.fields': 'name,username,profile_image_url',
  'media.fields': 'url,preview_image_url',
}

type Where = Pick<XCall, 'path' | 'query'>

const streams: { [type: string]: (calls: XCalls, actor: Actor, query: StreamQuery) => Where | Promise<Where> } = {
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
  user: async (calls, actor, { username }) => {
    const name = needed(username, 'the name of an account', 'username').replace(/^@/, '')
    const path = `/users/by/username/${encodeURIComponent(name)}`
    return { path: `/users/${idIn(await calls.as(actor, { method: 'GET', path }), 'id')}/tweets` }
  },
}

export async function fetchStream(
  calls: XCalls,
  actor: Actor,
  query: StreamQuery,
  cursor?: string,
): Promise<Page<Activity>> {
  const where = streams[query.type]
  if (!where) throw unsupported('Twitter', `X has no stream of the type ${query.type}.`)
  const listing = await readPosts(calls, actor, await where(calls, actor, query), streamSize, cursor)
  return pageOf(calls, actor, listing, query.type === 'mention' ? 'mention' : 'post')
}

/** All that was said in the conversation a post began, in the last seven days. */
export async function fetchComments(
  calls: XCalls,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  const where = { path: '/tweets/search/recent', query: { query: `conversation_id:${postId}` } }
  const listing = await readPosts(calls, actor, where, commentSize, cursor)
  const data = (listing.data ?? []).filter(({ id }) => id !== postId)
  return pageOf(calls, actor, { ...listing, data }, 'reply')
}

export async function readPosts(
  calls: XCalls,
  actor: Actor,
  { path, query }: Where,
  size: number,
  cursor?: string,
): Promise<Listing<XPost>> {
  const all = { ...query, ...postQuery, max_results: size, pagination_token: cursor }
  return listingOf<XPost>(await calls.as(actor, { method: 'GET', path, query: all }))
}

function pageOf(
  calls: XCalls,
  actor: Actor,
  { data = [], includes, meta }: Listing<XPost>,
  otherwise: 'post' | 'mention' | 'reply',
): Page<Activity> {
  const items = data.map((post) => postActivity(calls, actor.remoteId, post, includes, otherwise))
  return { items, cursor: meta?.next_token }
}

function needed(value: string | undefined, what: string, field: string): string {
  if (value?.trim()) return value.trim()
  throw badInput('Twitter', `This stream of X needs ${what}.`, field)
}
