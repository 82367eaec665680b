import { mediaOf } from '../behaviour/media.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { numberOf, textOf } from '../http/fields.ts'
import { newestFirst, record, remove } from '../state/deeds.ts'
import { snowflake } from '../state/ids.ts'
import type { Item } from '../state/rows.ts'
import { channel } from './access.ts'
import { refuse } from './refusals.ts'
import { channelShape, statShape, videoShape } from './shapes.ts'

export function listVideos(call: Call): Answer {
  channel(call, 'youtube.readonly', 'youtube.force-ssl')
  const ids = (textOf(call, 'id') ?? '').split(',').filter(Boolean)
  const found = ids.map((id) => call.world.items.live('YouTube', id)).filter((item) => item?.kind === 'post') as Item[]
  return list(
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
  return list(
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
  return list('playlistItem', items)
}

/** POST /upload/…/thumbnails/set: the picture is looked at and shown nowhere. */
export function setThumbnail(call: Call): Answer {
  channel(call, 'youtube.upload', 'youtube.force-ssl')
  const id = textOf(call, 'videoId') ?? ''
  if (!mediaOf(call.world, 'YouTube', id))
    refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.thumbnail')
  if (!call.raw.length) refuse(400, 'mediaBodyRequired', 'The request holds no image.', 'youtube.thumbnail')
  if (call.raw.length > 2_000_000) refuse(413, 'mediaBodyTooLarge', 'The image is too large.', 'youtube.thumbnail')
  return list('thumbnailSet', [{ default: { url: `${call.origin}/media/${call.world.files.save(call.raw)}` } }])
}

function list(kind: string, items: unknown[]): Answer {
  return json({
    kind: `youtube#${kind}ListResponse`,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
    items,
  })
}
