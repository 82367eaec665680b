import { followersOf, type Numbers, numbersBetween, numbersOf, sum } from '../behaviour/metrics.ts'
import type { Call } from '../http/request.ts'
import { textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { decoded } from '../http/router.ts'

import { day } from '../state/clock.ts'
import type { Item, Profile } from '../state/rows.ts'
import { actor, grantFor } from './access.ts'
import { shareOf } from './posts.ts'
import { badField, idOf, listed, missing, rangeIn, urnOf } from './protocol.ts'

/** GET /rest/organizationalEntityShareStatistics: of some posts, or of the page, whole or by day. */
export function shareStatistics(call: Call): Answer {
  const page = actor(call, textOf(call, 'organizationalEntity'), 'admin')
  const entity = urnOf(page)
  const asked = [...wanted(call, 'shares'), ...wanted(call, 'ugcPosts')]
  const intervals = textOf(call, 'timeIntervals')
  if (asked.length) {
    const posts = asked.map((urn) => call.world.items.live('LinkedIn', urn)).filter((post) => post !== undefined)
    return elements(
      posts.map((post) => ({
        organizationalEntity: entity,
        [post.id.startsWith('urn:li:ugcPost') ? 'ugcPost' : 'share']: post.id,
        totalShareStatistics: shape(numbersOf(call.world, post)),
      })),
    )
  }
  const posts = call.world.items.ofProfile('LinkedIn', page.id, 'post')
  if (!intervals) {
    const total = sum(posts.map((post) => numbersOf(call.world, post)))
    return elements([{ organizationalEntity: entity, totalShareStatistics: shape(total) }])
  }
  return elements(
    days(call, intervals).map(({ start, end }) => ({
      organizationalEntity: entity,
      timeRange: { start, end },
      totalShareStatistics: shape(between(call, posts, start, end)),
    })),
  )
}

/** GET /rest/organizationalEntityFollowerStatistics: two days late, as the network is. */
export function followerStatistics(call: Call): Answer {
  const page = actor(call, textOf(call, 'organizationalEntity'), 'admin')
  const until = call.world.clock.now() - 2 * day
  const intervals = textOf(call, 'timeIntervals')
  if (intervals) {
    return elements(
      days(call, intervals, until).map(({ start, end }) => ({
        organizationalEntity: urnOf(page),
        timeRange: { start, end },
        followerGains: {
          organicFollowerGain: followersOf(call.world, page, end) - followersOf(call.world, page, start),
          paidFollowerGain: 0,
        },
      })),
    )
  }
  const sizes = ['SIZE_1', 'SIZE_2_TO_10', 'SIZE_11_TO_50', 'SIZE_51_TO_200', 'SIZE_201_TO_500', 'SIZE_501_TO_1000']
  return elements([
    {
      organizationalEntity: urnOf(page),
      followerCountsByStaffCountRange: sizes.map((size) =>
        counted(call, page, until, 'staffCountRange', 'staffCountRanges', size),
      ),
      followerCountsBySeniority: range(10).map((n) =>
        counted(call, page, until, 'seniority', 'seniorities', `urn:li:seniority:${n}`),
      ),
      followerCountsByFunction: range(26).map((n) =>
        counted(call, page, until, 'function', 'jobFunctions', `urn:li:function:${n}`),
      ),
      followerCountsByIndustry: range(20).map((n) =>
        counted(call, page, until, 'industry', 'industries', `urn:li:industry:${n}`),
      ),
    },
  ])
}

const memberNumbers: Record<string, (numbers: Numbers) => number> = {
  IMPRESSION: ({ views }) => views,
  MEMBERS_REACHED: ({ reach }) => reach,
  RESHARE: ({ shares }) => shares,
  REACTION: ({ likes }) => likes,
  COMMENT: ({ comments }) => comments,
  LINK_CLICKS: ({ clicks }) => clicks,
  POST_SAVE: ({ saves }) => saves,
}

/** GET /rest/memberCreatorPostAnalytics?q=entity&entity=(share:urn)&queryType=. */
export function memberPostAnalytics(call: Call): Answer {
  grantFor(call, 'r_member_postAnalytics')
  const urn = /urn:li:(?:share|ugcPost):\d+/.exec(decoded(textOf(call, 'entity') ?? ''))?.[0] ?? ''
  const post = call.world.items.live('LinkedIn', urn)
  if (!post) missing(`the post ${urn}`)
  const type = textOf(call, 'queryType') ?? ''
  const read = memberNumbers[type]
  if (!read) badField('/queryType', 'FIELD_VALUE_INVALID', `Unknown queryType ${type}`, 400)
  return elements([{ count: read(numbersOf(call.world, post)), metricType: type, targetEntity: { share: urn } }])
}

function shape({ views, reach, clicks, likes, comments, shares }: Numbers) {
  const engagement = views === 0 ? 0 : (clicks + likes + comments + shares) / views
  return {
    impressionCount: views,
    uniqueImpressionsCount: reach,
    clickCount: clicks,
    likeCount: likes,
    commentCount: comments,
    shareCount: shares,
    engagement,
  }
}

function between(call: Call, posts: Item[], start: number, end: number): Numbers {
  return sum(posts.map((post) => numbersBetween(call.world, post, start, end)))
}

function days(call: Call, text: string, latest = call.world.clock.now()) {
  const { start = latest - 30 * day, end = latest } = rangeIn(text)
  const last = Math.min(end, latest)
  const count = Math.min(400, Math.max(0, Math.ceil((last - start) / day)))
  return range(count).map((index) => ({ start: start + (index - 1) * day, end: Math.min(last, start + index * day) }))
}

function counted(call: Call, page: Profile, until: number, name: string, facet: string, value: string) {
  const organicFollowerCount = Math.floor(followersOf(call.world, page, until) * shareOf(facet, JSON.stringify(value)))
  return { [name]: value, followerCounts: { organicFollowerCount, paidFollowerCount: 0 } }
}

function wanted(call: Call, name: string): string[] {
  const indexed = [...call.query].filter(([key]) => key.startsWith(`${name}[`)).map(([, value]) => value)
  return [...listed(textOf(call, name)), ...indexed].filter((urn) => idOf(urn))
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

function elements(list: unknown[]): Answer {
  return json({ elements: list, paging: { start: 0, count: list.length, links: [] } })
}
