import { numbersOf } from '../behaviour/growth.ts'
import type { Answer, Call } from '../http/call.ts'
import { flagOf, listOf, numberOf, objectOf, textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import type { Item, Profile } from '../state/rows.ts'
import { business, requireScope } from './access.ts'
import { settingsOf } from './account.ts'
import { checkOrder, fetchOrder, isRepeated, type Order, publicationOf } from './publications.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'
import { isVerified } from './url-properties.ts'

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

function requireApp(call: Call) {
  if (textOf(call, 'app_id') !== apps.TikTok.id || textOf(call, 'secret') !== apps.TikTok.secret) {
    refuseBusiness(40001, 'app_id or secret is incorrect.')
  }
}

/** GET /business/webhook/list/: where one kind of event goes. */
export function listWebhook(call: Call): Answer {
  requireApp(call)
  const event = textOf(call, 'event_type') ?? ''
  const callback = call.world.subscriptions.get(`TikTok:${event}`)?.callback
  return businessAnswer(callback ? { app_id: apps.TikTok.id, event_type: event, callback_url: callback } : {})
}

/** POST /business/webhook/update/: one address per app and kind of event. */
export function updateWebhook(call: Call): Answer {
  const event = textOf(call, 'event_type') ?? ''
  const callback = textOf(call, 'callback_url') ?? ''
  requireApp(call)
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
