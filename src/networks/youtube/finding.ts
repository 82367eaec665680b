import type { Actor } from '../connector/actor.ts'
import type { Draft, Found, Progress } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { askList, type Calls } from './calls.ts'
import { faultOfVideo, receiptOf } from './publishing.ts'
import type { Channel, PlaylistItem, Video } from './shapes.ts'
import { probe } from './uploads.ts'
import { shownText, titleOf } from './words.ts'

/** The upload itself knows whether it was completed; where it is forgotten, only the channel can be looked at. */
export async function findPost(
  calls: Calls,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  const { session, id, bytes = draft.media[0]?.bytes ?? 0 }: Partial<Progress> = progress ?? {}
  if (typeof id === 'string') return byId(calls, actor, id)
  const state = typeof session === 'string' ? await probe(calls, actor, session, Number(bytes)) : undefined
  if (!state) return amongUploads(calls, actor, draft, since)
  if ('video' in state) return state.video.id ? judged(calls, state.video) : amongUploads(calls, actor, draft, since)
  if (state.offset < Number(bytes)) return { state: 'absent' }
  throw new NetworkError('YouTube', { kind: 'retryable' }, 'YouTube has not finished taking in the video.')
}

async function byId(calls: Calls, actor: Actor, id: string): Promise<Found> {
  const query = { part: 'snippet,status', id }
  const [video] = (await askList<Video>(calls, actor, 'videos.list', query)).items
  return video ? judged(calls, { ...video, id }) : undecidable(`YouTube does not show the video ${id} any more.`)
}

/** A video that YouTube rejected must neither count as a post nor be sent again. */
function judged(calls: Calls, video: Video): Found {
  const refused = faultOfVideo(video)
  if (refused) return undecidable(refused.message)
  return { state: 'found', ...receiptOf(calls, video.id ?? '', video.snippet?.publishedAt) }
}

async function amongUploads(calls: Calls, actor: Actor, draft: Draft, since: Date): Promise<Found> {
  const asked = { part: 'contentDetails', id: actor.remoteId }
  const [channel] = (await askList<Channel>(calls, actor, 'channels.list', asked)).items
  const playlistId = channel?.contentDetails?.relatedPlaylists?.uploads
  if (!playlistId) return undecidable(lookThere)
  const query = { part: 'snippet', playlistId, maxResults: 50 }
  const { items } = await askList<PlaylistItem>(calls, actor, 'playlistItems.list', query)
  const same = items.filter((item) => isIt(item, draft, since))
  const id = same[0]?.snippet?.resourceId?.videoId
  if (same.length !== 1 || !id) return undecidable(lookThere)
  return { state: 'found', ...receiptOf(calls, id, same[0]?.snippet?.publishedAt) }
}

function isIt({ snippet = {} }: PlaylistItem, draft: Draft, since: Date): boolean {
  const { title = '', description = '', publishedAt = '' } = snippet
  const isNew = Date.parse(publishedAt) >= since.getTime() - 60_000
  return isNew && title.trim() === titleOf(draft) && shownText(description) === shownText(draft.text)
}

const undecidable = (why: string): Found => ({ state: 'undecidable', why })

const lookThere =
  'YouTube no longer knows this upload, and the newest videos do not show it; look at the channel before posting again.'
