import { mediaOf } from '../behaviour/media.ts'
import { followersOf, type Metrics, metricsBetween, sumMetrics } from '../behaviour/metrics.ts'
import { type ApiRequest, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { newestFirst, recordAction, removeItem } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { refuse, requireChannel } from './access.ts'
import { channelShape, statShape, videoShape } from './shapes.ts'

export function listVideos(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(request, 'id') ?? '').split(',').filter(Boolean)
  const found = ids
    .map((id) => request.state.items.live('YouTube', id))
    .filter((item) => item?.kind === 'post') as Item[]
  return listResponse(
    'video',
    found.map((video) => videoShape(request, video)),
  )
}

/** GET /videos:batchGetStats: statistics only, in a separate format. */
export function batchStats(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(request, 'id') ?? '').split(',').filter(Boolean)
  if (!ids.length || !textOf(request, 'part'))
    refuse(400, 'missingRequiredParameter', 'id and part are required.', 'global')
  if (ids.length > 50) refuse(400, 'invalidParameter', 'id takes 50 ids at most.', 'global')
  const found = ids
    .map((id) => request.state.items.live('YouTube', id))
    .filter((item) => item?.kind === 'post') as Item[]
  const items = found.map((video) => statShape(request, video))
  return json({ kind: 'youtube#batchGetStatsResponse', etag: String(items.length), items })
}

export function deleteVideo(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'youtube.force-ssl')
  const video = request.state.items.live('YouTube', textOf(request, 'id') ?? '')
  if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.video')
  if (video.profile !== owner.id) refuse(403, 'forbidden', 'The video cannot be deleted.', 'youtube.video')
  removeItem(request.state, video)
  return { status: 204 }
}

/** POST /videos/rate: a channel likes a video once. */
export function rate(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'youtube.force-ssl')
  const video = request.state.items.live('YouTube', textOf(request, 'id') ?? '')
  if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.video')
  const rating = textOf(request, 'rating')
  const known = request.state.items.childrenOf(video, 'like').filter(({ own, from }) => own && from.id === owner.id)
  if (rating !== 'like') for (const given of known) removeItem(request.state, given)
  else if (!known.length) {
    recordAction(request.state, owner, {
      id: `like-${snowflake()}`,
      kind: 'like',
      postId: video.id,
      parentId: video.id,
      text: '',
    })
  }
  return { status: 204 }
}

export function listChannels(request: ApiRequest): ApiResponse {
  const own = requireChannel(request, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(request, 'id') ?? '').split(',').filter(Boolean)
  const found = ids.length ? ids.map((id) => request.state.profile('YouTube', id)) : [own]
  return listResponse(
    'channel',
    found.filter((row) => row !== undefined).map((row) => channelShape(request, row)),
  )
}

/** GET /playlistItems: uploads of a channel, newest first. */
export function listUploads(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.readonly', 'youtube.force-ssl')
  const owner = `UC${(textOf(request, 'playlistId') ?? '').slice(2)}`
  const videos = newestFirst(request.state.items.ofProfile('YouTube', owner, 'post')).slice(
    0,
    numberOf(request, 'maxResults') ?? 5,
  )
  const items = videos.map((video) => {
    const { id, title, text, at } = video
    const snippet = {
      title,
      description: text,
      channelId: owner,
      resourceId: { kind: 'youtube#video', videoId: id },
      publishedAt: new Date(at).toISOString(),
    }
    return { kind: 'youtube#playlistItem', id: `item-${id}`, snippet, contentDetails: { videoId: id } }
  })
  return listResponse('playlistItem', items)
}

/** POST /upload/…/thumbnails/set: the image is validated but not displayed. */
export function setThumbnail(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.upload', 'youtube.force-ssl')
  const id = textOf(request, 'videoId') ?? ''
  if (!mediaOf(request.state, 'YouTube', id))
    refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.thumbnail')
  if (!request.raw.length) refuse(400, 'mediaBodyRequired', 'The request holds no image.', 'youtube.thumbnail')
  if (request.raw.length > 2_000_000) refuse(413, 'mediaBodyTooLarge', 'The image is too large.', 'youtube.thumbnail')
  return listResponse('thumbnailSet', [
    { default: { url: `${request.origin}/media/${request.state.files.save(request.raw)}` } },
  ])
}

function listResponse(kind: string, items: unknown[]): ApiResponse {
  return json({
    kind: `youtube#${kind}ListResponse`,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
    items,
  })
}

const reportMetrics: Record<string, (metrics: Metrics) => number> = {
  views: ({ views }) => views,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  estimatedMinutesWatched: ({ views }) => Math.floor(views * 1.4),
  averageViewDuration: () => 84,
  subscribersGained: () => 0,
  subscribersLost: () => 0,
}

/** GET /v2/reports: totals, per day, or per video. */
export function report(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'yt-analytics.readonly')
  const names = (textOf(request, 'metrics') ?? '').split(',').filter(Boolean)
  const unknown = names.find((name) => !(name in reportMetrics))
  if (!names.length || unknown) refuse(400, 'badRequest', `Unknown metric ${unknown ?? ''}`, 'global')
  const from = Date.parse(textOf(request, 'startDate') ?? '')
  const to = Date.parse(textOf(request, 'endDate') ?? '') + day
  if (!(from < to)) refuse(400, 'badRequest', 'startDate and endDate are needed.', 'global')
  const dimension = textOf(request, 'dimensions')
  const header = (name: string, columnType: string) => ({
    name,
    columnType,
    dataType: columnType === 'METRIC' ? 'INTEGER' : 'STRING',
  })
  return json({
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      ...(dimension ? [header(dimension, 'DIMENSION')] : []),
      ...names.map((name) => header(name, 'METRIC')),
    ],
    rows: reportRows(request, owner, names, dimension, from, to),
  })
}

function reportRows(
  request: ApiRequest,
  owner: Profile,
  names: string[],
  dimension: string | undefined,
  from: number,
  to: number,
) {
  const only = /video==([\w,-]+)/.exec(textOf(request, 'filters') ?? '')?.[1]?.split(',')
  const videos = request.state.items
    .ofProfile('YouTube', owner.id, 'post')
    .filter(({ id }) => !only || only.includes(id))
  const values = (of: typeof videos, start: number, end: number) => {
    const metrics = sumMetrics(
      of.map((video) => metricsBetween(request.state, video, start, Math.min(end, request.state.clock.now()))),
    )
    const gained = followersOf(request.state, owner, end) - followersOf(request.state, owner, start)
    return names.map((name) => (name === 'subscribersGained' ? gained : reportMetrics[name]?.(metrics)))
  }
  if (dimension === 'video') return videos.map((video) => [video.id, ...values([video], from, to)])
  if (dimension !== 'day') return [values(videos, from, to)]
  const days = Array.from({ length: Math.min(400, Math.ceil((to - from) / day)) }, (_, index) => from + index * day)
  return days.map((start) => [new Date(start).toISOString().slice(0, 10), ...values(videos, start, start + day)])
}
