import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { type ApiRequest, booleanOf, listOf, numberOf, objectOf, textOf } from '../http/request.ts'
import type { ApiResponse } from '../http/response.ts'
import { apps } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Item, Profile, UrlProperty } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { businessResponse, refuseBusiness, requireBusiness, requireScope } from './access.ts'
import { findPublication, isDuplicate, type PublishRequest, publishFromUrls, validatePublish } from './publications.ts'

/** A video is published with the privacy of the account. */
export async function publishVideo(request: ApiRequest): Promise<ApiResponse> {
  const owner = requireBusiness(request, 'video.publish')
  const url = textOf(request, 'video_url')
  if (!url) refuseBusiness(40002, 'video_url is required.')
  const [privacy = ''] = settingsOf(owner).privacy_level_options
  return submitPublish(request, owner, { kind: 'video', urls: [url], privacy })
}

/** A photo post requires one of the privacy levels of the account. */
export async function publishPhotos(request: ApiRequest): Promise<ApiResponse> {
  const owner = requireBusiness(request, 'video.publish')
  const info = objectOf(request, 'post_info') ?? {}
  const privacy = textOf(info, 'privacy_level')
  if (privacy === undefined) refuseBusiness(40002, 'post_info.privacy_level: Missing data for required field.')
  if (!settingsOf(owner).privacy_level_options.includes(privacy)) {
    refuseBusiness(40002, `post_info.privacy_level: ${privacy} is not one of the privacy levels of this account.`)
  }
  const title = textOf(info, 'title')
  const urls = listOf(request, 'photo_images').map(String)
  return submitPublish(request, owner, { kind: 'photo', urls, privacy, ...(title === undefined ? {} : { title }) })
}

async function submitPublish(
  request: ApiRequest,
  owner: Profile,
  given: Omit<PublishRequest, 'text'>,
): Promise<ApiResponse> {
  const info = objectOf(request, 'post_info')
  if (!info) refuseBusiness(40002, 'post_info: Missing data for required field.')
  const publish = { ...given, text: textOf(info, 'caption') ?? '' }
  const problem = validatePublish(publish)
  if (problem) refuseBusiness(40002, problem)
  if (settingsOf(owner).comment_disabled && !booleanOf(info, 'disable_comment')) {
    refuseBusiness(40002, 'post_info.disable_comment: this account takes no comments, so it must be true.')
  }
  if (!publish.urls.every((url) => URL.canParse(url) && isVerified(request.state, url))) {
    refuseBusiness(40002, 'url_ownership_unverified: the ownership of the URL was not verified for this app.')
  }
  if (isDuplicate(request, owner, publish)) refuseBusiness(40050, 'Duplicated request.')
  return businessResponse({ share_id: await publishFromUrls(request, owner, publish) })
}

/** GET /business/publish/status/: public posts get their id some time after publication, others never. */
export function publishStatus(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'video.publish')
  const found = findPublication(request, owner, textOf(request, 'publish_id') ?? '')
  if (!found) refuseBusiness(40002, 'publish_id is not known.')
  const { status, failReason, post, readyAt = 0 } = found
  const named = readyAt + request.state.processing.idDelayMs('TikTok') <= request.state.clock.now()
  return businessResponse({
    status,
    ...(failReason ? { reason: failReason } : {}),
    ...(post && named && isPublic(post) ? { post_ids: [post.id] } : {}),
  })
}

/** GET /business/video/list/: public posts, newest first, with the requested fields. */
export function listVideos(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'video.list')
  const fields = textOf(request, 'fields') === undefined ? ['item_id'] : listOf(request, 'fields').map(String)
  if (!fields.includes('item_id')) refuseBusiness(40002, 'fields must include item_id.')
  if (fields.some((field) => insights.includes(field))) requireScope(request, 'video.insights')
  const size = Math.min(numberOf(request, 'max_count') ?? 10, 20)
  const from = numberOf(request, 'cursor') ?? 0
  const requestedIds = objectOf(request, 'filters')?.video_ids
  const ids = Array.isArray(requestedIds) ? requestedIds.map(String) : undefined
  if (ids?.some((id) => !/^\d+$/.test(id))) refuseBusiness(40002, 'filters.video_ids takes ids of posts.')
  const posts = request.state.items.ofProfile('TikTok', owner.id, 'post').filter(isPublic).toReversed()
  const fitting = posts.filter(({ id }) => !ids || ids.includes(id))
  const videos = fitting.slice(from, from + size).map((post) => {
    const selected = Object.entries(videoShape(request, owner, post)).filter(([field]) => fields.includes(field))
    return Object.fromEntries(selected)
  })
  return businessResponse({ videos, cursor: from + videos.length, has_more: from + size < fitting.length })
}

/** Fields that need `video.insights`; `reach` is not one of them. */
const insights = ['total_time_watched', 'average_time_watched', 'full_video_watched_rate', 'impression_sources']

function videoShape(request: ApiRequest, owner: Profile, post: Item) {
  const { views, likes, comments, shares, reach, saves } = metricsOf(request.state, post)
  return {
    item_id: post.id,
    caption: post.text,
    share_url: `${request.origin}/tiktok/@${owner.username}/video/${post.id}`,
    create_time: String(Math.floor(post.at / 1000)),
    video_views: views,
    likes,
    comments,
    shares,
    reach,
    favorites: saves,
  }
}

const isPublic = ({ extra }: Item) => (extra?.privacy ?? 'PUBLIC_TO_EVERYONE') === 'PUBLIC_TO_EVERYONE'

function requireAppSecret(request: ApiRequest) {
  if (textOf(request, 'app_id') !== apps.TikTok.id || textOf(request, 'secret') !== apps.TikTok.secret) {
    refuseBusiness(40001, 'app_id or secret is incorrect.')
  }
}

/** GET /business/webhook/list/: the callback of one event type. */
export function listWebhook(request: ApiRequest): ApiResponse {
  requireAppSecret(request)
  const event = textOf(request, 'event_type') ?? ''
  const callback = request.state.subscriptions.get(`TikTok:${event}`)?.callback
  return businessResponse(callback ? { app_id: apps.TikTok.id, event_type: event, callback_url: callback } : {})
}

/** POST /business/webhook/update/: one callback per app and event type. */
export function updateWebhook(request: ApiRequest): ApiResponse {
  const event = textOf(request, 'event_type') ?? ''
  const callback = textOf(request, 'callback_url') ?? ''
  requireAppSecret(request)
  if (!['COMMENT', 'DIRECT_MESSAGE', 'VIDEO', 'BRAND_MENTION'].includes(event) || !URL.canParse(callback)) {
    refuseBusiness(40002, 'event_type or callback_url is not right.')
  }
  request.state.subscriptions.put({ network: 'TikTok', id: event, level: 'app', callback, fields: [event] })
  return businessResponse({ app_id: apps.TikTok.id, event_type: event, callback_url: callback })
}

export function deleteWebhook(request: ApiRequest): ApiResponse {
  request.state.subscriptions.delete(`TikTok:${textOf(request, 'event_type')}`)
  return businessResponse({})
}

/** The scope that each account field requires. */
const fieldScopes: Record<string, string> = {
  display_name: 'user.info.basic',
  profile_image: 'user.info.basic',
  username: 'user.info.username',
  is_business_account: 'user.account.type',
  followers_count: 'user.info.stats',
  following_count: 'user.info.stats',
  total_likes: 'user.info.stats',
  videos_count: 'user.info.stats',
  bio_description: 'user.info.profile',
  is_verified: 'user.info.profile',
}

/** GET /business/get/: the requested fields; one without permission fails the request. */
export function account(request: ApiRequest): ApiResponse {
  const owner = requireBusiness(request, 'user.info.basic')
  const requested =
    textOf(request, 'fields') === undefined ? ['display_name', 'profile_image'] : listOf(request, 'fields')
  const known: Record<string, () => unknown> = {
    display_name: () => owner.name,
    profile_image: () => `${request.origin}/tiktok/profiles/${owner.id}/picture`,
    username: () => owner.username,
    is_business_account: () => true,
    followers_count: () => followersOf(request.state, owner),
    following_count: () => 0,
    total_likes: () => 0,
    videos_count: () => request.state.items.ofProfile('TikTok', owner.id, 'post').length,
    bio_description: () => '',
    is_verified: () => false,
  }
  const selected = requested.map(String).map((field): [string, unknown] => {
    const value = known[field]
    if (!value) return refuseBusiness(40002, `fields: ${field} is not supported.`)
    requireScope(request, fieldScopes[field] ?? '')
    return [field, value()]
  })
  return businessResponse(Object.fromEntries(selected))
}

/** GET /business/video/settings/: posting settings of the account. */
export function videoSettings(request: ApiRequest): ApiResponse {
  return businessResponse(settingsOf(requireBusiness(request, 'video.publish')))
}

/** `private` in the tier makes the account private, `no-comments` disables comments. */
function settingsOf({ tier }: Profile) {
  const isPrivate = tier.includes('private')
  return {
    privacy_level_options: [
      isPrivate ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
      'MUTUAL_FOLLOW_FRIENDS',
      'SELF_ONLY',
    ],
    comment_disabled: tier.includes('no-comments'),
    duet_disabled: isPrivate,
    stitch_disabled: isPrivate,
    max_video_post_duration_sec: 600,
  }
}

/** Tests and demos serve media from this machine, so its host names are verified by default. */
const initiallyVerified = ['127.0.0.1', 'localhost', '[::1]']

/** Media is downloaded only from verified domains and URL prefixes. */
function isVerified(state: SandboxState, url: string): boolean {
  const { hostname, href } = new URL(url)
  const known = state.urlProperties.all().filter((property) => coversUrl(property, hostname, href))
  return known.length > 0 ? known.some(({ verified }) => verified) : initiallyVerified.includes(hostname)
}

function coversUrl({ kind, url }: UrlProperty, hostname: string, href: string): boolean {
  if (kind === 'prefix') return href.startsWith(url)
  return hostname === url || hostname.endsWith(`.${url}`)
}

/** POST /business/property/add/: adds an unverified property. */
export function addUrlProperty(request: ApiRequest): ApiResponse {
  return urlPropertyResponse(saveUrlProperty(request, false))
}

/** POST /business/property/verify/: always succeeds in the sandbox. */
export function verifyUrlProperty(request: ApiRequest): ApiResponse {
  return urlPropertyResponse(saveUrlProperty(request, true))
}

export function deleteUrlProperty(request: ApiRequest): ApiResponse {
  saveUrlProperty(request, false)
  return businessResponse({})
}

export function listUrlProperties(request: ApiRequest): ApiResponse {
  requireAppId(request)
  return businessResponse({ url_property_info_list: request.state.urlProperties.all().map(urlPropertyShape) })
}

function saveUrlProperty(request: ApiRequest, verified: boolean): UrlProperty {
  requireAppId(request)
  const given = objectOf(request, 'url_property_meta') ?? {}
  const url = textOf(given, 'url') ?? ''
  const type = textOf(given, 'property_type')
  const isRight = type === '1' ? /^[\w.[\]:-]+$/.test(url) : type === '2' && /^https:\/\/\S+\/$/.test(url)
  if (!isRight) refuseBusiness(40002, 'url_property_meta needs property_type 1 with a domain or 2 with a prefix.')
  const kind = type === '1' ? 'domain' : 'prefix'
  return request.state.urlProperties.put({ url, kind, verified, signature: secret('tiktok-verify-') })
}

function requireAppId(request: ApiRequest) {
  if (textOf(request, 'app_id') !== apps.TikTok.id) refuseBusiness(40001, 'app_id is incorrect.')
}

const urlPropertyResponse = (property: UrlProperty) =>
  businessResponse({ url_property_info: urlPropertyShape(property) })

const urlPropertyShape = ({ url, kind, verified, signature }: UrlProperty) => ({
  property_type: kind === 'domain' ? 1 : 2,
  url,
  property_status: verified ? 1 : 2,
  signature,
  file_name: `${signature}.txt`,
})
