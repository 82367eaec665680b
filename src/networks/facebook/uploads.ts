import type { Actor } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Checkpoint, MediaRef, Progress } from '../connector/draft.ts'
import { type GraphCall, isPermanentError, request, requiredField, unreadableResponse } from '../graph/client.ts'
import type { Graph } from '../graph/graph.ts'
import { numberAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'
import { readBytes } from '../http/network-http.ts'

interface Session {
  session: string
  video: string
  /** The range Facebook expects next; the upload is complete when both are equal. */
  from: number
  to: number
}

/** Resumes from the saved progress, or starts over if Facebook has dropped the upload. */
export async function uploadVideo(
  graph: Graph,
  actor: Actor,
  media: MediaRef,
  save: Checkpoint,
  progress?: Progress,
): Promise<{ session: string; video: string }> {
  let upload = savedSession(progress) ?? (await start(graph, actor, media, save))
  let restarts = 0
  let largest = usualChunk
  while (upload.from < upload.to) {
    try {
      upload = await transfer(graph, actor, media, upload, largest)
    } catch (error) {
      const offsets = expectedRange(error)
      if (offsets && offsets.from !== upload.from) upload = { ...upload, ...offsets }
      else if (isChunkRejected(error) && largest < upload.to - upload.from && largest < largestChunk)
        largest = largestChunk
      else if (isForgotten(error) && restarts++ === 0) upload = await start(graph, actor, media, save)
      else throw error
    }
    await save(progressOf(upload))
  }
  return upload
}

async function start(graph: Graph, actor: Actor, media: MediaRef, save: Checkpoint): Promise<Session> {
  const call: GraphCall = {
    method: 'POST',
    path: `${actor.remoteId}/videos`,
    form: { upload_phase: 'start', file_size: media.bytes },
  }
  const response = await request(graph, actor, call)
  const session = requiredField(graph, call, response, 'upload_session_id')
  const upload = { session, video: requiredField(graph, call, response, 'video_id'), ...offsetsIn(graph, response) }
  await save(progressOf(upload))
  return upload
}

async function transfer(
  graph: Graph,
  actor: Actor,
  media: MediaRef,
  upload: Session,
  largest: number,
): Promise<Session> {
  const { session, from } = upload
  const bytes = await readBytes(media, from, Math.min(upload.to, from + largest))
  const multipart = {
    upload_phase: 'transfer',
    upload_session_id: session,
    start_offset: String(from),
    video_file_chunk: { bytes, mime: media.mime, name: 'piece' },
  }
  const response = await request(graph, actor, {
    method: 'POST',
    path: `${actor.remoteId}/videos`,
    multipart,
    timeoutMs: 300_000,
  })
  return { ...upload, ...offsetsIn(graph, response) }
}

function offsetsIn(graph: Graph, response: Json) {
  const [from, to] = [numberAt(response, 'start_offset'), numberAt(response, 'end_offset')]
  return from === undefined || to === undefined ? unreadableResponse(graph) : { from, to }
}

/** A chunk that arrived although its response was lost: Facebook returns the range it expects. */
function expectedRange(error: unknown) {
  if (!(error instanceof NetworkError) || error.remote.subcode !== '1363037') return undefined
  const range = error.cause as Json
  const [from, to] = [numberAt(range, 'start_offset'), numberAt(range, 'end_offset')]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** It may have been rejected for being shorter than the requested range. */
const isChunkRejected = (error: unknown) =>
  isPermanentError(error, 'input') || (error instanceof NetworkError && error.remote.subcode === '1363037')

const isForgotten = (error: unknown) => isPermanentError(error, 'gone')

const progressOf = (upload: Session): Progress => ({ stage: 'uploading', ...upload })

function savedSession(progress?: Progress): Session | undefined {
  if (!progress) return undefined
  const { session, video, from, to } = progress
  if (typeof session !== 'string' || typeof video !== 'string') return undefined
  return { session, video, from: Number(from), to: Number(to) }
}

/** Chunks are held in memory: small ones while Facebook accepts less than it requests, and never more than the largest. */
const usualChunk = 16 * 1024 * 1024
const largestChunk = 64 * 1024 * 1024
