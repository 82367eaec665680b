import { assembleParts, receivedBytes } from '../behaviour/media.ts'
import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { type ApiRequest, numberOf, objectOf, textOf } from '../http/request.ts'
import type { ApiResponse } from '../http/response.ts'
import { baseUrlOf } from '../http/router.ts'
import type { Item, Profile } from '../state/rows.ts'
import { developerResponse, refuseDeveloper, requireDeveloper } from './access.ts'
import { findPublication, newId, publishFromUrls, publishMedia, validatePublish } from './publications.ts'

export function creatorInfo(request: ApiRequest): ApiResponse {
  const { username, name, id, tier } = requireDeveloper(request, 'video.publish')
  const open = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
  return developerResponse({
    creator_username: username,
    creator_nickname: name,
    creator_avatar_url: `${request.origin}/tiktok/profiles/${id}/picture`,
    privacy_level_options: tier === 'self-serve' ? ['SELF_ONLY'] : open,
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: 600,
  })
}

/** POST /post/publish/video/init/: returns an upload URL, or downloads from a URL. */
export async function initVideo(request: ApiRequest): Promise<ApiResponse> {
  const owner = requireDeveloper(request, 'video.publish')
  const source = objectOf(request, 'source_info') ?? {}
  const publish = readPublishRequest(request, owner, 'video', textOf(source, 'video_url'))
  if (textOf(source, 'source') === 'PULL_FROM_URL') {
    return developerResponse({ publish_id: await publishFromUrls(request, owner, publish) })
  }
  const size = numberOf(source, 'video_size')
  if (!size) refuseDeveloper(400, 'invalid_params', 'source_info.video_size is required.')
  const id = newId()
  const extra = { text: publish.text, privacy: publish.privacy }
  request.state.uploads.set(id, { id, network: 'TikTok', profile: owner.id, size, parts: new Map(), extra })
  return developerResponse({
    publish_id: id,
    upload_url: `${baseUrlOf(request, 'open-upload.tiktokapis.com')}/upload/${encodeURIComponent(id)}`,
  })
}

/** PUT of a chunk: 206 until the last one, which publishes. */
export function receiveVideo(request: ApiRequest): ApiResponse {
  const upload = request.state.uploads.get(request.params.upload ?? '')
  const owner = upload && request.state.profile('TikTok', upload.profile)
  if (!upload || !owner || upload.extra.failReason) return { status: 404 }
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
  const fits = Number(from) === receivedBytes(upload) && Number(to) - Number(from) + 1 === request.raw.length
  if (!fits || Number(total) !== upload.size) return { status: 416 }
  upload.parts.set(Number(from), request.raw)
  if (receivedBytes(upload) < Number(total)) {
    return { status: 206, headers: { 'content-range': `bytes 0-${receivedBytes(upload) - 1}/${total}` } }
  }
  request.state.uploads.delete(upload.id)
  const privacy = String(upload.extra.privacy ?? '')
  publishMedia(
    request,
    owner,
    { text: String(upload.extra.text ?? ''), privacy, urls: [], kind: 'video' },
    [assembleParts(upload)],
    upload.id,
  )
  return { status: 201 }
}

/** POST /post/publish/content/init/: photos, downloaded from URLs. */
export async function initPhotos(request: ApiRequest): Promise<ApiResponse> {
  const owner = requireDeveloper(request, 'video.publish')
  const images = objectOf(request, 'source_info')?.photo_images
  const urls = Array.isArray(images) ? images.map(String) : []
  const publish = readPublishRequest(request, owner, 'photo', ...urls)
  return developerResponse({ publish_id: await publishFromUrls(request, owner, publish) })
}

export function publishStatus(request: ApiRequest): ApiResponse {
  const owner = requireDeveloper(request, 'video.publish')
  const found = findPublication(request, owner, textOf(request, 'publish_id') ?? '')
  if (!found) refuseDeveloper(400, 'invalid_publish_id', 'The publish_id does not exist.')
  const { status, failReason, post } = found
  return developerResponse({
    status,
    ...(failReason ? { fail_reason: failReason } : {}),
    ...(post ? { publicaly_available_post_id: [post.id] } : {}),
  })
}

export function queryVideos(request: ApiRequest): ApiResponse {
  const owner = requireDeveloper(request, 'video.list')
  const ids = objectOf(request, 'filters')?.video_ids
  const requestedIds = Array.isArray(ids) ? ids.map(String) : undefined
  const posts = request.state.items
    .ofProfile('TikTok', owner.id, 'post')
    .filter(({ id }) => !requestedIds || requestedIds.includes(id))
  const videos = posts.toReversed().map((post) => videoShape(request, owner, post))
  return developerResponse({ videos, cursor: request.state.clock.now(), has_more: false })
}

export function userInfo(request: ApiRequest): ApiResponse {
  const owner = requireDeveloper(request, 'user.info.basic')
  return developerResponse({
    user: {
      open_id: owner.id,
      display_name: owner.name,
      username: owner.username,
      avatar_url: `${request.origin}/tiktok/profiles/${owner.id}/picture`,
      follower_count: followersOf(request.state, owner),
      video_count: request.state.items.ofProfile('TikTok', owner.id, 'post').length,
    },
  })
}

function readPublishRequest(
  request: ApiRequest,
  owner: Profile,
  kind: 'video' | 'photo',
  ...urls: (string | undefined)[]
) {
  const info = objectOf(request, 'post_info') ?? {}
  const privacy = textOf(info, 'privacy_level') ?? ''
  const title = textOf(info, 'title') ?? ''
  const texts = kind === 'video' ? { text: title } : { text: textOf(info, 'description') ?? '', title }
  const publish = { ...texts, privacy, kind, urls: urls.filter((url) => url !== undefined) }
  if (owner.tier === 'self-serve' && privacy !== 'SELF_ONLY') {
    refuseDeveloper(403, 'unaudited_client_can_only_post_to_private_accounts', 'The app was not audited.')
  }
  if (!['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'].includes(privacy)) {
    refuseDeveloper(400, 'privacy_level_option_mismatch', 'privacy_level is not one of the creator\u2019s options.')
  }
  const problem = validatePublish(publish)
  if (problem) refuseDeveloper(400, 'invalid_params', problem)
  return publish
}

function videoShape(request: ApiRequest, owner: Profile, post: Item) {
  const { views, likes, comments, shares } = metricsOf(request.state, post)
  return {
    id: post.id,
    title: post.text,
    create_time: Math.floor(post.at / 1000),
    share_url: `${request.origin}/tiktok/@${owner.username}/video/${post.id}`,
    view_count: views,
    like_count: likes,
    comment_count: comments,
    share_count: shares,
  }
}
