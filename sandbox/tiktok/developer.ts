import { joined, received } from '../behaviour/media.ts'
import { followersOf, numbersOf } from '../behaviour/metrics.ts'
import type { Call } from '../http/request.ts'
import { numberOf, objectOf, textOf } from '../http/request.ts'
import type { Answer } from '../http/response.ts'
import { addressOf } from '../http/router.ts'
import type { Item, Profile } from '../state/rows.ts'

import { developer, developerAnswer, refuseDeveloper } from './access.ts'
import { checkOrder, fetchOrder, newId, publicationOf, publishOrder } from './publications.ts'

export function creatorInfo(call: Call): Answer {
  const { username, name, id, tier } = developer(call, 'video.publish')
  const open = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
  return developerAnswer({
    creator_username: username,
    creator_nickname: name,
    creator_avatar_url: `${call.origin}/tiktok/profiles/${id}/picture`,
    privacy_level_options: tier === 'self-serve' ? ['SELF_ONLY'] : open,
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: 600,
  })
}

/** POST /post/publish/video/init/: an address to send the video to, or one to fetch it from. */
export async function initVideo(call: Call): Promise<Answer> {
  const owner = developer(call, 'video.publish')
  const source = objectOf(call, 'source_info') ?? {}
  const order = orderOf(call, owner, 'video', textOf(source, 'video_url'))
  if (textOf(source, 'source') === 'PULL_FROM_URL') {
    return developerAnswer({ publish_id: await fetchOrder(call, owner, order) })
  }
  const size = numberOf(source, 'video_size')
  if (!size) refuseDeveloper(400, 'invalid_params', 'source_info.video_size is required.')
  const id = newId()
  const extra = { text: order.text, privacy: order.privacy }
  call.world.uploads.set(id, { id, network: 'TikTok', profile: owner.id, size, parts: new Map(), extra })
  return developerAnswer({
    publish_id: id,
    upload_url: `${addressOf(call, 'open-upload.tiktokapis.com')}/upload/${encodeURIComponent(id)}`,
  })
}

/** PUT of a chunk: 206 until the last, which publishes. */
export function receiveVideo(call: Call): Answer {
  const upload = call.world.uploads.get(call.params.upload ?? '')
  const owner = upload && call.world.profile('TikTok', upload.profile)
  if (!upload || !owner || upload.extra.failReason) return { status: 404 }
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(call.headers['content-range'] ?? '') ?? []
  const fits = Number(from) === received(upload) && Number(to) - Number(from) + 1 === call.raw.length
  if (!fits || Number(total) !== upload.size) return { status: 416 }
  upload.parts.set(Number(from), call.raw)
  if (received(upload) < Number(total)) {
    return { status: 206, headers: { 'content-range': `bytes 0-${received(upload) - 1}/${total}` } }
  }
  call.world.uploads.delete(upload.id)
  const privacy = String(upload.extra.privacy ?? '')
  publishOrder(
    call,
    owner,
    { text: String(upload.extra.text ?? ''), privacy, urls: [], kind: 'video' },
    [joined(upload)],
    upload.id,
  )
  return { status: 201 }
}

/** POST /post/publish/content/init/: photos, fetched from their addresses. */
export async function initPhotos(call: Call): Promise<Answer> {
  const owner = developer(call, 'video.publish')
  const images = objectOf(call, 'source_info')?.photo_images
  const urls = Array.isArray(images) ? images.map(String) : []
  const order = orderOf(call, owner, 'photo', ...urls)
  return developerAnswer({ publish_id: await fetchOrder(call, owner, order) })
}

export function publishStatus(call: Call): Answer {
  const owner = developer(call, 'video.publish')
  const found = publicationOf(call, owner, textOf(call, 'publish_id') ?? '')
  if (!found) refuseDeveloper(400, 'invalid_publish_id', 'The publish_id does not exist.')
  const { status, failReason, post } = found
  return developerAnswer({
    status,
    ...(failReason ? { fail_reason: failReason } : {}),
    ...(post ? { publicaly_available_post_id: [post.id] } : {}),
  })
}

export function queryVideos(call: Call): Answer {
  const owner = developer(call, 'video.list')
  const ids = objectOf(call, 'filters')?.video_ids
  const wanted = Array.isArray(ids) ? ids.map(String) : undefined
  const posts = call.world.items
    .ofProfile('TikTok', owner.id, 'post')
    .filter(({ id }) => !wanted || wanted.includes(id))
  const videos = posts.toReversed().map((post) => videoShape(call, owner, post))
  return developerAnswer({ videos, cursor: call.world.clock.now(), has_more: false })
}

export function userInfo(call: Call): Answer {
  const owner = developer(call, 'user.info.basic')
  return developerAnswer({
    user: {
      open_id: owner.id,
      display_name: owner.name,
      username: owner.username,
      avatar_url: `${call.origin}/tiktok/profiles/${owner.id}/picture`,
      follower_count: followersOf(call.world, owner),
      video_count: call.world.items.ofProfile('TikTok', owner.id, 'post').length,
    },
  })
}

function orderOf(call: Call, owner: Profile, kind: 'video' | 'photo', ...urls: (string | undefined)[]) {
  const info = objectOf(call, 'post_info') ?? {}
  const privacy = textOf(info, 'privacy_level') ?? ''
  const title = textOf(info, 'title') ?? ''
  const words = kind === 'video' ? { text: title } : { text: textOf(info, 'description') ?? '', title }
  const order = { ...words, privacy, kind, urls: urls.filter((url) => url !== undefined) }
  if (owner.tier === 'self-serve' && privacy !== 'SELF_ONLY') {
    refuseDeveloper(403, 'unaudited_client_can_only_post_to_private_accounts', 'The app was not audited.')
  }
  if (!['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'].includes(privacy)) {
    refuseDeveloper(400, 'privacy_level_option_mismatch', 'privacy_level is not one of the creator\u2019s options.')
  }
  const problem = checkOrder(order)
  if (problem) refuseDeveloper(400, 'invalid_params', problem)
  return order
}

function videoShape(call: Call, owner: Profile, post: Item) {
  const { views, likes, comments, shares } = numbersOf(call.world, post)
  return {
    id: post.id,
    title: post.text,
    create_time: Math.floor(post.at / 1000),
    share_url: `${call.origin}/tiktok/@${owner.username}/video/${post.id}`,
    view_count: views,
    like_count: likes,
    comment_count: comments,
    share_count: shares,
  }
}
