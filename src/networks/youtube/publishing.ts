import type { Actor } from '../connector/actor.ts'
import type { Checkpoint, Draft, MediaRef, Progress, Receipt, Step } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { askList, type Calls, watchUrl } from './calls.ts'
import type { Video } from './shapes.ts'
import { type Content, openSession, probe, sendRest } from './uploads.ts'
import { shownText, titleOf } from './words.ts'

export async function publish(
  calls: Calls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return afterUpload(calls, actor, progress)
  const content = contentOf(draft)
  const video = (await resumed(calls, actor, content, save, progress)) ?? (await uploaded(calls, actor, content, save))
  // YouTube has the video, but what it is called can only be found out by a search.
  if (!video.id) throw new NetworkError('YouTube', { kind: 'unknownOutcome' }, 'YouTube named no video.')
  return step(calls, video, {
    id: video.id,
    at: video.snippet?.publishedAt ?? calls.installation.clock.now().toISOString(),
  })
}

/** What a draft becomes on YouTube. */
function contentOf(draft: Draft): Content {
  refuseUnfitPost('YouTube', draft)
  return { title: titleOf(draft), description: shownText(draft.text), video: draft.media[0] as MediaRef }
}

/** Goes on with an upload that YouTube still knows; nothing when it must begin anew. */
async function resumed(calls: Calls, actor: Actor, { video }: Content, save: Checkpoint, progress?: Progress) {
  const session = progress?.session
  if (typeof session !== 'string') return undefined
  const state = await probe(calls, actor, session, video.bytes)
  if (!state || 'video' in state) return state?.video
  return sendRest(calls, actor, video, { session, offset: state.offset }, save)
}

async function uploaded(calls: Calls, actor: Actor, content: Content, save: Checkpoint): Promise<Video> {
  const session = await openSession(calls, actor, content)
  await save({ stage: 'uploading', session, offset: 0 })
  return sendRest(calls, actor, content.video, { session, offset: 0 }, save)
}

interface Sent {
  id: string
  at: string
}

async function afterUpload(calls: Calls, actor: Actor, progress: Progress): Promise<Step> {
  const sent = { id: String(progress.id), at: String(progress.at) }
  const query = { part: 'snippet,status', id: sent.id }
  const [video] = (await askList<Video>(calls, actor, 'videos.list', query)).items
  if (video) return step(calls, video, sent)
  if (calls.installation.clock.now().getTime() - Date.parse(sent.at) < listedWithinMs) return waiting(sent)
  throw new NetworkError('YouTube', { kind: 'permanent', why: 'gone' }, 'The video was removed from YouTube.')
}

/** The post is there when YouTube has worked through the video. */
function step(calls: Calls, video: Video, sent: Sent): Step {
  const refused = faultOfVideo(video)
  if (refused) throw refused
  if (video.status?.uploadStatus === 'uploaded') return waiting(sent)
  return { state: 'done', ...receiptOf(calls, sent.id, video.snippet?.publishedAt ?? sent.at), notice: noticeOf(video) }
}

/** Settings of a channel can make an upload private or unlisted although it was to be public. */
function noticeOf({ status }: Video): string | undefined {
  const { privacyStatus = 'public' } = status ?? {}
  if (privacyStatus === 'public') return undefined
  return `The video is on YouTube, but it is ${privacyStatus}, not public: the settings of the channel made it so. Change its visibility in YouTube Studio.`
}

const waiting = ({ id, at }: Sent): Step => ({
  state: 'pending',
  progress: { stage: 'committed', id, at },
  checkAfterMs: 10_000,
})

export const receiptOf = (calls: Calls, id: string, at?: string): Receipt => ({
  remoteId: id,
  remoteUrl: watchUrl(calls.app, id),
  at: at === undefined ? calls.installation.clock.now() : new Date(at),
})

/** A new video is not in every answer at once. */
const listedWithinMs = 5 * 60_000

/** What YouTube made of an uploaded video, when that is nothing. */
export function faultOfVideo({ status = {} }: Video): NetworkError | undefined {
  const { uploadStatus, failureReason, rejectionReason } = status
  if (uploadStatus === 'deleted') {
    return new NetworkError('YouTube', { kind: 'permanent', why: 'gone' }, 'The video was removed from YouTube.')
  }
  if (uploadStatus !== 'failed' && uploadStatus !== 'rejected') return undefined
  const reason = (uploadStatus === 'failed' ? failureReason : rejectionReason) ?? ''
  const remote = { code: reason || uploadStatus }
  if (reason === 'duplicate') {
    const sentence = 'YouTube has rejected the video because the channel has it already.'
    return new NetworkError('YouTube', { kind: 'duplicate' }, sentence, remote)
  }
  const did = uploadStatus === 'failed' ? 'could not use the video' : 'has rejected the video'
  const why = words.get(reason) ?? (reason && `it says “${reason}”`)
  const sentence = `YouTube ${did}${why && `: ${why}`}.`
  return new NetworkError('YouTube', { kind: 'permanent', why: 'input', field: 'media' }, sentence, remote)
}

const words = new Map(
  Object.entries({
    codec: 'it was encoded in a way YouTube does not know',
    conversion: 'it could not be converted',
    emptyFile: 'the file is empty',
    invalidFile: 'the file is not a video YouTube can read',
    tooSmall: 'the file is too small',
    uploadAborted: 'the upload was broken off',
    claim: 'somebody else claims its content',
    copyright: 'it infringes a copyright',
    inappropriate: 'its content is against the community guidelines',
    legal: 'it may not be shown for legal reasons',
    length: 'it is longer than this channel may upload',
    termsOfUse: 'it is against the terms of use',
    trademark: 'it infringes a trademark',
    uploaderAccountClosed: 'the account of this channel is closed',
    uploaderAccountSuspended: 'the account of this channel is suspended',
  }),
)
