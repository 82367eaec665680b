import type { Actor } from '../connector/actor.ts'
import type { Draft, Found, PostName, Progress, Receipt } from '../connector/draft.ts'
import { composed } from '../content/text-length.ts'
import type { TikTokCalls } from './calls.ts'
import { isBadInput, type Row, rowsIn, textIn, timeIn } from './refusals.ts'

type Outcome =
  | { state: 'published'; receipt: Receipt }
  /** Published, but without an id: public posts get theirs up to three minutes later, others never. */
  | { state: 'unnamed' }
  | { state: 'working' }
  | { state: 'failed'; reason: string }

/** What has become of an order. */
export async function fetchOutcome(calls: TikTokCalls, actor: Actor, shareId: string): Promise<Outcome> {
  const data = await calls.get(actor, 'business/publish/status', { publish_id: shareId })
  if (data.status === 'FAILED') return { state: 'failed', reason: textIn(data, 'reason') ?? 'unknown' }
  const id = Array.isArray(data.post_ids) ? data.post_ids.map(String)[0] : undefined
  // Nobody asked for a draft; who finds one in the inbox of the app has to finish it there.
  if (data.status === 'SEND_TO_USER_INBOX') return { state: 'failed', reason: 'sent_to_inbox' }
  if (data.status !== 'PUBLISH_COMPLETE') return { state: 'working' }
  if (id === undefined) return { state: 'unnamed' }
  return {
    state: 'published',
    receipt: { remoteId: id, remoteUrl: videoUrl(calls, actor, id), at: calls.clock.now() },
  }
}

/** Until TikTok names a post, it is known by its order and seen on the profile. */
export const receiptOfOrder = (calls: TikTokCalls, { username }: Actor, shareId: string): Receipt => ({
  remoteId: shareId,
  remoteUrl: username ? `${calls.app.hosts.public}/@${username}` : undefined,
  at: calls.clock.now(),
})

/** Of posts that are known by their orders, the ids that TikTok has given them since. */
export async function laterNames(
  calls: TikTokCalls,
  actor: Actor,
  remoteIds: readonly string[],
): Promise<Map<string, PostName>> {
  const names = new Map<string, PostName>()
  for (const order of remoteIds.filter(isOrder)) {
    const id = await postIdOf(calls, actor, order)
    if (id !== undefined) names.set(order, { remoteId: id, remoteUrl: videoUrl(calls, actor, id) })
  }
  return names
}

const isOrder = (remoteId: string) => !/^\d+$/.test(remoteId)

/** The id by which TikTok knows a post; nothing while it has none. */
export async function postIdOf(calls: TikTokCalls, actor: Actor, remoteId: string): Promise<string | undefined> {
  if (!isOrder(remoteId)) return remoteId
  try {
    const outcome = await fetchOutcome(calls, actor, remoteId)
    return outcome.state === 'published' ? outcome.receipt.remoteId : undefined
  } catch (error) {
    if (isBadInput(error)) return undefined
    throw error
  }
}

export async function findPost(
  calls: TikTokCalls,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  if (progress?.shareId === undefined) return findByCaption(calls, actor, draft, since)
  const shareId = String(progress.shareId)
  const outcome = await fetchOutcome(calls, actor, shareId)
  if (outcome.state === 'published') return { state: 'found', ...outcome.receipt }
  if (outcome.state === 'unnamed') return { state: 'found', ...receiptOfOrder(calls, actor, shareId) }
  return outcome.state === 'failed' ? { state: 'absent' } : undecidable('TikTok is still working on the post')
}

async function findByCaption(calls: TikTokCalls, actor: Actor, { text }: Draft, since: Date): Promise<Found> {
  const recent = await videosSince(calls, actor, new Date(since.getTime() - 60_000))
  if (!recent) return undecidable('There are too many newer posts to look through')
  const [found, ...more] = recent.filter((video) => asShown(textIn(video, 'caption') ?? '') === asShown(text))
  if (found && (more.length > 0 || asShown(text) === '')) {
    return undecidable('Posts with these words exist, but TikTok does not tell whether this is one of them')
  }
  if (found) {
    const id = textIn(found, 'item_id') ?? ''
    const at = timeIn(found, 'create_time') ?? calls.clock.now()
    return { state: 'found', remoteId: id, remoteUrl: videoUrl(calls, actor, id), at }
  }
  const passed = calls.clock.now().getTime() - since.getTime()
  return passed < listedAfterMs ? undecidable('TikTok may not list the post yet') : { state: 'absent' }
}

/** Nothing when there are more than could be looked through. */
async function videosSince(calls: TikTokCalls, actor: Actor, since: Date): Promise<Row[] | undefined> {
  const recent: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const found = await listVideos(calls, actor, ['caption', 'create_time'], cursor)
    const newer = found.videos.filter((video) => (timeIn(video, 'create_time') ?? since) >= since)
    recent.push(...newer)
    cursor = found.cursor
    if (cursor === undefined || newer.length < found.videos.length) return recent
  }
  return undefined
}

/** TikTok makes one line of a text. */
const asShown = (text: string) => composed(text).replaceAll(/\s+/g, ' ').trim()

const undecidable = (why: string): Found => ({ state: 'undecidable', why: `${why}; look at the account on TikTok.` })

const mostPages = 5
// Fetching, checking and listing take TikTok some minutes, and an order that still runs must not be repeated.
const listedAfterMs = 4 * 60_000

/** The account's own public posts, newest first. */
export async function listVideos(calls: TikTokCalls, actor: Actor, fields: readonly string[], cursor?: string) {
  const data = await calls.get(actor, 'business/video/list', { fields: named(fields), max_count: pageSize, cursor })
  return { videos: rowsIn(data, 'videos'), cursor: data.has_more === true ? textIn(data, 'cursor') : undefined }
}

/** Those of these posts that TikTok knows. */
export async function videosOf(
  calls: TikTokCalls,
  actor: Actor,
  fields: readonly string[],
  ids: readonly string[],
): Promise<Row[]> {
  const filters = JSON.stringify({ video_ids: ids })
  const data = await calls.get(actor, 'business/video/list', { fields: named(fields), filters, max_count: pageSize })
  return rowsIn(data, 'videos').filter((video) => ids.includes(textIn(video, 'item_id') ?? ''))
}

export const videoUrl = ({ app }: TikTokCalls, { username }: Actor, id: string) =>
  `${app.hosts.public}/@${username}/video/${id}`

/** Without the id TikTok refuses to answer. */
const named = (fields: readonly string[]) => JSON.stringify(['item_id', ...fields])

const pageSize = 20
