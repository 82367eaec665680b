import { type Actor, NetworkError } from '../connector/connector.ts'
import type { Checkpoint, Draft, Found, MediaRef, Progress, Receipt, Step } from '../connector/draft.ts'
import { rejectInvalidPost } from '../content/draft-check.ts'
import { type Channel, type PlaylistItem, requestList, type Video, watchUrl, type YouTubeClient } from './client.ts'
import { displayedText, titleOf } from './manifest.ts'
import { type Content, openSession, probe, sendRest } from './uploads.ts'

export async function publish(
  client: YouTubeClient,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return afterUpload(client, actor, progress)
  const content = contentOf(draft)
  const video =
    (await resumed(client, actor, content, save, progress)) ?? (await uploaded(client, actor, content, save))
  // YouTube has the video, but its id can only be found by a search.
  if (!video.id) throw new NetworkError('YouTube', { kind: 'unknownOutcome' }, 'YouTube named no video.')
  return step(client, video, {
    id: video.id,
    at: video.snippet?.publishedAt ?? client.installation.clock.now().toISOString(),
  })
}

function contentOf(draft: Draft): Content {
  rejectInvalidPost('YouTube', draft)
  return { title: titleOf(draft), description: displayedText(draft.text), video: draft.media[0] as MediaRef }
}

/** Resumes an upload session; undefined if it must start over. */
async function resumed(client: YouTubeClient, actor: Actor, { video }: Content, save: Checkpoint, progress?: Progress) {
  const session = progress?.session
  if (typeof session !== 'string') return undefined
  const state = await probe(client, actor, session, video.bytes)
  if (!state || 'video' in state) return state?.video
  return sendRest(client, actor, video, { session, offset: state.offset }, save)
}

async function uploaded(client: YouTubeClient, actor: Actor, content: Content, save: Checkpoint): Promise<Video> {
  const session = await openSession(client, actor, content)
  await save({ stage: 'uploading', session, offset: 0 })
  return sendRest(client, actor, content.video, { session, offset: 0 }, save)
}

interface Sent {
  id: string
  at: string
}

async function afterUpload(client: YouTubeClient, actor: Actor, progress: Progress): Promise<Step> {
  const sent = { id: String(progress.id), at: String(progress.at) }
  const query = { part: 'snippet,status', id: sent.id }
  const [video] = (await requestList<Video>(client, actor, 'videos.list', query)).items
  if (video) return step(client, video, sent)
  if (client.installation.clock.now().getTime() - Date.parse(sent.at) < listedWithinMs) return waiting(sent)
  throw new NetworkError('YouTube', { kind: 'permanent', why: 'gone' }, 'The video was removed from YouTube.')
}

/** The post is complete once YouTube has processed the video. */
function step(client: YouTubeClient, video: Video, sent: Sent): Step {
  const refused = faultOfVideo(video)
  if (refused) throw refused
  if (video.status?.uploadStatus === 'uploaded') return waiting(sent)
  return {
    state: 'done',
    ...receiptOf(client, sent.id, video.snippet?.publishedAt ?? sent.at),
    notice: privacyNotice(video),
  }
}

/** Channel settings can make a public upload private or unlisted. */
function privacyNotice({ status }: Video): string | undefined {
  const { privacyStatus = 'public' } = status ?? {}
  if (privacyStatus === 'public') return undefined
  return `The video is on YouTube, but it is ${privacyStatus}, not public: the settings of the channel made it so. Change its visibility in YouTube Studio.`
}

const waiting = ({ id, at }: Sent): Step => ({
  state: 'pending',
  progress: { stage: 'committed', id, at },
  checkAfterMs: 10_000,
})

const receiptOf = (client: YouTubeClient, id: string, at?: string): Receipt => ({
  remoteId: id,
  remoteUrl: watchUrl(client.app, id),
  at: at === undefined ? client.installation.clock.now() : new Date(at),
})

/** A new video isn't listed immediately. */
const listedWithinMs = 5 * 60_000

/** Why YouTube rejected an uploaded video; undefined if it didn't. */
function faultOfVideo({ status = {} }: Video): NetworkError | undefined {
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
  const why = rejectionTexts.get(reason) ?? (reason && `it says “${reason}”`)
  const sentence = `YouTube ${did}${why && `: ${why}`}.`
  return new NetworkError('YouTube', { kind: 'permanent', why: 'input', field: 'media' }, sentence, remote)
}

const rejectionTexts = new Map(
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

/** The upload session knows whether it was completed; if it has expired, only the channel can be searched. */
export async function findPost(
  client: YouTubeClient,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  const { session, id, bytes = draft.media[0]?.bytes ?? 0 }: Partial<Progress> = progress ?? {}
  if (typeof id === 'string') return byId(client, actor, id)
  const state = typeof session === 'string' ? await probe(client, actor, session, Number(bytes)) : undefined
  if (!state) return amongUploads(client, actor, draft, since)
  if ('video' in state)
    return state.video.id ? foundVideo(client, state.video) : amongUploads(client, actor, draft, since)
  if (state.offset < Number(bytes)) return { state: 'absent' }
  throw new NetworkError('YouTube', { kind: 'retryable' }, 'YouTube has not finished taking in the video.')
}

async function byId(client: YouTubeClient, actor: Actor, id: string): Promise<Found> {
  const query = { part: 'snippet,status', id }
  const [video] = (await requestList<Video>(client, actor, 'videos.list', query)).items
  return video ? foundVideo(client, { ...video, id }) : undecidable(`YouTube does not show the video ${id} any more.`)
}

/** A video that YouTube rejected must neither count as a post nor be resent. */
function foundVideo(client: YouTubeClient, video: Video): Found {
  const refused = faultOfVideo(video)
  if (refused) return undecidable(refused.message)
  return { state: 'found', ...receiptOf(client, video.id ?? '', video.snippet?.publishedAt) }
}

async function amongUploads(client: YouTubeClient, actor: Actor, draft: Draft, since: Date): Promise<Found> {
  const channelQuery = { part: 'contentDetails', id: actor.remoteId }
  const [channel] = (await requestList<Channel>(client, actor, 'channels.list', channelQuery)).items
  const playlistId = channel?.contentDetails?.relatedPlaylists?.uploads
  if (!playlistId) return undecidable(checkChannel)
  const query = { part: 'snippet', playlistId, maxResults: 50 }
  const { items } = await requestList<PlaylistItem>(client, actor, 'playlistItems.list', query)
  const matches = items.filter((item) => isSameVideo(item, draft, since))
  const id = matches[0]?.snippet?.resourceId?.videoId
  if (matches.length !== 1 || !id) return undecidable(checkChannel)
  return { state: 'found', ...receiptOf(client, id, matches[0]?.snippet?.publishedAt) }
}

function isSameVideo({ snippet = {} }: PlaylistItem, draft: Draft, since: Date): boolean {
  const { title = '', description = '', publishedAt = '' } = snippet
  const isNew = Date.parse(publishedAt) >= since.getTime() - 60_000
  return isNew && title.trim() === titleOf(draft) && displayedText(description) === displayedText(draft.text)
}

const undecidable = (why: string): Found => ({ state: 'undecidable', why })

const checkChannel =
  'YouTube no longer knows this upload, and the newest videos do not show it; look at the channel before posting again.'
