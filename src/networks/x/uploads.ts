import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../connector/actor.ts'
import type { MediaRef } from '../connector/draft.ts'
import { badInput, NetworkError } from '../connector/fault.ts'
import type { NetworkAnswer } from '../wire/network-http.ts'
import { readBytes } from '../wire/network-http.ts'
import { dataOf } from './answers.ts'
import { idIn, type XCalls } from './calls.ts'
import { mediaRefused } from './refusals.ts'

/** How far a file has come. */
export type Upload = {
  id: string
  /** The segment to send next. */
  segment: number
  /** X has all of it. */
  sent: boolean
  /** X has worked on it. */
  ready: boolean
  /** When X forgets it. */
  until: string
}

type Purpose = 'tweet' | 'dm'
type MediaKind = 'image' | 'gif' | 'video'

function kindOf({ mime }: MediaRef): MediaKind {
  if (mime === 'image/gif') return 'gif'
  return mime.startsWith('video/') ? 'video' : 'image'
}

type Keep = (upload: Upload) => Promise<void>

interface Uploaded {
  id: string
  expires_after_secs: number
  processing_info: { state?: string; check_after_secs?: number; error?: { message?: string } }
}

const segmentBytes = 4 * 1024 * 1024
const dayMs = 86_400_000
const timeoutMs = 120_000

export const isAlive = ({ until }: Upload, now: Date) => new Date(until).getTime() > now.getTime()

/** Sends what is missing of a file; `keep` hears of every step that would be a pity to repeat. */
export async function upload(
  calls: XCalls,
  actor: Actor,
  media: MediaRef,
  purpose: Purpose,
  keep: Keep,
  known?: Upload,
): Promise<Upload> {
  if (known?.sent) return known
  const kind = kindOf(media)
  const made =
    kind === 'image'
      ? await sendWhole(calls, actor, media, purpose)
      : await sendSegments(calls, actor, media, { category: `${purpose}_${kind}`, keep, known })
  await describe(calls, actor, media, made.id, kind)
  await keep(made)
  return made
}

/** Nothing when the file can be used; else how long to wait before asking again. */
export async function waitFor(calls: XCalls, actor: Actor, { id, ready }: Upload): Promise<number | undefined> {
  if (ready) return undefined
  const query = { command: 'STATUS', media_id: id }
  const answer = await calls.as(actor, { method: 'GET', path: '/media/upload', query })
  const { state, check_after_secs, error } = dataOf<Uploaded>(answer).processing_info ?? {}
  if (state === 'failed') throw badInput('Twitter', `X could not use the file: ${error?.message ?? 'no reason given'}.`)
  return state === undefined || state === 'succeeded' ? undefined : (check_after_secs ?? 5) * 1000
}

const patience = 12

/** For answers and messages, which are not taken up again later: files are sent and waited for within the call. */
export async function uploadNow(calls: XCalls, actor: Actor, media: readonly MediaRef[], purpose: Purpose) {
  const ids: string[] = []
  for (const file of media) {
    const made = await upload(calls, actor, file, purpose, async () => {})
    for (let round = 0; ; round++) {
      const wait = await waitFor(calls, actor, made)
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

async function sendWhole(calls: XCalls, actor: Actor, media: MediaRef, purpose: Purpose): Promise<Upload> {
  const file = { bytes: await readBytes(media), mime: media.mime, name: media.name ?? 'image' }
  const multipart = { media_category: `${purpose}_image`, media: file }
  return uploadIn(
    calls,
    await calls.as(actor, { method: 'POST', path: '/media/upload', multipart, timeoutMs }),
    0,
    true,
  )
}

async function sendSegments(
  calls: XCalls,
  actor: Actor,
  media: MediaRef,
  { category, keep, known }: { category: string; keep: Keep; known?: Upload | undefined },
): Promise<Upload> {
  try {
    const opened = known ?? (await initialize(calls, actor, media, category))
    if (!known) await keep(opened)
    for (let segment = opened.segment; segment * segmentBytes < media.bytes; segment++) {
      const from = segment * segmentBytes
      const bytes = await readBytes(media, from, Math.min(from + segmentBytes, media.bytes))
      const multipart = { segment_index: String(segment), media: { bytes, mime: media.mime, name: 'segment' } }
      await calls.as(actor, { method: 'POST', path: `/media/upload/${opened.id}/append`, multipart, timeoutMs })
      await keep({ ...opened, segment: segment + 1 })
    }
    const path = `/media/upload/${opened.id}/finalize`
    return uploadIn(calls, await calls.as(actor, { method: 'POST', path }), 0, true)
  } catch (error) {
    // X has forgotten an upload that was begun earlier.
    const forgotten = known && error instanceof NetworkError && error.remote.code === mediaRefused
    if (forgotten) return sendSegments(calls, actor, media, { category, keep })
    throw error
  }
}

async function initialize(calls: XCalls, actor: Actor, { mime, bytes }: MediaRef, category: string): Promise<Upload> {
  const json = { media_type: mime, total_bytes: bytes, media_category: category }
  return uploadIn(calls, await calls.as(actor, { method: 'POST', path: '/media/upload/initialize', json }), 0, false)
}

function uploadIn({ installation }: XCalls, answer: NetworkAnswer, segment: number, sent: boolean): Upload {
  const { expires_after_secs, processing_info } = dataOf<Uploaded>(answer)
  const lifeMs = expires_after_secs === undefined ? dayMs : expires_after_secs * 1000
  const until = new Date(installation.clock.now().getTime() + lifeMs).toISOString()
  const ready = sent && (processing_info === undefined || processing_info.state === 'succeeded')
  return { id: idIn(answer, 'id'), segment, sent, ready, until }
}

/** X has such words for pictures only. */
async function describe(calls: XCalls, actor: Actor, { alt }: MediaRef, id: string, kind: MediaKind) {
  if (!alt || kind === 'video') return
  const json = { id, metadata: { alt_text: { text: alt } } }
  await calls.as(actor, { method: 'POST', path: '/media/metadata', json })
}
