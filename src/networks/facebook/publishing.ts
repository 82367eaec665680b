import { type Actor, badInput, NetworkError } from '../connector/connector.ts'
import {
  type Checkpoint,
  type Draft,
  type Found,
  isVideo,
  type MediaRef,
  type Progress,
  type Receipt,
  type Step,
} from '../connector/draft.ts'
import { rejectInvalidPost } from '../content/draft-check.ts'
import {
  type GraphCall,
  isPermanentError,
  nextOf,
  request,
  requiredField,
  unreadableResponse,
} from '../graph/client.ts'
import { at, type Graph, hasText, isSince, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'
import { type Part, readBytes } from '../http/network-http.ts'
import { uploadVideo } from './uploads.ts'

export async function publish(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return awaitVideoPost(graph, actor, progress)
  rejectInvalidPost('Facebook', draft)
  const video = draft.media.find(isVideo)
  if (video) return publishVideo(graph, actor, draft, video, save, progress)
  const photos = await uploadPhotos(graph, actor, draft.media, save, progress)
  await save({ stage: 'committing', photos })
  return { state: 'done', ...(await publishFeed(graph, actor, draft, photos)) }
}

/** Facebook builds the link preview from the page itself; our title and image aren't used. */
async function publishFeed(graph: Graph, actor: Actor, { text, link }: Draft, photos: string[]): Promise<Receipt> {
  const attached = photos.map((media_fbid) => ({ media_fbid }))
  const call: GraphCall = {
    method: 'POST',
    path: `${actor.remoteId}/feed`,
    query: { fields: receiptFields },
    form: {
      message: text || undefined,
      link: link?.url,
      attached_media: attached.length ? JSON.stringify(attached) : undefined,
    },
    irreversible: true,
  }
  const response = await request(graph, actor, call)
  return receiptOf(graph, actor, requiredField(graph, call, response, 'id'), response)
}

/** Uploads photos unpublished; photos already uploaded are kept. */
async function uploadPhotos(
  graph: Graph,
  actor: Actor,
  media: readonly MediaRef[],
  save: Checkpoint,
  progress?: Progress,
): Promise<string[]> {
  const photos = listAt(progress, 'photos').map(String)
  for (const picture of media.slice(photos.length)) {
    photos.push(await uploadPhoto(graph, actor, picture))
    await save({ stage: 'uploading', photos: [...photos] })
  }
  return photos
}

/** Facebook fetches larger photos: one of its error messages names this limit for uploads. */
const maximumUploadedPhoto = 4_000_000

async function uploadPhoto(graph: Graph, actor: Actor, picture: MediaRef): Promise<string> {
  const { mime, name = 'picture', bytes, publicUrl, alt } = picture
  const multipart: { [name: string]: Part } = { published: 'false' }
  if (alt !== undefined) multipart.alt_text_custom = alt
  if (bytes <= maximumUploadedPhoto) multipart.source = { bytes: await readBytes(picture), mime, name }
  else multipart.url = publicUrl
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/photos`, multipart }
  return requiredField(graph, call, await request(graph, actor, call), 'id')
}

const receiptFields = 'id,permalink_url,created_time'

/** Receipt of a post; if its URL isn't known it is requested, and omitted on failure. */
async function receiptOf(graph: Graph, actor: Actor, remoteId: string, known?: Json): Promise<Receipt> {
  const read = async () => {
    try {
      return await request(graph, actor, { method: 'GET', path: remoteId, query: { fields: receiptFields } })
    } catch (error) {
      if (error instanceof NetworkError) return undefined
      throw error
    }
  }
  const shown = textAt(known, 'permalink_url') === undefined ? await read() : known
  const at = timeAt(shown, 'created_time') ?? graph.installation.clock.now()
  return { remoteId, remoteUrl: textAt(shown, 'permalink_url'), at }
}

/** Uploads the video in chunks; the request that finishes the upload publishes it. */
async function publishVideo(
  graph: Graph,
  actor: Actor,
  { text, title }: Draft,
  media: MediaRef,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  const { session, video } = await uploadVideo(graph, actor, media, save, progress)
  await save({ stage: 'committing', session, video })
  const call: GraphCall = {
    method: 'POST',
    path: `${actor.remoteId}/videos`,
    form: { upload_phase: 'finish', upload_session_id: session, description: text || undefined, title },
    irreversible: true,
  }
  const response = await request(graph, actor, call)
  if (at(response, 'success') !== true) unreadableResponse(graph, true)
  return { state: 'pending', progress: { stage: 'committed', video }, checkAfterMs: pauseMs }
}

/** The post of a video appears once Facebook has processed it. */
async function awaitVideoPost(graph: Graph, actor: Actor, progress: Progress): Promise<Step> {
  const { postId, failed } = await readVideo(graph, actor, String(progress.video))
  if (failed !== undefined) throw badInput('Facebook', `Facebook: the video could not be processed. ${failed}`, 'media')
  if (postId === undefined) return { state: 'pending', progress, checkAfterMs: pauseMs }
  return { state: 'done', ...(await receiptOf(graph, actor, postId)) }
}

export interface VideoState {
  postId?: string | undefined
  /** Facebook is processing it, which starts when the upload is finished. */
  isSent: boolean
  /** Facebook's error message. */
  failed?: string | undefined
}

async function readVideo(graph: Graph, actor: Actor, video: string): Promise<VideoState> {
  const response = await request(graph, actor, { method: 'GET', path: video, query: { fields: 'status,post_id' } })
  const status = at(response, 'status')
  const isSent = ['in_progress', 'complete'].includes(textAt(status, 'processing_phase', 'status') ?? '')
  return { postId: postIdIn(actor, response), isSent, failed: failureIn(status) }
}

/** Facebook returns the bare post id here, and with the page id everywhere else. */
function postIdIn({ remoteId }: Actor, response: Json): string | undefined {
  const id = textAt(response, 'post_id')
  return id === undefined || id.includes('_') ? id : `${remoteId}_${id}`
}

/** Unknown states count as in progress. */
function failureIn(status: Json | undefined): string | undefined {
  if (textAt(status, 'video_status') !== 'error') return undefined
  const phases = ['uploading_phase', 'processing_phase', 'publishing_phase']
  const messages = phases.map(
    (phase) => textAt(status, phase, 'error', 'message') ?? textAt(status, phase, 'errors', 'message'),
  )
  return messages.find((text) => text !== undefined) ?? ''
}

const pauseMs = 15_000

/** Looks up a post whose response was lost: a video knows its post, all others are in the page's feed. */
export function findPost(graph: Graph, actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found> {
  const video = textAt(progress, 'video')
  return video === undefined ? findOnPage(graph, actor, draft, since, progress) : findVideo(graph, actor, video)
}

async function findVideo(graph: Graph, actor: Actor, video: string): Promise<Found> {
  try {
    const { postId, isSent, failed } = await readVideo(graph, actor, video)
    if (postId !== undefined) return { state: 'found', ...(await receiptOf(graph, actor, postId)) }
    // A video that can't be processed never becomes a post.
    if (failed !== undefined) return { state: 'absent' }
    // The post has no id yet; Facebook accepts the video's id instead.
    if (isSent) return { state: 'found', remoteId: video, at: graph.installation.clock.now() }
    return { state: 'undecidable', why: 'Facebook does not say what became of the video; look at the page in a while.' }
  } catch (error) {
    if (isPermanentError(error, 'gone')) return { state: 'absent' }
    throw error
  }
}

async function findOnPage(graph: Graph, actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found> {
  const query = {
    since: Math.floor(since.getTime() / 1000) - 60,
    limit: 100,
    fields:
      'id,message,created_time,permalink_url,attachments{type,url,unshimmed_url,target{id},subattachments{target{id}}}',
  }
  const response = await request(graph, actor, { method: 'GET', path: `${actor.remoteId}/posts`, query })
  const photos = listAt(progress, 'photos').map(String)
  const found = listAt(response, 'data').find((row) => isSamePost(row, draft, photos, since))
  if (found) {
    const remoteUrl = textAt(found, 'permalink_url')
    return {
      state: 'found',
      remoteId: textAt(found, 'id') ?? '',
      remoteUrl,
      at: timeAt(found, 'created_time') ?? since,
    }
  }
  if (nextOf(response) === undefined) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'The page has too many new posts to be sure; check whether this one is among them.',
  }
}

/** Photos were uploaded for this post only and identify it; without photos, text and link do. */
function isSamePost(row: Json, draft: Draft, photos: string[], since: Date): boolean {
  const attachments = listAt(row, 'attachments', 'data')
  if (photos.length) {
    const shown = attachments.flatMap((one) => [one, ...listAt(one, 'subattachments', 'data')])
    return (
      isSince(row, 'created_time', since) && shown.some((one) => photos.includes(textAt(one, 'target', 'id') ?? ''))
    )
  }
  if (!hasText(row, { text: 'message', time: 'created_time' }, draft.text, since)) return false
  if (!draft.link) return true
  const { url } = draft.link
  return attachments.some((one) =>
    [textAt(one, 'unshimmed_url'), textAt(one, 'url')].some((other) => sameUrl(other, url)),
  )
}

/** Facebook returns URLs normalized. */
const sameUrl = (one: string | undefined, other: string) => one !== undefined && normal(one) === normal(other)

/** Not URL.canParse, which rejects accented letters in Node 20 once it is optimised. */
function normal(url: string): string {
  try {
    return new URL(url).href
  } catch {
    return url
  }
}
