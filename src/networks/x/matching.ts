import type { Actor } from '../connector/actor.ts'
import type { Correspondent, Draft, Found, Progress, Target } from '../connector/draft.ts'
import {
  comparable,
  comparableAnswer,
  listingOf,
  readableText,
  repliedTo,
  type XMessage,
  type XPost,
} from './answers.ts'
import { postUrl, type XCalls } from './calls.ts'
import { conversationPath, messageQuery } from './comments.ts'
import { postText } from './manifest.ts'
import { uploadsIn } from './publishing.ts'

/** Clocks differ. */
const slackMs = 60_000
const mostPages = 5
const fields = 'created_at,attachments,entities,referenced_tweets,note_tweet'

/** A file's id is this post's alone, so it proves more than a text; texts are compared where there is no file. */
export function findPost(calls: XCalls, actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found> {
  const mediaIds = uploadsIn(progress).map(({ id }) => id)
  const text = comparable(postText(draft))
  return findOwn(calls, actor, since, (post) => {
    if (repliedTo(post) !== undefined) return false
    if (mediaIds.length > 0) return sameMedia(post, mediaIds)
    return draft.media.length === countOf(post) && comparable(readableText(post)) === text
  })
}

export function findReply(calls: XCalls, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const parent = to.commentId ?? to.postId
  const wanted = comparableAnswer(text)
  return findOwn(
    calls,
    actor,
    since,
    (post) => repliedTo(post) === parent && comparableAnswer(readableText(post)) === wanted,
  )
}

export async function findMessage(
  calls: XCalls,
  actor: Actor,
  to: Correspondent,
  text: string,
  since: Date,
): Promise<Found> {
  const earliest = since.getTime() - slackMs
  const path = `${conversationPath(to)}/dm_events`
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { ...messageQuery, max_results: 100, pagination_token: cursor }
    const { data = [], meta } = listingOf<XMessage>(await calls.as(actor, { method: 'GET', path, query }))
    const recent = data.filter(({ created_at }) => timeOf(created_at) >= earliest)
    const found = recent.find(
      (event) => event.sender_id === actor.remoteId && comparable(readableText(event)) === comparable(text),
    )
    if (found) return { state: 'found', remoteId: found.id, at: new Date(timeOf(found.created_at)) }
    cursor = meta?.next_token
    if (recent.length < data.length || cursor === undefined) return { state: 'absent' }
  }
  return {
    state: 'undecidable',
    why: 'There are too many messages to look through; please check the conversation on X.',
  }
}

async function findOwn(calls: XCalls, actor: Actor, since: Date, fits: (post: XPost) => boolean): Promise<Found> {
  const start = new Date(since.getTime() - slackMs).toISOString().replace(/\.\d+/, '')
  const path = `/users/${actor.remoteId}/tweets`
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { 'tweet.fields': fields, max_results: 100, start_time: start, pagination_token: cursor }
    const { data = [], meta } = listingOf<XPost>(await calls.as(actor, { method: 'GET', path, query }))
    const found = data.find(fits)
    if (found) {
      const remoteUrl = postUrl(calls, actor.username, found.id)
      return { state: 'found', remoteId: found.id, remoteUrl, at: new Date(timeOf(found.created_at)) }
    }
    cursor = meta?.next_token
    if (cursor === undefined) return { state: 'absent' }
  }
  return { state: 'undecidable', why: 'There are too many posts to look through; please check the profile on X.' }
}

/** A key is the id with a number for its kind before it. */
function sameMedia(post: XPost, ids: readonly string[]): boolean {
  const attached = (post.attachments?.media_keys ?? []).map((key) => key.split('_').at(-1))
  return attached.length === ids.length && ids.every((id) => attached.includes(id))
}

const countOf = ({ attachments }: XPost) => attachments?.media_keys?.length ?? 0
const timeOf = (text: string | undefined) => Date.parse(text ?? '') || 0
