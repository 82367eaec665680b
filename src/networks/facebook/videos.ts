import type { Actor } from '../connector/actor.ts'
import type { Checkpoint, Draft, MediaRef, Progress, Step } from '../connector/draft.ts'
import { badInput } from '../connector/fault.ts'
import { at, textAt } from '../graph/answer.ts'
import { ask, type GraphCall, unreadable } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { receiptOf } from './receipts.ts'
import { uploadVideo } from './uploads.ts'

/** Brings the video over piece by piece; the call that ends the upload makes it public. */
export async function publishVideo(
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
export async function awaitVideoPost(graph: Graph, actor: Actor, progress: Progress): Promise<Step> {
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
