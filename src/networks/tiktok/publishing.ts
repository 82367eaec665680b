import type { Actor } from '../connector/actor.ts'
import { type Checkpoint, type Draft, isVideo, type MediaRef, type Progress, type Step } from '../connector/draft.ts'
import { badInput, type Fault, NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import type { TikTokCalls } from './calls.ts'
import { fetchOutcome, receiptOfOrder } from './outcomes.ts'
import { day, failures, numberIn, type Row, textIn } from './refusals.ts'

/** An order makes TikTok fetch the media and publish it; what became of the order is asked for until it is known. */
export async function publish(
  calls: TikTokCalls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return followOrder(calls, actor, draft, save, progress)
  refuseUnfitPost('TikTok', draft)
  const kind = draft.media.some(isVideo) ? 'video' : 'photo'
  const failed = failedBefore(progress)
  const settings = await fetchPostSettings(calls, actor)
  refuseLongVideo(settings, draft.media)
  await save({ stage: 'committing', failed })
  const data = await place(calls, actor, kind, draft, settings)
  const shareId = textIn(data, 'share_id')
  if (shareId === undefined) {
    throw new NetworkError('TikTok', { kind: 'unknownOutcome' }, 'TikTok took the post but did not name the order.')
  }
  const order: Progress = { stage: 'committed', shareId, failed, ...(!isPublic(settings) && { hidden: true }) }
  return pending(order, kind === 'photo' ? 5_000 : 10_000)
}

/** The one call that makes the post visible. */
async function place(calls: TikTokCalls, actor: Actor, kind: Kind, draft: Draft, settings: PostSettings): Promise<Row> {
  try {
    return await calls.post(actor, `business/${kind}/publish`, orderOf(kind, draft, settings), true)
  } catch (error) {
    throw error instanceof NetworkError && error.message.includes(unverified) ? unverifiedDomain(draft, error) : error
  }
}

async function followOrder(
  calls: TikTokCalls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress: Progress,
): Promise<Step> {
  const shareId = String(progress.shareId)
  const outcome = await fetchOutcome(calls, actor, shareId)
  if (outcome.state === 'published') return { ...outcome.receipt, state: 'done' }
  if (outcome.state === 'working') return pending(progress, 15_000)
  if (outcome.state === 'unnamed') {
    const now = calls.clock.now().getTime()
    const unnamedSince = Number(progress.unnamedSince ?? now)
    const isNamedLater = progress.hidden !== true && now - unnamedSince < namedWithinMs
    if (isNamedLater) return pending({ ...progress, unnamedSince }, 15_000)
    return { ...receiptOfOrder(calls, actor, shareId), state: 'done' }
  }
  const failed = failedBefore(progress) + 1
  // The order is over and nothing was published: whoever comes back places a new one.
  await save({ stage: 'uploading', failed })
  if (outcome.reason === unverified) throw unverifiedDomain(draft)
  throw failure(outcome.reason, failed, calls.clock.now())
}

/** TikTok fetches media only from domains whose ownership was verified for the app. */
function unverifiedDomain({ media }: Draft, cause?: NetworkError): NetworkError {
  const hosts = [...new Set(media.map(({ publicUrl }) => new URL(publicUrl).hostname))].join(' and ')
  const sentence = `TikTok fetches media only from verified domains. Verify ${hosts} as a URL property of the TikTok app.`
  return new NetworkError('TikTok', { kind: 'permanent', why: 'config' }, sentence, cause?.remote, cause)
}

function orderOf(kind: Kind, { text, title, media }: Draft, settings: PostSettings): object {
  const urls = media.map(({ publicUrl }) => publicUrl)
  const post_info = {
    caption: text,
    // Labels of advertising; TikTok's documentation calls both required.
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

/** How many orders TikTok has taken and then given up. */
const failedBefore = (progress: Progress | undefined) => Number(progress?.failed ?? 0)

const pending = (progress: Progress, checkAfterMs: number): Step => ({ state: 'pending', progress, checkAfterMs })

function failure(reason: string, failed: number, now: Date): NetworkError {
  const { fault, sentence } = failures[reason] ?? { fault: other, sentence: `it was refused as ${reason}` }
  const remote = { code: 'FAILED', subcode: reason }
  return new NetworkError('TikTok', meant(fault, failed, now), `TikTok did not publish the post: ${sentence}.`, remote)
}

function meant(fault: Fault | 'again' | 'tomorrow', failed: number, now: Date): Fault {
  if (fault === 'tomorrow') return { kind: 'throttled', until: new Date(now.getTime() + day), scope: 'actor' }
  if (fault !== 'again') return fault
  return failed < mostOrders ? { kind: 'retryable', afterMs: repeatAfterMs } : other
}

const other: Fault = { kind: 'permanent', why: 'input', field: 'media' }
const mostOrders = 3
const unverified = 'url_ownership_unverified'
// TikTok says that an id may take three minutes.
const namedWithinMs = 5 * 60_000
// The same order within a minute is refused as a duplicate.
const repeatAfterMs = 90_000

/** What the owner of an account allows for posts; nothing is known where TikTok does not tell this app. */
export interface PostSettings {
  /** Who can see a post, the largest audience first. */
  privacyLevels: string[]
  commentsOff: boolean
  duetsOff: boolean
  stitchesOff: boolean
  maxSeconds?: number | undefined
}

async function fetchPostSettings(calls: TikTokCalls, actor: Actor): Promise<PostSettings> {
  try {
    const data = await calls.get(actor, 'business/video/settings', {})
    const options = Array.isArray(data.privacy_level_options) ? data.privacy_level_options.map(String) : []
    return {
      privacyLevels: audiences.filter((level) => options.includes(level)),
      commentsOff: data.comment_disabled === true,
      duetsOff: data.duet_disabled === true,
      stitchesOff: data.stitch_disabled === true,
      maxSeconds: numberIn(data, 'max_video_post_duration_sec'),
    }
  } catch (error) {
    // The post itself shows whether it can be published.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
    return { privacyLevels: [], commentsOff: false, duetsOff: false, stitchesOff: false }
  }
}

/** The largest audience that the account allows. */
const privacyOf = ({ privacyLevels: [widest = everybody] }: PostSettings) => widest

/** TikTok names public posts only. */
const isPublic = (settings: PostSettings) => privacyOf(settings) === everybody

/** Some accounts may publish shorter videos than others. */
function refuseLongVideo({ maxSeconds }: PostSettings, media: readonly MediaRef[]) {
  const longest = Math.max(0, ...media.filter(isVideo).map(({ durationMs = 0 }) => durationMs / 1000))
  if (!maxSeconds || longest <= maxSeconds) return
  const sentence = `The video lasts ${Math.ceil(longest)} s; on TikTok this account may publish videos of up to ${maxSeconds} s.`
  throw badInput('TikTok', sentence, 'media')
}

const everybody = 'PUBLIC_TO_EVERYONE'
const audiences = [everybody, 'FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
