import { createHash } from 'node:crypto'
import { mediaOf } from '../behaviour/media.ts'
import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import type { Item, Person, Profile } from '../state/rows.ts'

const iso = (at: number) => new Date(at).toISOString()

/** Fields requested by a `…fields` parameter, plus the default ones and those referenced by `expansions`. */
export function selectFields(request: ApiRequest, parameter: string, always: string[], value: Record<string, unknown>) {
  const expanded = (textOf(request, 'expansions') ?? '').split(',').map((name) => name.split('.')[0])
  const names = new Set([...always, ...(textOf(request, parameter) ?? '').split(','), ...expanded])
  return Object.fromEntries(Object.entries(value).filter(([name, field]) => names.has(name) && field !== undefined))
}

export function tweetShape(request: ApiRequest, item: Item) {
  const { views, likes, comments, shares, clicks, saves } = metricsOf(request.state, item)
  const parent = item.parentId === undefined ? undefined : request.state.items.get(`Twitter:${item.parentId}`)
  const references = [
    ...(item.parentId ? [{ type: 'replied_to', id: item.parentId }] : []),
    ...(item.extra?.quotes ? [{ type: 'quoted', id: item.extra.quotes }] : []),
  ]
  return selectFields(request, 'tweet.fields', ['id', 'text', 'edit_history_tweet_ids'], {
    id: item.id,
    ...renderText(item),
    edit_history_tweet_ids: [item.id],
    author_id: item.from.id,
    created_at: iso(item.at),
    conversation_id: item.postId ?? item.id,
    in_reply_to_user_id: parent?.from.id,
    referenced_tweets: references.length ? references : undefined,
    attachments: item.media.length ? { media_keys: item.media.map((id) => `3_${id}`) } : undefined,
    lang: 'en',
    public_metrics: {
      retweet_count: shares,
      reply_count: comments,
      like_count: likes,
      quote_count: 0,
      bookmark_count: saves,
      impression_count: views,
    },
    non_public_metrics: item.own
      ? { impression_count: views, url_link_clicks: clicks, user_profile_clicks: Math.floor(clicks / 3) }
      : undefined,
    organic_metrics: item.own
      ? { impression_count: views, like_count: likes, reply_count: comments, retweet_count: shares }
      : undefined,
  })
}

export function userShape(request: ApiRequest, profile: Profile) {
  return selectFields(request, 'user.fields', ['id', 'name', 'username'], {
    ...pick(profile),
    created_at: iso(profile.createdAt),
    verified: false,
    subscription_type: profile.tier.includes('premium') ? 'Premium' : 'None',
    profile_image_url: `${request.origin}/x/profiles/${profile.id}/picture`,
    public_metrics: {
      followers_count: followersOf(request.state, profile),
      following_count: 210,
      tweet_count: request.state.items.ofProfile('Twitter', profile.id, 'post').length,
      listed_count: 12,
    },
  })
}

/** Lists that are not ordered by id have no `newest_id` and `oldest_id`. */
const unorderedLists = /\/(?:liked_tweets|reposts_of_me|lists\/[^/]+\/tweets)$/

/** One page of posts with the requested `expansions`. */
export function tweetPage(request: ApiRequest, items: Item[], token?: string) {
  const expansions = (textOf(request, 'expansions') ?? '').split(',')
  const people = new Map(items.map(({ from }) => [from.id, pick(from)]))
  const media = items.flatMap((item) => item.media).map((id) => mediaShape(request, id))
  const includes = {
    ...(expansions.includes('author_id') && people.size ? { users: [...people.values()] } : {}),
    ...(expansions.includes('attachments.media_keys') && media.length ? { media } : {}),
  }
  return {
    ...(items.length ? { data: items.map((item) => tweetShape(request, item)) } : {}),
    ...(Object.keys(includes).length ? { includes } : {}),
    meta: {
      result_count: items.length,
      ...(items.length && !unorderedLists.test(request.path)
        ? { newest_id: items[0]?.id, oldest_id: items.at(-1)?.id }
        : {}),
      ...(token === undefined ? {} : { next_token: token }),
    },
  }
}

function mediaShape(request: ApiRequest, id: string) {
  const media = mediaOf(request.state, 'Twitter', id)
  const type = media?.mime.startsWith('video/') ? 'video' : media?.mime === 'image/gif' ? 'animated_gif' : 'photo'
  return { media_key: `3_${id}`, type, url: `${request.origin}/media/${media?.sha256}`, alt_text: media?.alt }
}

function pick({ id, name, username }: Person | Profile) {
  return { id, name, username: username ?? name.toLowerCase().replaceAll(' ', '') }
}

export interface UrlEntity {
  start: number
  end: number
  url: string
  expanded_url: string
  display_url: string
  media_key?: string
}

/** Text as returned by X: escaped, with every URL replaced by a t.co URL, plus one for attached media. */
export function renderText(item: Item): { text: string; entities?: { urls: UrlEntity[] } } {
  const urls: UrlEntity[] = []
  let text = ''
  const append = (expanded: string, media_key?: string) => {
    const url = `https://t.co/${createHash('sha256').update(`${item.id} ${expanded}`).digest('base64url').slice(0, 10)}`
    const start = [...text].length
    const display_url = expanded.replace(/^https?:\/\//, '').slice(0, 26)
    urls.push({
      start,
      end: start + url.length,
      url,
      expanded_url: expanded,
      display_url,
      ...(media_key && { media_key }),
    })
    text += url
  }
  for (const part of item.text.split(/(https?:\/\/[^\s]+)/)) {
    if (/^https?:\/\//.test(part)) append(part)
    else text += part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  }
  for (const [index, id] of item.media.entries()) {
    if (index === 0 && text) text += ' '
    if (index === 0) append(`https://x.com/${item.from.username}/status/${item.id}/photo/1`, `3_${id}`)
  }
  return urls.length ? { text, entities: { urls } } : { text }
}
