import { type Actor, NetworkError, profileRules } from '../connector/connector.ts'
import type {
  Checkpoint,
  Correspondent,
  Draft,
  Found,
  MediaRef,
  Progress,
  Receipt,
  Step,
  Target,
} from '../connector/draft.ts'
import { rejectInvalidComment, rejectInvalidMessage, rejectInvalidPost } from '../content/draft-check.ts'
import { idIn, mediaRejected, postUrl, type XClient } from './client.ts'
import { manifest, postText } from './manifest.ts'
import {
  comparable,
  comparableReply,
  listingOf,
  readableText,
  repliedTo,
  type XMessage,
  type XPost,
} from './responses.ts'
import { isAlive, type Upload, upload, uploadNow, waitFor } from './uploads.ts'

export async function publish(
  client: XClient,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  rejectInvalidPost('Twitter', draft, profileRules(manifest, client.app, actor))
  const uploads = await sendMedia(client, actor, draft, save, progress)
  const waits = await Promise.all(uploads.map((sent) => waitFor(client, actor, sent)))
  const wait = Math.max(0, ...waits.map((ms) => ms ?? 0))
  if (wait > 0) return pending(uploads, wait)
  await save({ stage: 'committing', uploads })
  try {
    const media = uploads.map(({ id }) => id)
    return { state: 'done', ...(await createPost(client, actor, postText(draft), media)) }
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.code !== mediaRejected) throw error
    return pending(
      uploads.map((sent) => ({ ...sent, ready: false })),
      notReadyMs,
    )
  }
}

const notReadyMs = 5000

/** The one request that creates a post or a reply. */
async function createPost(
  client: XClient,
  actor: Actor,
  text: string,
  mediaIds: readonly string[],
  inReplyTo?: string,
): Promise<Receipt> {
  const json = {
    text,
    ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
    ...(inReplyTo !== undefined && { reply: { in_reply_to_tweet_id: inReplyTo } }),
  }
  const response = await client.as(actor, { method: 'POST', path: '/tweets', json, irreversible: true })
  const remoteId = idIn(response, 'id', 'unknownOutcome')
  return { remoteId, remoteUrl: postUrl(client, actor.username, remoteId), at: client.installation.clock.now() }
}

/** Uploads in the progress that X still has. */
function uploadsIn(progress: Progress | undefined): Upload[] {
  return Array.isArray(progress?.uploads) ? (progress.uploads as Upload[]) : []
}

async function sendMedia(client: XClient, actor: Actor, draft: Draft, save: Checkpoint, progress?: Progress) {
  const known = uploadsIn(progress)
  const now = client.installation.clock.now()
  const uploads = known.every((sent) => isAlive(sent, now)) ? [...known] : []
  for (const [index, media] of draft.media.entries()) {
    const keep = (sent: Upload) => {
      uploads[index] = sent
      return save({ stage: 'uploading', uploads: [...uploads] })
    }
    uploads[index] = await upload(client, actor, media, 'tweet', keep, uploads[index])
  }
  return uploads
}

const pending = (uploads: Upload[], checkAfterMs: number): Step => ({
  state: 'pending',
  progress: { stage: 'processing', uploads },
  checkAfterMs,
})

/** On X a reply is a post, and a first comment a reply to an own post. */
export async function reply(
  client: XClient,
  actor: Actor,
  to: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidComment('Twitter', text, media, profileRules(manifest, client.app, actor))
  const ids = await uploadNow(client, actor, media, 'tweet')
  return createPost(client, actor, text, ids, to.commentId ?? to.postId)
}

export async function like(client: XClient, actor: Actor, to: Target): Promise<void> {
  const json = { tweet_id: to.commentId ?? to.postId }
  await client.as(actor, { method: 'POST', path: `/users/${actor.remoteId}/likes`, json })
}

export async function remove(client: XClient, actor: Actor, remoteId: string): Promise<void> {
  try {
    await client.as(actor, { method: 'DELETE', path: `/tweets/${encodeURIComponent(remoteId)}` })
  } catch (error) {
    const fault = error instanceof NetworkError ? error.fault : undefined
    if (fault?.kind !== 'permanent' || fault.why !== 'gone') throw error
  }
}

/** Query parameters of every message request. */
export const messageQuery = {
  event_types: 'MessageCreate',
  'dm_event.fields': 'id,text,created_at,dm_conversation_id,attachments,entities',
  expansions: 'sender_id,attachments.media_keys',
  'user.fields': 'name,username,profile_image_url',
  'media.fields': 'url,preview_image_url',
}

export async function message(
  client: XClient,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidMessage('Twitter', text, media, profileRules(manifest, client.app, actor))
  const ids = await uploadNow(client, actor, media, 'dm')
  const json = {
    ...(text !== '' && { text }),
    ...(ids.length > 0 && { attachments: ids.map((id) => ({ media_id: id })) }),
  }
  const path = `${conversationPath(to)}/messages`
  const response = await client.as(actor, { method: 'POST', path, json, irreversible: true })
  return { remoteId: idIn(response, 'dm_event_id', 'unknownOutcome'), at: client.installation.clock.now() }
}

/** A conversation has its own id once it has started. */
const conversationPath = ({ personId, threadId }: Correspondent) =>
  `/dm_conversations/${encodeURIComponent(threadId ?? '') || `with/${encodeURIComponent(personId)}`}`

/** Allowed clock skew. */
const slackMs = 60_000
const maximumPages = 5
const fields = 'created_at,attachments,entities,referenced_tweets,note_tweet'

/** A media id belongs to one post only, so it is stronger evidence than the text; texts are compared if there is no media. */
export function findPost(
  client: XClient,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  const mediaIds = uploadsIn(progress).map(({ id }) => id)
  const text = comparable(postText(draft))
  return findOwn(client, actor, since, (post) => {
    if (repliedTo(post) !== undefined) return false
    if (mediaIds.length > 0) return sameMedia(post, mediaIds)
    return draft.media.length === countOf(post) && comparable(readableText(post)) === text
  })
}

export function findReply(client: XClient, actor: Actor, to: Target, text: string, since: Date): Promise<Found> {
  const parent = to.commentId ?? to.postId
  const expected = comparableReply(text)
  return findOwn(
    client,
    actor,
    since,
    (post) => repliedTo(post) === parent && comparableReply(readableText(post)) === expected,
  )
}

export async function findMessage(
  client: XClient,
  actor: Actor,
  to: Correspondent,
  text: string,
  since: Date,
): Promise<Found> {
  const earliest = since.getTime() - slackMs
  const path = `${conversationPath(to)}/dm_events`
  let cursor: string | undefined
  for (let page = 0; page < maximumPages; page++) {
    const query = { ...messageQuery, max_results: 100, pagination_token: cursor }
    const { data = [], meta } = listingOf<XMessage>(await client.as(actor, { method: 'GET', path, query }))
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

async function findOwn(client: XClient, actor: Actor, since: Date, fits: (post: XPost) => boolean): Promise<Found> {
  const start = new Date(since.getTime() - slackMs).toISOString().replace(/\.\d+/, '')
  const path = `/users/${actor.remoteId}/tweets`
  let cursor: string | undefined
  for (let page = 0; page < maximumPages; page++) {
    const query = { 'tweet.fields': fields, max_results: 100, start_time: start, pagination_token: cursor }
    const { data = [], meta } = listingOf<XPost>(await client.as(actor, { method: 'GET', path, query }))
    const found = data.find(fits)
    if (found) {
      const remoteUrl = postUrl(client, actor.username, found.id)
      return { state: 'found', remoteId: found.id, remoteUrl, at: new Date(timeOf(found.created_at)) }
    }
    cursor = meta?.next_token
    if (cursor === undefined) return { state: 'absent' }
  }
  return { state: 'undecidable', why: 'There are too many posts to look through; please check the profile on X.' }
}

/** A media key is the id prefixed with a number for its kind. */
function sameMedia(post: XPost, ids: readonly string[]): boolean {
  const attached = (post.attachments?.media_keys ?? []).map((key) => key.split('_').at(-1))
  return attached.length === ids.length && ids.every((id) => attached.includes(id))
}

const countOf = ({ attachments }: XPost) => attachments?.media_keys?.length ?? 0
const timeOf = (text: string | undefined) => Date.parse(text ?? '') || 0
