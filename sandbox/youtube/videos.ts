import { mediaOf } from '../behaviour/media.ts'
import { followersOf, type Numbers, numbersBetween, sum } from '../behaviour/metrics.ts'
import { type Call, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { newestFirst, record, remove } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'

import { channel, refuse } from './access.ts'
import { channelShape, statShape, videoShape } from './shapes.ts'

export function listVideos(call: Call): Answer {
  channel(call, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(call, 'id') ?? '').split(',').filter(Boolean)
  const found = ids.map((id) => call.world.items.live('YouTube', id)).filter((item) => item?.kind === 'post') as Item[]
  return listResponse(
    'video',
    found.map((video) => videoShape(call, video)),
  )
}

/** GET /videos:batchGetStats: numbers alone, in a form of their own. */
export function batchStats(call: Call): Answer {
  channel(call, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(call, 'id') ?? '').split(',').filter(Boolean)
  if (!ids.length || !textOf(call, 'part'))
    refuse(400, 'missingRequiredParameter', 'id and part are required.', 'global')
  if (ids.length > 50) refuse(400, 'invalidParameter', 'id takes 50 ids at most.', 'global')
  const found = ids.map((id) => call.world.items.live('YouTube', id)).filter((item) => item?.kind === 'post') as Item[]
  const items = found.map((video) => statShape(call, video))
  return json({ kind: 'youtube#batchGetStatsResponse', etag: String(items.length), items })
}

export function deleteVideo(call: Call): Answer {
  const owner = channel(call, 'youtube.force-ssl')
  const video = call.world.items.live('YouTube', textOf(call, 'id') ?? '')
  if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.video')
  if (video.profile !== owner.id) refuse(403, 'forbidden', 'The video cannot be deleted.', 'youtube.video')
  remove(call.world, video)
  return { status: 204 }
}

/** POST /videos/rate: one channel likes a video once. */
export function rate(call: Call): Answer {
  const owner = channel(call, 'youtube.force-ssl')
  const video = call.world.items.live('YouTube', textOf(call, 'id') ?? '')
  if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.video')
  const rating = textOf(call, 'rating')
  const known = call.world.items.under(video, 'like').filter(({ own, from }) => own && from.id === owner.id)
  if (rating !== 'like') for (const given of known) remove(call.world, given)
  else if (!known.length) {
    record(call.world, owner, {
      id: `like-${snowflake()}`,
      kind: 'like',
      postId: video.id,
      parentId: video.id,
      text: '',
    })
  }
  return { status: 204 }
}

export function listChannels(call: Call): Answer {
  const own = channel(call, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(call, 'id') ?? '').split(',').filter(Boolean)
  const found = ids.length ? ids.map((id) => call.world.profile('YouTube', id)) : [own]
  return listResponse(
    'channel',
    found.filter((row) => row !== undefined).map((row) => channelShape(call, row)),
  )
}

/** GET /playlistItems of a channel's uploads, newest first. */
export function listUploads(call: Call): Answer {
  channel(call, 'youtube.readonly', 'youtube.force-ssl')
  const owner = `UC${(textOf(call, 'playlistId') ?? '').slice(2)}`
  const videos = newestFirst(call.world.items.ofProfile('YouTube', owner, 'post')).slice(
    0,
    numberOf(call, 'maxResults') ?? 5,
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

/** POST /upload/…/thumbnails/set: the picture is looked at and shown nowhere. */
export function setThumbnail(call: Call): Answer {
  channel(call, 'youtube.upload', 'youtube.force-ssl')
  const id = textOf(call, 'videoId') ?? ''
  if (!mediaOf(call.world, 'YouTube', id))
    refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.thumbnail')
  if (!call.raw.length) refuse(400, 'mediaBodyRequired', 'The request holds no image.', 'youtube.thumbnail')
  if (call.raw.length > 2_000_000) refuse(413, 'mediaBodyTooLarge', 'The image is too large.', 'youtube.thumbnail')
  return listResponse('thumbnailSet', [{ default: { url: `${call.origin}/media/${call.world.files.save(call.raw)}` } }])
}

function listResponse(kind: string, items: unknown[]): Answer {
  return json({
    kind: `youtube#${kind}ListResponse`,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
    items,
  })
}

const reportMetrics: Record<string, (numbers: Numbers) => number> = {
  views: ({ views }) => views,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  estimatedMinutesWatched: ({ views }) => Math.floor(views * 1.4),
  averageViewDuration: () => 84,
  subscribersGained: () => 0,
  subscribersLost: () => 0,
}

/** GET /v2/reports: totals, by day, or by video. */
export function report(call: Call): Answer {
  const owner = channel(call, 'yt-analytics.readonly')
  const names = (textOf(call, 'metrics') ?? '').split(',').filter(Boolean)
  const unknown = names.find((name) => !(name in reportMetrics))
  if (!names.length || unknown) refuse(400, 'badRequest', `Unknown metric ${unknown ?? ''}`, 'global')
  const from = Date.parse(textOf(call, 'startDate') ?? '')
  const to = Date.parse(textOf(call, 'endDate') ?? '') + day
  if (!(from < to)) refuse(400, 'badRequest', 'startDate and endDate are needed.', 'global')
  const dimension = textOf(call, 'dimensions')
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
    rows: reportRows(call, owner, names, dimension, from, to),
  })
}

function reportRows(
  call: Call,
  owner: Profile,
  names: string[],
  dimension: string | undefined,
  from: number,
  to: number,
) {
  const only = /video==([\w,-]+)/.exec(textOf(call, 'filters') ?? '')?.[1]?.split(',')
  const videos = call.world.items.ofProfile('YouTube', owner.id, 'post').filter(({ id }) => !only || only.includes(id))
  const values = (of: typeof videos, start: number, end: number) => {
    const numbers = sum(
      of.map((video) => numbersBetween(call.world, video, start, Math.min(end, call.world.clock.now()))),
    )
    const gained = followersOf(call.world, owner, end) - followersOf(call.world, owner, start)
    return names.map((name) => (name === 'subscribersGained' ? gained : reportMetrics[name]?.(numbers)))
  }
  if (dimension === 'video') return videos.map((video) => [video.id, ...values([video], from, to)])
  if (dimension !== 'day') return [values(videos, from, to)]
  const days = Array.from({ length: Math.min(400, Math.ceil((to - from) / day)) }, (_, index) => from + index * day)
  return days.map((start) => [new Date(start).toISOString().slice(0, 10), ...values(videos, start, start + day)])
}
