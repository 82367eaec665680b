import type { Actor } from '../connector/actor.ts'
import type { Checkpoint, MediaRef, Progress } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { ask, type GraphCall, isNever, needed, unreadable } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { numberAt } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { readBytes } from '../wire/network-http.ts'

interface Session {
  session: string
  video: string
  /** The stretch Facebook wants next; it has everything when both are the same. */
  from: number
  to: number
}

/** Goes on where the saved progress ends, and begins anew when Facebook has forgotten the upload. */
export async function uploadVideo(
  graph: Graph,
  actor: Actor,
  media: MediaRef,
  save: Checkpoint,
  progress?: Progress,
): Promise<{ session: string; video: string }> {
  let upload = savedSession(progress) ?? (await start(graph, actor, media, save))
  let restarts = 0
  let largest = usualPiece
  while (upload.from < upload.to) {
    try {
      upload = await transfer(graph, actor, media, upload, largest)
    } catch (error) {
      const offsets = wantedInstead(error)
      if (offsets && offsets.from !== upload.from) upload = { ...upload, ...offsets }
      else if (isPieceRefused(error) && largest < upload.to - upload.from && largest < largestPiece)
        largest = largestPiece
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
  const answer = await ask(graph, actor, call)
  const session = needed(graph, call, answer, 'upload_session_id')
  const upload = { session, video: needed(graph, call, answer, 'video_id'), ...offsetsIn(graph, answer) }
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
  const answer = await ask(graph, actor, {
    method: 'POST',
    path: `${actor.remoteId}/videos`,
    multipart,
    timeoutMs: 300_000,
  })
  return { ...upload, ...offsetsIn(graph, answer) }
}

function offsetsIn(graph: Graph, answer: Json) {
  const [from, to] = [numberAt(answer, 'start_offset'), numberAt(answer, 'end_offset')]
  return from === undefined || to === undefined ? unreadable(graph) : { from, to }
}

/** A piece that arrived although its answer did not: Facebook says where it wants to go on. */
function wantedInstead(error: unknown) {
  if (!(error instanceof NetworkError) || error.remote.subcode !== '1363037') return undefined
  const wanted = error.cause as Json
  const [from, to] = [numberAt(wanted, 'start_offset'), numberAt(wanted, 'end_offset')]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** It may have been refused for being shorter than what Facebook asked for. */
const isPieceRefused = (error: unknown) =>
  isNever(error, 'input') || (error instanceof NetworkError && error.remote.subcode === '1363037')

const isForgotten = (error: unknown) => isNever(error, 'gone')

const progressOf = (upload: Session): Progress => ({ stage: 'uploading', ...upload })

function savedSession(progress?: Progress): Session | undefined {
  if (!progress) return undefined
  const { session, video, from, to } = progress
  if (typeof session !== 'string' || typeof video !== 'string') return undefined
  return { session, video, from: Number(from), to: Number(to) }
}

/** Pieces are held in memory: small ones as long as Facebook takes less than it asks for, and never more than the largest. */
const usualPiece = 16 * 1024 * 1024
const largestPiece = 64 * 1024 * 1024
