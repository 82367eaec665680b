import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../connector/connector.ts'
import { badInput, NetworkError } from '../connector/connector.ts'
import type { MediaRef } from '../connector/draft.ts'
import type { NetworkResponse } from '../http/network-http.ts'
import { readBytes } from '../http/network-http.ts'
import { idIn, mediaRejected, type XClient } from './client.ts'
import { dataOf } from './responses.ts'

/** Progress of a file upload. */
export type Upload = {
  id: string
  /** The next segment to send. */
  segment: number
  /** All segments are uploaded. */
  sent: boolean
  /** Processing is complete. */
  ready: boolean
  /** When X expires it. */
  until: string
}

type Purpose = 'tweet' | 'dm'
type MediaKind = 'image' | 'gif' | 'video'

function kindOf({ mime }: MediaRef): MediaKind {
  if (mime === 'image/gif') return 'gif'
  return mime.startsWith('video/') ? 'video' : 'image'
}

type SaveUpload = (upload: Upload) => Promise<void>

interface Uploaded {
  id: string
  expires_after_secs: number
  processing_info: { state?: string; check_after_secs?: number; error?: { message?: string } }
}

const segmentBytes = 4 * 1024 * 1024
const dayMs = 86_400_000
const timeoutMs = 120_000

export const isAlive = ({ until }: Upload, now: Date) => new Date(until).getTime() > now.getTime()

/** Uploads the rest of a file; `keep` saves each step worth keeping. */
export async function upload(
  client: XClient,
  actor: Actor,
  media: MediaRef,
  purpose: Purpose,
  keep: SaveUpload,
  known?: Upload,
): Promise<Upload> {
  if (known?.sent) return known
  const kind = kindOf(media)
  const made =
    kind === 'image'
      ? await sendWhole(client, actor, media, purpose)
      : await sendSegments(client, actor, media, { category: `${purpose}_${kind}`, keep, known })
  await describe(client, actor, media, made.id, kind)
  await keep(made)
  return made
}

/** Undefined if the file can be used; otherwise the delay before the next check. */
export async function waitFor(client: XClient, actor: Actor, { id, ready }: Upload): Promise<number | undefined> {
  if (ready) return undefined
  const query = { command: 'STATUS', media_id: id }
  const response = await client.as(actor, { method: 'GET', path: '/media/upload', query })
  const { state, check_after_secs, error } = dataOf<Uploaded>(response).processing_info ?? {}
  if (state === 'failed') throw badInput('Twitter', `X could not use the file: ${error?.message ?? 'no reason given'}.`)
  return state === undefined || state === 'succeeded' ? undefined : (check_after_secs ?? 5) * 1000
}

const patience = 12

/** For replies and messages, which aren't resumed later: uploads and waits within the call. */
export async function uploadNow(client: XClient, actor: Actor, media: readonly MediaRef[], purpose: Purpose) {
  const ids: string[] = []
  for (const file of media) {
    const made = await upload(client, actor, file, purpose, async () => {})
    for (let round = 0; ; round++) {
      const wait = await waitFor(client, actor, made)
      if (wait === undefined) break
      if (round === patience) {
        const sentence = 'Twitter: the file is still being processed; it can be tried again later.'
        throw new NetworkError('Twitter', { kind: 'retryable', afterMs: wait }, sentence)
      }
      await sleep(Math.min(wait, 5000))
    }
    ids.push(made.id)
  }
  return ids
}

async function sendWhole(client: XClient, actor: Actor, media: MediaRef, purpose: Purpose): Promise<Upload> {
  const file = { bytes: await readBytes(media), mime: media.mime, name: media.name ?? 'image' }
  const multipart = { media_category: `${purpose}_image`, media: file }
  return uploadIn(
    client,
    await client.as(actor, { method: 'POST', path: '/media/upload', multipart, timeoutMs }),
    0,
    true,
  )
}

async function sendSegments(
  client: XClient,
  actor: Actor,
  media: MediaRef,
  { category, keep, known }: { category: string; keep: SaveUpload; known?: Upload | undefined },
): Promise<Upload> {
  try {
    const opened = known ?? (await initialize(client, actor, media, category))
    if (!known) await keep(opened)
    for (let segment = opened.segment; segment * segmentBytes < media.bytes; segment++) {
      const from = segment * segmentBytes
      const bytes = await readBytes(media, from, Math.min(from + segmentBytes, media.bytes))
      const multipart = { segment_index: String(segment), media: { bytes, mime: media.mime, name: 'segment' } }
      await client.as(actor, { method: 'POST', path: `/media/upload/${opened.id}/append`, multipart, timeoutMs })
      await keep({ ...opened, segment: segment + 1 })
    }
    const path = `/media/upload/${opened.id}/finalize`
    return uploadIn(client, await client.as(actor, { method: 'POST', path }), 0, true)
  } catch (error) {
    // X has expired an upload that was started earlier.
    const forgotten = known && error instanceof NetworkError && error.remote.code === mediaRejected
    if (forgotten) return sendSegments(client, actor, media, { category, keep })
    throw error
  }
}

async function initialize(client: XClient, actor: Actor, { mime, bytes }: MediaRef, category: string): Promise<Upload> {
  const json = { media_type: mime, total_bytes: bytes, media_category: category }
  return uploadIn(client, await client.as(actor, { method: 'POST', path: '/media/upload/initialize', json }), 0, false)
}

function uploadIn({ installation }: XClient, response: NetworkResponse, segment: number, sent: boolean): Upload {
  const { expires_after_secs, processing_info } = dataOf<Uploaded>(response)
  const lifeMs = expires_after_secs === undefined ? dayMs : expires_after_secs * 1000
  const until = new Date(installation.clock.now().getTime() + lifeMs).toISOString()
  const ready = sent && (processing_info === undefined || processing_info.state === 'succeeded')
  return { id: idIn(response, 'id'), segment, sent, ready, until }
}

/** X supports descriptions for images only. */
async function describe(client: XClient, actor: Actor, { alt }: MediaRef, id: string, kind: MediaKind) {
  if (!alt || kind === 'video') return
  const json = { id, metadata: { alt_text: { text: alt } } }
  await client.as(actor, { method: 'POST', path: '/media/metadata', json })
}
