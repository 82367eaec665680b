import { followersOf, numbersOf } from '../behaviour/growth.ts'
import type { Answer, Call } from '../http/call.ts'
import { listOf, numberOf, objectOf, textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import type { Profile } from '../state/rows.ts'
import { business } from './access.ts'
import { checkOrder, fetchOrder, isRepeated, publicationOf } from './publications.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

export function account(call: Call): Answer {
  const owner = business(call, 'user.info.basic')
  return businessAnswer({
    business_id: owner.id,
    username: owner.username,
    display_name: owner.name,
    profile_image: `${call.origin}/tiktok/profiles/${owner.id}/picture`,
    is_business_account: true,
    followers_count: followersOf(call.world, owner),
    videos_count: call.world.items.ofProfile('TikTok', owner.id, 'post').length,
  })
}

export async function publishVideo(call: Call): Promise<Answer> {
  const owner = business(call, 'video.publish')
  const url = textOf(call, 'video_url')
  if (!url) refuseBusiness(40002, 'video_url is required.')
  return placed(call, owner, 'video', [url])
}

export async function publishPhotos(call: Call): Promise<Answer> {
  return placed(call, business(call, 'video.publish'), 'photo', listOf(call, 'photo_images').map(String))
}

async function placed(call: Call, owner: Profile, kind: 'video' | 'photo', urls: string[]): Promise<Answer> {
  const info = objectOf(call, 'post_info') ?? {}
  const title = kind === 'photo' ? textOf(info, 'title') : undefined
  const order = { kind, urls, text: textOf(info, 'caption') ?? '', ...(title === undefined ? {} : { title }) }
  const problem = checkOrder(order)
  if (problem) refuseBusiness(40002, problem)
  if (isRepeated(call, owner, order)) refuseBusiness(40050, 'Duplicated request.')
  return businessAnswer({ share_id: await fetchOrder(call, owner, order) })
}

export function publishStatus(call: Call): Answer {
  const owner = business(call, 'video.publish')
  const found = publicationOf(call, owner, textOf(call, 'publish_id') ?? '')
  if (!found) refuseBusiness(40002, 'publish_id is not known.')
  const { status, failReason, post } = found
  return businessAnswer({ status, ...(failReason ? { reason: failReason } : {}), post_ids: post ? [post.id] : [] })
}

/** GET /business/video/list/: newest first, with numbers. */
export function listVideos(call: Call): Answer {
  const owner = business(call, 'video.list')
  const size = Math.min(numberOf(call, 'max_count') ?? 10, 20)
  const from = numberOf(call, 'cursor') ?? 0
  const wanted = objectOf(call, 'filters')?.video_ids
  const ids = Array.isArray(wanted) ? wanted.map(String) : undefined
  const posts = call.world.items.ofProfile('TikTok', owner.id, 'post').toReversed()
  const fitting = posts.filter(({ id }) => !ids || ids.includes(id))
  const videos = fitting.slice(from, from + size).map((post) => {
    const { views, likes, comments, shares, reach } = numbersOf(call.world, post)
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
    }
  })
  return businessAnswer({ videos, cursor: from + videos.length, has_more: from + size < fitting.length })
}

/** POST /business/webhook/update/: one address per app and kind of event. */
export function updateWebhook(call: Call): Answer {
  const event = textOf(call, 'event_type') ?? ''
  const callback = textOf(call, 'callback_url') ?? ''
  if (textOf(call, 'app_id') !== apps.TikTok.id || textOf(call, 'secret') !== apps.TikTok.secret) {
    refuseBusiness(40001, 'app_id or secret is incorrect.')
  }
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
