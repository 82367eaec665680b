import type { Actor } from '../connector/connector.ts'
import type { Draft, Found, PostName, Progress, Receipt } from '../connector/draft.ts'
import { composed } from '../content/text-check.ts'
import type { TikTokClient } from './client.ts'
import { isBadInput, type Row, rowsIn, textIn, timeIn } from './client.ts'

type Outcome =
  | { state: 'published'; receipt: Receipt }
  /** Published, but without an id: public posts get one up to three minutes later, others never. */
  | { state: 'unnamed' }
  | { state: 'working' }
  | { state: 'failed'; reason: string }

/** Outcome of a publish request. */
export async function fetchOutcome(client: TikTokClient, actor: Actor, shareId: string): Promise<Outcome> {
  const data = await client.get(actor, 'business/publish/status', { publish_id: shareId })
  if (data.status === 'FAILED') return { state: 'failed', reason: textIn(data, 'reason') ?? 'unknown' }
  const id = Array.isArray(data.post_ids) ? data.post_ids.map(String)[0] : undefined
  // TikTok saved it as a draft, which was not requested; the owner has to finish it in the TikTok app.
  if (data.status === 'SEND_TO_USER_INBOX') return { state: 'failed', reason: 'sent_to_inbox' }
  if (data.status !== 'PUBLISH_COMPLETE') return { state: 'working' }
  if (id === undefined) return { state: 'unnamed' }
  return {
    state: 'published',
    receipt: { remoteId: id, remoteUrl: videoUrl(client, actor, id), at: client.clock.now() },
  }
}

/** Until TikTok assigns an id, a post is identified by its publish request, and its URL is the profile's. */
export const receiptOfShare = (client: TikTokClient, { username }: Actor, shareId: string): Receipt => ({
  remoteId: shareId,
  remoteUrl: username ? `${client.app.hosts.public}/@${username}` : undefined,
  at: client.clock.now(),
})

/** Ids that TikTok has since assigned to posts identified by their publish requests. */
export async function laterNames(
  client: TikTokClient,
  actor: Actor,
  remoteIds: readonly string[],
): Promise<Map<string, PostName>> {
  const names = new Map<string, PostName>()
  for (const shareId of remoteIds.filter(isShareId)) {
    const id = await postIdOf(client, actor, shareId)
    if (id !== undefined) names.set(shareId, { remoteId: id, remoteUrl: videoUrl(client, actor, id) })
  }
  return names
}

const isShareId = (remoteId: string) => !/^\d+$/.test(remoteId)

/** TikTok's id of a post; undefined while it has none. */
export async function postIdOf(client: TikTokClient, actor: Actor, remoteId: string): Promise<string | undefined> {
  if (!isShareId(remoteId)) return remoteId
  try {
    const outcome = await fetchOutcome(client, actor, remoteId)
    return outcome.state === 'published' ? outcome.receipt.remoteId : undefined
  } catch (error) {
    if (isBadInput(error)) return undefined
    throw error
  }
}

export async function findPost(
  client: TikTokClient,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  if (progress?.shareId === undefined) return findByCaption(client, actor, draft, since)
  const shareId = String(progress.shareId)
  const outcome = await fetchOutcome(client, actor, shareId)
  if (outcome.state === 'published') return { state: 'found', ...outcome.receipt }
  if (outcome.state === 'unnamed') return { state: 'found', ...receiptOfShare(client, actor, shareId) }
  return outcome.state === 'failed' ? { state: 'absent' } : undecidable('TikTok is still working on the post')
}

async function findByCaption(client: TikTokClient, actor: Actor, { text }: Draft, since: Date): Promise<Found> {
  const recent = await videosSince(client, actor, new Date(since.getTime() - 60_000))
  if (!recent) return undecidable('There are too many newer posts to look through')
  const [found, ...more] = recent.filter(
    (video) => displayedCaption(textIn(video, 'caption') ?? '') === displayedCaption(text),
  )
  if (found && (more.length > 0 || displayedCaption(text) === '')) {
    return undecidable('Posts with these words exist, but TikTok does not tell whether this is one of them')
  }
  if (found) {
    const id = textIn(found, 'item_id') ?? ''
    const at = timeIn(found, 'create_time') ?? client.clock.now()
    return { state: 'found', remoteId: id, remoteUrl: videoUrl(client, actor, id), at }
  }
  const passed = client.clock.now().getTime() - since.getTime()
  return passed < listedAfterMs ? undecidable('TikTok may not list the post yet') : { state: 'absent' }
}

/** Undefined if there are more pages than the search limit. */
async function videosSince(client: TikTokClient, actor: Actor, since: Date): Promise<Row[] | undefined> {
  const recent: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < maximumPages; page += 1) {
    const found = await listVideos(client, actor, ['caption', 'create_time'], cursor)
    const newer = found.videos.filter((video) => (timeIn(video, 'create_time') ?? since) >= since)
    recent.push(...newer)
    cursor = found.cursor
    if (cursor === undefined || newer.length < found.videos.length) return recent
  }
  return undefined
}

/** TikTok collapses whitespace. */
const displayedCaption = (text: string) => composed(text).replaceAll(/\s+/g, ' ').trim()

const undecidable = (why: string): Found => ({ state: 'undecidable', why: `${why}; look at the account on TikTok.` })

const maximumPages = 5
// Fetching, checking and listing take TikTok some minutes, and a running request must not be repeated.
const listedAfterMs = 4 * 60_000

/** The account's own public posts, newest first. */
export async function listVideos(client: TikTokClient, actor: Actor, fields: readonly string[], cursor?: string) {
  const data = await client.get(actor, 'business/video/list', { fields: named(fields), max_count: pageSize, cursor })
  return { videos: rowsIn(data, 'videos'), cursor: data.has_more === true ? textIn(data, 'cursor') : undefined }
}

/** The given posts, without unknown ones. */
export async function videosOf(
  client: TikTokClient,
  actor: Actor,
  fields: readonly string[],
  ids: readonly string[],
): Promise<Row[]> {
  const filters = JSON.stringify({ video_ids: ids })
  const data = await client.get(actor, 'business/video/list', { fields: named(fields), filters, max_count: pageSize })
  return rowsIn(data, 'videos').filter((video) => ids.includes(textIn(video, 'item_id') ?? ''))
}

export const videoUrl = ({ app }: TikTokClient, { username }: Actor, id: string) =>
  `${app.hosts.public}/@${username}/video/${id}`

/** TikTok rejects requests without the id field. */
const named = (fields: readonly string[]) => JSON.stringify(['item_id', ...fields])

const pageSize = 20
