import { followersOf, numbersOf } from '../behaviour/metrics.ts'
import { type Call, flagOf, listOf, numberOf, objectOf, textOf } from '../http/request.ts'
import type { Answer } from '../http/response.ts'
import { apps } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Item, Profile, UrlProperty } from '../state/rows.ts'
import type { World } from '../state/state.ts'
import { business, businessAnswer, refuseBusiness, requireScope } from './access.ts'
import { checkOrder, fetchOrder, isRepeated, type Order, publicationOf } from './publications.ts'

/** A video is published with the privacy of the account. */
export async function publishVideo(call: Call): Promise<Answer> {
  const owner = business(call, 'video.publish')
  const url = textOf(call, 'video_url')
  if (!url) refuseBusiness(40002, 'video_url is required.')
  const [privacy = ''] = settingsOf(owner).privacy_level_options
  return placed(call, owner, { kind: 'video', urls: [url], privacy })
}

/** A photo post names one of the privacy levels of the account. */
export async function publishPhotos(call: Call): Promise<Answer> {
  const owner = business(call, 'video.publish')
  const info = objectOf(call, 'post_info') ?? {}
  const privacy = textOf(info, 'privacy_level')
  if (privacy === undefined) refuseBusiness(40002, 'post_info.privacy_level: Missing data for required field.')
  if (!settingsOf(owner).privacy_level_options.includes(privacy)) {
    refuseBusiness(40002, `post_info.privacy_level: ${privacy} is not one of the privacy levels of this account.`)
  }
  const title = textOf(info, 'title')
  const urls = listOf(call, 'photo_images').map(String)
  return placed(call, owner, { kind: 'photo', urls, privacy, ...(title === undefined ? {} : { title }) })
}

async function placed(call: Call, owner: Profile, given: Omit<Order, 'text'>): Promise<Answer> {
  const info = objectOf(call, 'post_info')
  if (!info) refuseBusiness(40002, 'post_info: Missing data for required field.')
  const order = { ...given, text: textOf(info, 'caption') ?? '' }
  const problem = checkOrder(order)
  if (problem) refuseBusiness(40002, problem)
  if (settingsOf(owner).comment_disabled && !flagOf(info, 'disable_comment')) {
    refuseBusiness(40002, 'post_info.disable_comment: this account takes no comments, so it must be true.')
  }
  if (!order.urls.every((url) => URL.canParse(url) && isVerified(call.world, url))) {
    refuseBusiness(40002, 'url_ownership_unverified: the ownership of the URL was not verified for this app.')
  }
  if (isRepeated(call, owner, order)) refuseBusiness(40050, 'Duplicated request.')
  return businessAnswer({ share_id: await fetchOrder(call, owner, order) })
}

/** GET /business/publish/status/: public posts get their id some time after they are published, others never. */
export function publishStatus(call: Call): Answer {
  const owner = business(call, 'video.publish')
  const found = publicationOf(call, owner, textOf(call, 'publish_id') ?? '')
  if (!found) refuseBusiness(40002, 'publish_id is not known.')
  const { status, failReason, post, readyAt = 0 } = found
  const named = readyAt + call.world.processing.idDelayMs('TikTok') <= call.world.clock.now()
  return businessAnswer({
    status,
    ...(failReason ? { reason: failReason } : {}),
    ...(post && named && isPublic(post) ? { post_ids: [post.id] } : {}),
  })
}

/** GET /business/video/list/: public posts only, newest first, with the fields that are asked for. */
export function listVideos(call: Call): Answer {
  const owner = business(call, 'video.list')
  const fields = textOf(call, 'fields') === undefined ? ['item_id'] : listOf(call, 'fields').map(String)
  if (!fields.includes('item_id')) refuseBusiness(40002, 'fields must include item_id.')
  if (fields.some((field) => insights.includes(field))) requireScope(call, 'video.insights')
  const size = Math.min(numberOf(call, 'max_count') ?? 10, 20)
  const from = numberOf(call, 'cursor') ?? 0
  const wanted = objectOf(call, 'filters')?.video_ids
  const ids = Array.isArray(wanted) ? wanted.map(String) : undefined
  if (ids?.some((id) => !/^\d+$/.test(id))) refuseBusiness(40002, 'filters.video_ids takes ids of posts.')
  const posts = call.world.items.ofProfile('TikTok', owner.id, 'post').filter(isPublic).toReversed()
  const fitting = posts.filter(({ id }) => !ids || ids.includes(id))
  const videos = fitting.slice(from, from + size).map((post) => {
    const told = Object.entries(videoShape(call, owner, post)).filter(([field]) => fields.includes(field))
    return Object.fromEntries(told)
  })
  return businessAnswer({ videos, cursor: from + videos.length, has_more: from + size < fitting.length })
}

/** Fields that need `video.insights`; `reach` is not one of them. */
const insights = ['total_time_watched', 'average_time_watched', 'full_video_watched_rate', 'impression_sources']

function videoShape(call: Call, owner: Profile, post: Item) {
  const { views, likes, comments, shares, reach, saves } = numbersOf(call.world, post)
  return {
    item_id: post.id,
    caption: post.text,
    share_url: `${call.origin}/tiktok/@${owner.username}/video/${post.id}`,
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

function requireAppSecret(call: Call) {
  if (textOf(call, 'app_id') !== apps.TikTok.id || textOf(call, 'secret') !== apps.TikTok.secret) {
    refuseBusiness(40001, 'app_id or secret is incorrect.')
  }
}

/** GET /business/webhook/list/: where one kind of event goes. */
export function listWebhook(call: Call): Answer {
  requireAppSecret(call)
  const event = textOf(call, 'event_type') ?? ''
  const callback = call.world.subscriptions.get(`TikTok:${event}`)?.callback
  return businessAnswer(callback ? { app_id: apps.TikTok.id, event_type: event, callback_url: callback } : {})
}

/** POST /business/webhook/update/: one address per app and kind of event. */
export function updateWebhook(call: Call): Answer {
  const event = textOf(call, 'event_type') ?? ''
  const callback = textOf(call, 'callback_url') ?? ''
  requireAppSecret(call)
  if (!['COMMENT', 'DIRECT_MESSAGE', 'VIDEO', 'BRAND_MENTION'].includes(event) || !URL.canParse(callback)) {
    refuseBusiness(40002, 'event_type or callback_url is not right.')
  }
  call.world.subscriptions.put({ network: 'TikTok', id: event, level: 'app', callback, fields: [event] })
  return businessAnswer({ app_id: apps.TikTok.id, event_type: event, callback_url: callback })
}

export function deleteWebhook(call: Call): Answer {
  call.world.subscriptions.delete(`TikTok:${textOf(call, 'event_type')}`)
  return businessAnswer({})
}

/** Which permission each field of an account needs. */
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

/** GET /business/get/: the fields that are asked for, all or none. */
export function account(call: Call): Answer {
  const owner = business(call, 'user.info.basic')
  const asked = textOf(call, 'fields') === undefined ? ['display_name', 'profile_image'] : listOf(call, 'fields')
  const known: Record<string, () => unknown> = {
    display_name: () => owner.name,
    profile_image: () => `${call.origin}/tiktok/profiles/${owner.id}/picture`,
    username: () => owner.username,
    is_business_account: () => true,
    followers_count: () => followersOf(call.world, owner),
    following_count: () => 0,
    total_likes: () => 0,
    videos_count: () => call.world.items.ofProfile('TikTok', owner.id, 'post').length,
    bio_description: () => '',
    is_verified: () => false,
  }
  const told = asked.map(String).map((field): [string, unknown] => {
    const value = known[field]
    if (!value) return refuseBusiness(40002, `fields: ${field} is not supported.`)
    requireScope(call, fieldScopes[field] ?? '')
    return [field, value()]
  })
  return businessAnswer(Object.fromEntries(told))
}

/** GET /business/video/settings/: what the owner allows for posts. */
export function videoSettings(call: Call): Answer {
  return businessAnswer(settingsOf(business(call, 'video.publish')))
}

/** `private` in a profile's tier makes the account private, `no-comments` lets nobody comment. */
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

/** Tests and demos serve media from this machine, so its names are verified until somebody deletes them. */
const verifiedAtFirst = ['127.0.0.1', 'localhost', '[::1]']

/** Media is fetched only from a domain, or from under a URL prefix, whose ownership was verified for the app. */
function isVerified(world: World, url: string): boolean {
  const { hostname, href } = new URL(url)
  const known = world.urlProperties.all().filter((property) => coversUrl(property, hostname, href))
  return known.length > 0 ? known.some(({ verified }) => verified) : verifiedAtFirst.includes(hostname)
}

function coversUrl({ kind, url }: UrlProperty, hostname: string, href: string): boolean {
  if (kind === 'prefix') return href.startsWith(url)
  return hostname === url || hostname.endsWith(`.${url}`)
}

/** POST /business/property/add/: known to TikTok, but not verified. */
export function addUrlProperty(call: Call): Answer {
  return urlPropertyResponse(saveUrlProperty(call, false))
}

/** POST /business/property/verify/: the sandbox takes the owner's word. */
export function verifyUrlProperty(call: Call): Answer {
  return urlPropertyResponse(saveUrlProperty(call, true))
}

export function deleteUrlProperty(call: Call): Answer {
  saveUrlProperty(call, false)
  return businessAnswer({})
}

export function listUrlProperties(call: Call): Answer {
  requireAppId(call)
  return businessAnswer({ url_property_info_list: call.world.urlProperties.all().map(urlPropertyShape) })
}

function saveUrlProperty(call: Call, verified: boolean): UrlProperty {
  requireAppId(call)
  const given = objectOf(call, 'url_property_meta') ?? {}
  const url = textOf(given, 'url') ?? ''
  const type = textOf(given, 'property_type')
  const isRight = type === '1' ? /^[\w.[\]:-]+$/.test(url) : type === '2' && /^https:\/\/\S+\/$/.test(url)
  if (!isRight) refuseBusiness(40002, 'url_property_meta needs property_type 1 with a domain or 2 with a prefix.')
  const kind = type === '1' ? 'domain' : 'prefix'
  return call.world.urlProperties.put({ url, kind, verified, signature: secret('tiktok-verify-') })
}

function requireAppId(call: Call) {
  if (textOf(call, 'app_id') !== apps.TikTok.id) refuseBusiness(40001, 'app_id is incorrect.')
}

const urlPropertyResponse = (property: UrlProperty) => businessAnswer({ url_property_info: urlPropertyShape(property) })

const urlPropertyShape = ({ url, kind, verified, signature }: UrlProperty) => ({
  property_type: kind === 'domain' ? 1 : 2,
  url,
  property_status: verified ? 1 : 2,
  signature,
  file_name: `${signature}.txt`,
})
