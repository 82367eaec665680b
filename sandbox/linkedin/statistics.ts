import { followersOf, type Metrics, metricsBetween, metricsOf, sumMetrics } from '../behaviour/metrics.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { decodeSegment } from '../http/router.ts'
import { day } from '../state/clock.ts'
import type { Item, Profile } from '../state/rows.ts'
import { actor, grantFor } from './access.ts'
import { facetShare } from './posts.ts'
import { badField, idOf, notFound, parseList, parseTimeRange, urnOf } from './protocol.ts'

/** GET /rest/organizationalEntityShareStatistics: for posts or for the page, as totals or per day. */
export function shareStatistics(request: ApiRequest): ApiResponse {
  const page = actor(request, textOf(request, 'organizationalEntity'), 'admin')
  const entity = urnOf(page)
  const urns = [...requestedUrns(request, 'shares'), ...requestedUrns(request, 'ugcPosts')]
  const intervals = textOf(request, 'timeIntervals')
  if (urns.length) {
    const posts = urns.map((urn) => request.state.items.live('LinkedIn', urn)).filter((post) => post !== undefined)
    return elements(
      posts.map((post) => ({
        organizationalEntity: entity,
        [post.id.startsWith('urn:li:ugcPost') ? 'ugcPost' : 'share']: post.id,
        totalShareStatistics: shape(metricsOf(request.state, post)),
      })),
    )
  }
  const posts = request.state.items.ofProfile('LinkedIn', page.id, 'post')
  if (!intervals) {
    const total = sumMetrics(posts.map((post) => metricsOf(request.state, post)))
    return elements([{ organizationalEntity: entity, totalShareStatistics: shape(total) }])
  }
  return elements(
    days(request, intervals).map(({ start, end }) => ({
      organizationalEntity: entity,
      timeRange: { start, end },
      totalShareStatistics: shape(metricsOfPosts(request, posts, start, end)),
    })),
  )
}

/** GET /rest/organizationalEntityFollowerStatistics: two days behind, as on the network. */
export function followerStatistics(request: ApiRequest): ApiResponse {
  const page = actor(request, textOf(request, 'organizationalEntity'), 'admin')
  const until = request.state.clock.now() - 2 * day
  const intervals = textOf(request, 'timeIntervals')
  if (intervals) {
    return elements(
      days(request, intervals, until).map(({ start, end }) => ({
        organizationalEntity: urnOf(page),
        timeRange: { start, end },
        followerGains: {
          organicFollowerGain: followersOf(request.state, page, end) - followersOf(request.state, page, start),
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
        followerCount(request, page, until, 'staffCountRange', 'staffCountRanges', size),
      ),
      followerCountsBySeniority: range(10).map((n) =>
        followerCount(request, page, until, 'seniority', 'seniorities', `urn:li:seniority:${n}`),
      ),
      followerCountsByFunction: range(26).map((n) =>
        followerCount(request, page, until, 'function', 'jobFunctions', `urn:li:function:${n}`),
      ),
      followerCountsByIndustry: range(20).map((n) =>
        followerCount(request, page, until, 'industry', 'industries', `urn:li:industry:${n}`),
      ),
    },
  ])
}

const memberMetrics: Record<string, (metrics: Metrics) => number> = {
  IMPRESSION: ({ views }) => views,
  MEMBERS_REACHED: ({ reach }) => reach,
  RESHARE: ({ shares }) => shares,
  REACTION: ({ likes }) => likes,
  COMMENT: ({ comments }) => comments,
  LINK_CLICKS: ({ clicks }) => clicks,
  POST_SAVE: ({ saves }) => saves,
}

/** GET /rest/memberCreatorPostAnalytics?q=entity&entity=(share:urn)&queryType=. */
export function memberPostAnalytics(request: ApiRequest): ApiResponse {
  grantFor(request, 'r_member_postAnalytics')
  const urn = /urn:li:(?:share|ugcPost):\d+/.exec(decodeSegment(textOf(request, 'entity') ?? ''))?.[0] ?? ''
  const post = request.state.items.live('LinkedIn', urn)
  if (!post) notFound(`the post ${urn}`)
  const type = textOf(request, 'queryType') ?? ''
  const read = memberMetrics[type]
  if (!read) badField('/queryType', 'FIELD_VALUE_INVALID', `Unknown queryType ${type}`, 400)
  return elements([{ count: read(metricsOf(request.state, post)), metricType: type, targetEntity: { share: urn } }])
}

function shape({ views, reach, clicks, likes, comments, shares }: Metrics) {
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

function metricsOfPosts(request: ApiRequest, posts: Item[], start: number, end: number): Metrics {
  return sumMetrics(posts.map((post) => metricsBetween(request.state, post, start, end)))
}

function days(request: ApiRequest, text: string, latest = request.state.clock.now()) {
  const { start = latest - 30 * day, end = latest } = parseTimeRange(text)
  const last = Math.min(end, latest)
  const count = Math.min(400, Math.max(0, Math.ceil((last - start) / day)))
  return range(count).map((index) => ({ start: start + (index - 1) * day, end: Math.min(last, start + index * day) }))
}

function followerCount(request: ApiRequest, page: Profile, until: number, name: string, facet: string, value: string) {
  const organicFollowerCount = Math.floor(
    followersOf(request.state, page, until) * facetShare(facet, JSON.stringify(value)),
  )
  return { [name]: value, followerCounts: { organicFollowerCount, paidFollowerCount: 0 } }
}

function requestedUrns(request: ApiRequest, name: string): string[] {
  const indexed = [...request.query].filter(([key]) => key.startsWith(`${name}[`)).map(([, value]) => value)
  return [...parseList(textOf(request, name)), ...indexed].filter((urn) => idOf(urn))
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

function elements(list: unknown[]): ApiResponse {
  return json({ elements: list, paging: { start: 0, count: list.length, links: [] } })
}
