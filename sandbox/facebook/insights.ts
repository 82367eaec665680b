import { followersOf, type Numbers, numbersBetween, numbersOf, sum } from '../behaviour/growth.ts'
import { ownProfile } from '../graph/access.ts'
import { timeOf } from '../graph/listing.ts'
import { badParameter } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { numberOf, textOf } from '../http/fields.ts'
import { day } from '../state/clock.ts'
import type { Item, Profile } from '../state/rows.ts'
import { target } from './comments.ts'
import { postsOf } from './shapes.ts'

const postMetrics: Record<string, (numbers: Numbers) => unknown> = {
  post_media_view: ({ views }) => views,
  post_total_media_view_unique: ({ reach }) => reach,
  post_clicks: ({ clicks }) => clicks,
  post_clicks_by_type: ({ clicks }) => ({ 'link clicks': clicks }),
  post_reactions_by_type_total: ({ likes }) => ({ like: likes }),
  post_reactions_like_total: ({ likes }) => likes,
  post_video_views: ({ views }) => views,
}

const pageMetrics: Record<string, (numbers: Numbers) => number> = {
  page_media_view: ({ views }) => views,
  page_total_media_view_unique: ({ reach }) => reach,
  page_post_engagements: ({ likes, comments, shares, clicks }) => likes + comments + shares + clicks,
}

/** GET /{post}/insights: totals since the post went out. */
export function postInsights(call: Call): Answer {
  const { item } = target(call, 'read_insights')
  const numbers = numbersOf(call.world, item)
  return json({
    data: asked(call, Object.keys(postMetrics)).map((name) => {
      return {
        id: `${item.id}/insights/${name}/lifetime`,
        name,
        period: 'lifetime',
        values: [{ value: postMetrics[name]?.(numbers) }],
      }
    }),
  })
}

/** GET /{page}/insights: one value per day, the last two days unless `since` and `until` say otherwise. */
export function pageInsights(call: Call, page: Profile): Answer {
  ownProfile(call, 'Facebook', page.id, 'read_insights')
  const names = asked(call, [...Object.keys(pageMetrics), 'page_daily_follows', 'page_follows'])
  const until = (numberOf(call, 'until') ?? call.world.clock.now() / 1000) * 1000
  const since = (numberOf(call, 'since') ?? until / 1000 - 2 * 86_400) * 1000
  const days = Array.from({ length: Math.min(93, Math.max(1, Math.ceil((until - since) / day))) }, (_, index) => {
    return { from: since + index * day, to: Math.min(until, since + (index + 1) * day) }
  })
  const posts = postsOf(call, page)
  return json({
    data: names.map((name) => ({
      id: `${page.id}/insights/${name}/day`,
      name,
      period: 'day',
      values: days.map(({ from, to }) => ({
        value: dayValue(call, page, posts, name, from, to),
        end_time: timeOf(to),
      })),
    })),
  })
}

function dayValue(call: Call, page: Profile, posts: Item[], name: string, from: number, to: number): number {
  if (name === 'page_follows') return followersOf(call.world, page, to)
  if (name === 'page_daily_follows') return followersOf(call.world, page, to) - followersOf(call.world, page, from)
  const numbers = sum(posts.map((post) => numbersBetween(call.world, post, from, to)))
  return pageMetrics[name]?.(numbers) ?? 0
}

/** One name the API does not know, or knows no more, spoils the whole call. */
function asked(call: Call, known: string[]): string[] {
  const names = (textOf(call, 'metric') ?? '').split(',').filter(Boolean)
  const isUnknown = names.some((name) => !known.includes(name))
  if (!names.length || isUnknown) badParameter('The value must be a valid insights metric')
  return names
}
