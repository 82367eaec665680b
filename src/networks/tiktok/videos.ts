import type { Actor } from '../connector/actor.ts'
import type { TikTokCalls } from './calls.ts'
import { type Row, rowsIn, textIn } from './row.ts'

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
