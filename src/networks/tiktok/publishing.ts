import type { Actor } from '../connector/actor.ts'
import { type Checkpoint, type Draft, isVideo, type Progress, type Step } from '../connector/draft.ts'
import { type Fault, NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import type { TikTokCalls } from './calls.ts'
import { fetchOutcome } from './outcomes.ts'
import { day, failures } from './refusals.ts'
import { textIn } from './row.ts'

/** An order makes TikTok fetch the media and publish it; what became of the order is asked for until it is known. */
export async function publish(
  calls: TikTokCalls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return followOrder(calls, actor, save, progress)
  refuseUnfitPost('TikTok', draft)
  const kind = draft.media.some(isVideo) ? 'video' : 'photo'
  const failed = failedBefore(progress)
  await save({ stage: 'committing', failed })
  const data = await calls.post(actor, `business/${kind}/publish`, orderOf(kind, draft), true)
  const shareId = textIn(data, 'share_id')
  if (shareId === undefined) {
    throw new NetworkError('TikTok', { kind: 'unknownOutcome' }, 'TikTok took the post but did not name the order.')
  }
  return pending({ stage: 'committed', shareId, failed }, kind === 'photo' ? 5_000 : 10_000)
}

async function followOrder(calls: TikTokCalls, actor: Actor, save: Checkpoint, progress: Progress): Promise<Step> {
  const outcome = await fetchOutcome(calls, actor, String(progress.shareId))
  if (outcome.state === 'published') return { ...outcome.receipt, state: 'done' }
  if (outcome.state === 'working') return pending(progress, 15_000)
  const failed = failedBefore(progress) + 1
  // The order is over and nothing was published: whoever comes back places a new one.
  await save({ stage: 'uploading', failed })
  throw failure(outcome.reason, failed, calls.clock.now())
}

function orderOf(kind: 'video' | 'photo', { text, title, media }: Draft): object {
  const urls = media.map(({ publicUrl }) => publicUrl)
  if (kind === 'video') return { video_url: urls[0], post_info: { caption: text } }
  return { photo_images: urls, photo_cover_index: 0, post_info: { caption: text, ...(title && { title }) } }
}

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
// The same order within a minute is refused as a duplicate.
const repeatAfterMs = 90_000
