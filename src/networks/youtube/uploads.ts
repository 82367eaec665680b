import type { Actor } from '../connector/actor.ts'
import type { Checkpoint, MediaRef } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkAnswer } from '../wire/network-http.ts'
import { readBytes } from '../wire/network-http.ts'
import { ask, authorization, type Calls } from './calls.ts'
import type { Video } from './shapes.ts'

/** A video with its words. */
export interface Content {
  title: string
  description: string
  video: MediaRef
}

/** How far YouTube is with an upload: bytes it has, or the video they have become. */
type Reached = { video: Video } | { offset: number }

/** A multiple of 256 KiB, as YouTube demands. */
const chunkBytes = 8 * 1024 * 1024
const chunkTimeoutMs = 5 * 60_000

/** Opens an upload and gives the address that takes its bytes; the address holds no token. */
export async function openSession(calls: Calls, actor: Actor, content: Content): Promise<string> {
  const { title, description, video } = content
  const { headers } = await ask(calls, actor, 'videos.insert', {
    query: { uploadType: 'resumable', part: 'snippet,status' },
    headers: { 'x-upload-content-type': video.mime, 'x-upload-content-length': String(video.bytes) },
    json: { snippet: { title, description }, status: { privacyStatus: 'public' } },
  })
  if (!headers.location) throw unready('YouTube opened an upload without saying where.')
  return headers.location
}

/** Asks how far an upload is; nothing when YouTube has forgotten it. */
export const probe = (calls: Calls, actor: Actor, session: string, bytes: number) =>
  put(calls, actor, { url: session, range: `*/${bytes}`, bytes: new Uint8Array() })

/** Sends what is missing. The last piece publishes: it is announced before, and never sent again without a search. */
export async function sendRest(
  calls: Calls,
  actor: Actor,
  media: MediaRef,
  { session, offset }: { session: string; offset: number },
  save: Checkpoint,
): Promise<Video> {
  for (let from = offset; from < media.bytes; ) {
    const to = Math.min(from + chunkBytes, media.bytes)
    const piece = await readBytes(media, from, to)
    const isLast = to === media.bytes
    if (isLast) await save({ stage: 'committing', session, bytes: media.bytes })
    const range = `${from}-${to - 1}/${media.bytes}`
    const state = await put(calls, actor, { url: session, range, bytes: piece, irreversible: isLast })
    if (!state) {
      await save({ stage: 'uploading' })
      throw unready('YouTube has given up the upload; it begins anew.')
    }
    if ('video' in state) return state.video
    await save({ stage: 'uploading', session, offset: state.offset })
    if (state.offset <= from) throw unready('YouTube took none of the bytes it was sent.')
    from = state.offset
  }
  throw unready('YouTube has all of the video, but does not say yet that it is there.')
}

/** Nothing when YouTube does not know the upload (any more): then the bytes had no effect either. */
async function put(
  { http }: Calls,
  actor: Actor,
  {
    url,
    range,
    bytes,
    irreversible = false,
  }: { url: string; range: string; bytes: Uint8Array; irreversible?: boolean },
): Promise<Reached | undefined> {
  const headers = { ...authorization(actor), 'content-range': `bytes ${range}` }
  try {
    return reached(await http({ method: 'PUT', url, headers, bytes, irreversible, timeoutMs: chunkTimeoutMs }))
  } catch (error) {
    if (isForgotten(error)) return undefined
    throw error
  }
}

function reached({ status, headers, body }: NetworkAnswer): Reached {
  if (status !== 308) return { video: (body ?? {}) as Video }
  const last = /^bytes=0-(\d+)$/.exec(headers.range ?? '')?.[1]
  return { offset: last === undefined ? 0 : Number(last) + 1 }
}

/** An upload that nobody continued for a week, or that YouTube gave up. */
const isForgotten = (error: unknown) =>
  error instanceof NetworkError && (error.remote.status === 404 || error.remote.status === 410)

const unready = (message: string) => new NetworkError('YouTube', { kind: 'retryable' }, message)
