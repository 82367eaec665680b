import type { Actor } from '../connector/connector.ts'
import { badInput, type Fault, NetworkError } from '../connector/connector.ts'
import { type Checkpoint, type Draft, isVideo, type MediaRef, type Progress, type Step } from '../connector/draft.ts'
import { rejectInvalidPost } from '../content/draft-check.ts'
import type { TikTokClient } from './client.ts'
import { day, failures, numberIn, type Row, textIn } from './client.ts'
import { fetchOutcome, receiptOfShare } from './outcomes.ts'

/** A publish request makes TikTok download the media and publish it; its status is polled until it is final. */
export async function publish(
  client: TikTokClient,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return checkOrder(client, actor, draft, save, progress)
  rejectInvalidPost('TikTok', draft)
  const kind = draft.media.some(isVideo) ? 'video' : 'photo'
  const failed = failedBefore(progress)
  const settings = await fetchPostSettings(client, actor)
  rejectLongVideo(settings, draft.media)
  await save({ stage: 'committing', failed })
  const data = await requestPublish(client, actor, kind, draft, settings)
  const shareId = textIn(data, 'share_id')
  if (shareId === undefined) {
    throw new NetworkError('TikTok', { kind: 'unknownOutcome' }, 'TikTok took the post but did not name the order.')
  }
  const committed: Progress = { stage: 'committed', shareId, failed, ...(!isPublic(settings) && { hidden: true }) }
  return pending(committed, kind === 'photo' ? 5_000 : 10_000)
}

/** The one request that makes the post visible. */
async function requestPublish(
  client: TikTokClient,
  actor: Actor,
  kind: Kind,
  draft: Draft,
  settings: PostSettings,
): Promise<Row> {
  try {
    return await client.post(actor, `business/${kind}/publish`, publishRequestOf(kind, draft, settings), true)
  } catch (error) {
    throw error instanceof NetworkError && error.message.includes(unverified) ? unverifiedDomain(draft, error) : error
  }
}

async function checkOrder(
  client: TikTokClient,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress: Progress,
): Promise<Step> {
  const shareId = String(progress.shareId)
  const outcome = await fetchOutcome(client, actor, shareId)
  if (outcome.state === 'published') return { ...outcome.receipt, state: 'done' }
  if (outcome.state === 'working') return pending(progress, 15_000)
  if (outcome.state === 'unnamed') {
    const now = client.clock.now().getTime()
    const unnamedSince = Number(progress.unnamedSince ?? now)
    const awaitsId = progress.hidden !== true && now - unnamedSince < idTimeoutMs
    if (awaitsId) return pending({ ...progress, unnamedSince }, 15_000)
    return { ...receiptOfShare(client, actor, shareId), state: 'done' }
  }
  const failed = failedBefore(progress) + 1
  // The request ended without a post: the next attempt sends a new one.
  await save({ stage: 'uploading', failed })
  if (outcome.reason === unverified) throw unverifiedDomain(draft)
  throw failure(outcome.reason, failed, client.clock.now())
}

/** TikTok fetches media only from domains verified for the app. */
function unverifiedDomain({ media }: Draft, cause?: NetworkError): NetworkError {
  const hosts = [...new Set(media.map(({ publicUrl }) => new URL(publicUrl).hostname))].join(' and ')
  const sentence = `TikTok fetches media only from verified domains. Verify ${hosts} as a URL property of the TikTok app.`
  return new NetworkError('TikTok', { kind: 'permanent', why: 'config' }, sentence, cause?.remote, cause)
}

function publishRequestOf(kind: Kind, { text, title, media }: Draft, settings: PostSettings): object {
  const urls = media.map(({ publicUrl }) => publicUrl)
  const post_info = {
    caption: text,
    // Advertising labels; TikTok's documentation marks both as required.
    is_brand_organic: false,
    is_branded_content: false,
    ...(settings.commentsOff && { disable_comment: true }),
  }
  if (kind === 'photo') {
    const named = { ...post_info, privacy_level: privacyOf(settings), ...(title && { title }) }
    return { photo_images: urls, photo_cover_index: 0, post_info: named }
  }
  const closed = {
    ...(settings.duetsOff && { disable_duet: true }),
    ...(settings.stitchesOff && { disable_stitch: true }),
  }
  return { video_url: urls[0], post_info: { ...post_info, ...closed } }
}

type Kind = 'video' | 'photo'

/** Number of publish requests that TikTok accepted and then failed. */
const failedBefore = (progress: Progress | undefined) => Number(progress?.failed ?? 0)

const pending = (progress: Progress, checkAfterMs: number): Step => ({ state: 'pending', progress, checkAfterMs })

function failure(reason: string, failed: number, now: Date): NetworkError {
  const { fault, sentence } = failures[reason] ?? { fault: other, sentence: `it was refused as ${reason}` }
  const remote = { code: 'FAILED', subcode: reason }
  return new NetworkError(
    'TikTok',
    faultOf(fault, failed, now),
    `TikTok did not publish the post: ${sentence}.`,
    remote,
  )
}

function faultOf(fault: Fault | 'again' | 'tomorrow', failed: number, now: Date): Fault {
  if (fault === 'tomorrow') return { kind: 'throttled', until: new Date(now.getTime() + day), scope: 'actor' }
  if (fault !== 'again') return fault
  return failed < maximumOrders ? { kind: 'retryable', afterMs: repeatAfterMs } : other
}

const other: Fault = { kind: 'permanent', why: 'input', field: 'media' }
const maximumOrders = 3
const unverified = 'url_ownership_unverified'
// TikTok documents that an id may take three minutes.
const idTimeoutMs = 5 * 60_000
// The same request within a minute is rejected as a duplicate.
const repeatAfterMs = 90_000

/** Post settings of the account; empty where TikTok doesn't return them to this app. */
export interface PostSettings {
  /** Allowed privacy levels, the largest audience first. */
  privacyLevels: string[]
  commentsOff: boolean
  duetsOff: boolean
  stitchesOff: boolean
  maxSeconds?: number | undefined
}

async function fetchPostSettings(client: TikTokClient, actor: Actor): Promise<PostSettings> {
  try {
    const data = await client.get(actor, 'business/video/settings', {})
    const options = Array.isArray(data.privacy_level_options) ? data.privacy_level_options.map(String) : []
    return {
      privacyLevels: audiences.filter((level) => options.includes(level)),
      commentsOff: data.comment_disabled === true,
      duetsOff: data.duet_disabled === true,
      stitchesOff: data.stitch_disabled === true,
      maxSeconds: numberIn(data, 'max_video_post_duration_sec'),
    }
  } catch (error) {
    // Publishing itself shows whether the post is allowed.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
    return { privacyLevels: [], commentsOff: false, duetsOff: false, stitchesOff: false }
  }
}

/** The largest audience the account allows. */
const privacyOf = ({ privacyLevels: [widest = publicPrivacy] }: PostSettings) => widest

/** TikTok assigns ids to public posts only. */
const isPublic = (settings: PostSettings) => privacyOf(settings) === publicPrivacy

/** Some accounts are limited to shorter videos. */
function rejectLongVideo({ maxSeconds }: PostSettings, media: readonly MediaRef[]) {
  const longest = Math.max(0, ...media.filter(isVideo).map(({ durationMs = 0 }) => durationMs / 1000))
  if (!maxSeconds || longest <= maxSeconds) return
  const sentence = `The video lasts ${Math.ceil(longest)} s; on TikTok this account may publish videos of up to ${maxSeconds} s.`
  throw badInput('TikTok', sentence, 'media')
}

const publicPrivacy = 'PUBLIC_TO_EVERYONE'
const audiences = [publicPrivacy, 'FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
