import type { Actor } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Checkpoint, MediaRef } from '../connector/draft.ts'
import type { NetworkResponse } from '../http/network-http.ts'
import { readBytes } from '../http/network-http.ts'
import type { Video } from './client.ts'
import { authorization, request, type YouTubeClient } from './client.ts'

/** A video with its texts. */
export interface Content {
  title: string
  description: string
  video: MediaRef
}

/** State of an upload: the bytes received, or the resulting video. */
type UploadState = { video: Video } | { offset: number }

/** A multiple of 256 KiB, as YouTube requires. */
const chunkBytes = 8 * 1024 * 1024
const chunkTimeoutMs = 5 * 60_000

/** Opens an upload session and returns its URL, which contains no token. */
export async function openSession(client: YouTubeClient, actor: Actor, content: Content): Promise<string> {
  const { title, description, video } = content
  const { headers } = await request(client, actor, 'videos.insert', {
    query: { uploadType: 'resumable', part: 'snippet,status' },
    headers: { 'x-upload-content-type': video.mime, 'x-upload-content-length': String(video.bytes) },
    json: { snippet: { title, description }, status: { privacyStatus: 'public' } },
  })
  if (!headers.location) throw notReady('YouTube opened an upload without saying where.')
  return headers.location
}

/** State of an upload session; undefined if it has expired. */
export const probe = (client: YouTubeClient, actor: Actor, session: string, bytes: number) =>
  put(client, actor, { url: session, range: `*/${bytes}`, bytes: new Uint8Array() })

/** Sends the remaining bytes. The last chunk publishes: progress is saved before it, and it is never resent without a lookup. */
export async function sendRest(
  client: YouTubeClient,
  actor: Actor,
  media: MediaRef,
  { session, offset }: { session: string; offset: number },
  save: Checkpoint,
): Promise<Video> {
  for (let from = offset; from < media.bytes; ) {
    const to = Math.min(from + chunkBytes, media.bytes)
    const chunk = await readBytes(media, from, to)
    const isLast = to === media.bytes
    if (isLast) await save({ stage: 'committing', session, bytes: media.bytes })
    const range = `${from}-${to - 1}/${media.bytes}`
    const state = await put(client, actor, { url: session, range, bytes: chunk, irreversible: isLast })
    if (!state) {
      await save({ stage: 'uploading' })
      throw notReady('YouTube has given up the upload; it begins anew.')
    }
    if ('video' in state) return state.video
    await save({ stage: 'uploading', session, offset: state.offset })
    if (state.offset <= from) throw notReady('YouTube took none of the bytes it was sent.')
    from = state.offset
  }
  throw notReady('YouTube has all of the video, but does not say yet that it is there.')
}

/** Undefined if YouTube doesn't know the session: then the bytes had no effect either. */
async function put(
  { http }: YouTubeClient,
  actor: Actor,
  {
    url,
    range,
    bytes,
    irreversible = false,
  }: { url: string; range: string; bytes: Uint8Array; irreversible?: boolean },
): Promise<UploadState | undefined> {
  const headers = { ...authorization(actor), 'content-range': `bytes ${range}` }
  try {
    return uploadStateOf(await http({ method: 'PUT', url, headers, bytes, irreversible, timeoutMs: chunkTimeoutMs }))
  } catch (error) {
    if (isForgotten(error)) return undefined
    throw error
  }
}

function uploadStateOf({ status, headers, body }: NetworkResponse): UploadState {
  if (status !== 308) return { video: (body ?? {}) as Video }
  const last = /^bytes=0-(\d+)$/.exec(headers.range ?? '')?.[1]
  return { offset: last === undefined ? 0 : Number(last) + 1 }
}

/** A session that wasn't continued for a week, or that YouTube dropped. */
const isForgotten = (error: unknown) =>
  error instanceof NetworkError && (error.remote.status === 404 || error.remote.status === 410)

const notReady = (message: string) => new NetworkError('YouTube', { kind: 'retryable' }, message)
