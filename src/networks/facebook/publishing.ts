import type { Actor } from '../connector/actor.ts'
import {
  type Checkpoint,
  type Draft,
  isVideo,
  type MediaRef,
  type Progress,
  type Receipt,
  type Step,
} from '../connector/draft.ts'
import { badInput, NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { ask, type GraphCall, needed, unreadable } from '../graph/calls.ts'
import { at, type Graph, listAt, textAt, timeAt } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { type Part, readBytes } from '../wire/network-http.ts'
import { uploadVideo } from './uploads.ts'

export async function publish(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return awaitVideoPost(graph, actor, progress)
  refuseUnfitPost('Facebook', draft)
  const video = draft.media.find(isVideo)
  if (video) return publishVideo(graph, actor, draft, video, save, progress)
  const photos = await uploadPhotos(graph, actor, draft.media, save, progress)
  await save({ stage: 'committing', photos })
  return { state: 'done', ...(await publishFeed(graph, actor, draft, photos)) }
}

/** The card of a link is made from what Facebook finds at its address; our title and picture are not asked for. */
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
  const answer = await ask(graph, actor, call)
  return receiptOf(graph, actor, needed(graph, call, answer, 'id'), answer)
}

/** Brings pictures to Facebook without showing them; those that are there already stay. */
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

/** Larger pictures are fetched by Facebook: one of its error texts names this as the end for bytes that are sent. */
const largestSentPicture = 4_000_000

async function uploadPhoto(graph: Graph, actor: Actor, picture: MediaRef): Promise<string> {
  const { mime, name = 'picture', bytes, publicUrl, alt } = picture
  const multipart: { [name: string]: Part } = { published: 'false' }
  if (alt !== undefined) multipart.alt_text_custom = alt
  if (bytes <= largestSentPicture) multipart.source = { bytes: await readBytes(picture), mime, name }
  else multipart.url = publicUrl
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/photos`, multipart }
  return needed(graph, call, await ask(graph, actor, call), 'id')
}

const receiptFields = 'id,permalink_url,created_time'

/** What is known of a post; where its address was not told it is asked for, and done without if need be. */
export async function receiptOf(graph: Graph, actor: Actor, remoteId: string, known?: Json): Promise<Receipt> {
  const read = async () => {
    try {
      return await ask(graph, actor, { method: 'GET', path: remoteId, query: { fields: receiptFields } })
    } catch (error) {
      if (error instanceof NetworkError) return undefined
      throw error
    }
  }
  const shown = textAt(known, 'permalink_url') === undefined ? await read() : known
  const at = timeAt(shown, 'created_time') ?? graph.installation.clock.now()
  return { remoteId, remoteUrl: textAt(shown, 'permalink_url'), at }
}

/** Brings the video over piece by piece; the call that ends the upload makes it public. */
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
  const answer = await ask(graph, actor, call)
  if (at(answer, 'success') !== true) unreadable(graph, true)
  return { state: 'pending', progress: { stage: 'committed', video }, checkAfterMs: pauseMs }
}

/** The post of a video appears when Facebook has worked on it. */
async function awaitVideoPost(graph: Graph, actor: Actor, progress: Progress): Promise<Step> {
  const { postId, failed } = await readVideo(graph, actor, String(progress.video))
  if (failed !== undefined) throw badInput('Facebook', `Facebook: the video could not be processed. ${failed}`, 'media')
  if (postId === undefined) return { state: 'pending', progress, checkAfterMs: pauseMs }
  return { state: 'done', ...(await receiptOf(graph, actor, postId)) }
}

export interface VideoState {
  postId?: string | undefined
  /** Facebook works on it, which it does not do before the upload was ended. */
  isSent: boolean
  /** What went wrong with it, in Facebook's words. */
  failed?: string | undefined
}

export async function readVideo(graph: Graph, actor: Actor, video: string): Promise<VideoState> {
  const answer = await ask(graph, actor, { method: 'GET', path: video, query: { fields: 'status,post_id' } })
  const status = at(answer, 'status')
  const isSent = ['in_progress', 'complete'].includes(textAt(status, 'processing_phase', 'status') ?? '')
  return { postId: postIdIn(actor, answer), isSent, failed: failureIn(status) }
}

/** Facebook names the post by its bare number here, and with the page's number everywhere else. */
function postIdIn({ remoteId }: Actor, answer: Json): string | undefined {
  const id = textAt(answer, 'post_id')
  return id === undefined || id.includes('_') ? id : `${remoteId}_${id}`
}

/** States that are not known count as still at work. */
function failureIn(status: Json | undefined): string | undefined {
  if (textAt(status, 'video_status') !== 'error') return undefined
  const phases = ['uploading_phase', 'processing_phase', 'publishing_phase']
  const said = phases.map(
    (phase) => textAt(status, phase, 'error', 'message') ?? textAt(status, phase, 'errors', 'message'),
  )
  return said.find((text) => text !== undefined) ?? ''
}

const pauseMs = 15_000
