import { download, mediaOf, storeMedia } from '../behaviour/media.ts'
import { followersOf, type Metrics, metricsBetween, metricsOf, sumMetrics } from '../behaviour/metrics.ts'
import { grantFor, ownProfile } from '../graph/access.ts'
import { listMessages } from '../graph/messages.ts'
import { badParameter, listResponse, nodeResponse, refuse, timeOf, unknownObject } from '../graph/responses.ts'
import { type ApiRequest, booleanOf, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { findPerson, findThread, newestFirst, recordAction, removeItem, splitName } from '../state/items.ts'
import type { Item, Person, Profile } from '../state/rows.ts'
import { me } from './login.ts'
import { pushComment } from './push.ts'
import { commentDefaults, commentShape, pageShape, postDefaults, postShape, postsOf, videoShape } from './shapes.ts'

/** GET /{id}: a page, media, user, comment or post. */
export function readNode(request: ApiRequest): ApiResponse {
  const grant = grantFor(request)
  const id = request.params.id ?? ''
  const page = request.state.profile('Facebook', id)
  if (page) return nodeResponse(request, pageShape(request, page), 'id,name')
  const media = mediaOf(request.state, 'Facebook', id)
  if (media && media.profile !== grant.profile) unknownObject(id)
  if (media) return nodeResponse(request, videoShape(request, media, request.state.items.live('Facebook', id)), 'id')
  const person = findPerson(request.state, 'Facebook', id)
  if (person) return nodeResponse(request, personShape(request, person), 'id,name,first_name,last_name')
  const { item } = target(request)
  if (item.kind === 'comment') return nodeResponse(request, commentShape(request, item), commentDefaults)
  return nodeResponse(request, postShape(request, item), postDefaults)
}

export function readCurrentUser(request: ApiRequest): ApiResponse {
  const found = me(request)
  return 'status' in found ? found : nodeResponse(request, pageShape(request, found), 'id,name')
}

/** GET /{page}/posts, /feed and /published_posts. */
export function listPosts(request: ApiRequest): ApiResponse {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_read_engagement')
  return listResponse(
    request,
    filterByTime(request, postsOf(request, page)),
    (post) => postShape(request, post),
    postDefaults,
  )
}

export function listTagged(request: ApiRequest): ApiResponse {
  const page = ownProfile(request, 'Facebook', request.params.id ?? '', 'pages_read_user_content')
  const mentions = newestFirst(request.state.items.ofProfile('Facebook', page.id, 'mention'))
  return listResponse(
    request,
    filterByTime(request, mentions),
    (post) => postShape(request, post),
    'id,message,tagged_time',
  )
}

export function readInsights(request: ApiRequest): ApiResponse {
  const page = request.state.profile('Facebook', request.params.id ?? '')
  return page ? pageInsights(request, page) : postInsights(request)
}

/** GET /{conversation}/messages. */
export function readThread(request: ApiRequest): ApiResponse {
  const thread = findThread(request.state, 'Facebook', request.params.id ?? '')
  if (!thread) unknownObject(request.params.id ?? '')
  ownProfile(request, 'Facebook', thread.profile, 'pages_messaging')
  return listMessages(request, thread)
}

/** Users who wrote to the page can be read by their id. */
function personShape(request: ApiRequest, { id, name }: Person) {
  const { first, last } = splitName(name)
  const picture = `${request.origin}/facebook/profiles/${id}/picture`
  return { id, name, first_name: first, last_name: last, profile_pic: picture }
}

function filterByTime(request: ApiRequest, items: Item[]): Item[] {
  const since = (numberOf(request, 'since') ?? 0) * 1000
  const until = (numberOf(request, 'until') ?? Number.POSITIVE_INFINITY) * 1000
  return items.filter(({ at }) => at >= since && at <= until)
}

/** The post, comment or mention in the path, and its page; the token must belong to that page. */
function target(request: ApiRequest, ...scopes: string[]): { item: Item; page: Profile } {
  const grant = grantFor(request, ...scopes)
  const id = request.params.id ?? ''
  const item =
    request.state.items.live('Facebook', id) ?? request.state.items.live('Facebook', `${grant.profile}_${id}`)
  if (!item) unknownObject(id)
  return { item, page: ownProfile(request, 'Facebook', item.profile, ...scopes) }
}

export async function comment(request: ApiRequest): Promise<ApiResponse> {
  const { item, page } = target(request, 'pages_manage_engagement')
  const message = textOf(request, 'message') ?? ''
  const picture = await readAttachment(request, page)
  if (!message && !picture) badParameter('A comment needs a message or an attachment')
  if (message.length > limits.Facebook.comment) badParameter('param message is too long for a comment')
  const created = recordAction(request.state, page, {
    id: `${(item.postId ?? item.id).split('_').at(-1)}_${graphId()}`,
    kind: 'comment',
    postId: item.postId ?? item.id,
    parentId: item.id,
    text: message,
    media: picture ? [picture] : [],
  })
  pushComment(request.state, page, created)
  return json({ id: created.id })
}

export function listComments(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'pages_read_user_content')
  const all = textOf(request, 'filter') === 'stream' && item.postId === undefined
  const found = all
    ? request.state.items.inConversation(item).filter(({ kind }) => kind === 'comment')
    : request.state.items.childrenOf(item, 'comment')
  const ordered = textOf(request, 'order') === 'reverse_chronological' ? found.toReversed() : found
  const summary = booleanOf(request, 'summary') ? { order: 'chronological', total_count: found.length } : undefined
  return listResponse(request, ordered, (row) => commentShape(request, row), commentDefaults, summary)
}

export function like(request: ApiRequest): ApiResponse {
  const { item, page } = target(request, 'pages_manage_engagement')
  const known = request.state.items.childrenOf(item, 'like').some(({ own }) => own)
  // A repeated like has no effect.
  if (!known) {
    recordAction(request.state, page, {
      id: `like_${graphId()}`,
      kind: 'like',
      postId: item.postId ?? item.id,
      parentId: item.id,
      text: '',
    })
  }
  return json({ success: true })
}

export function unlike(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'pages_manage_engagement')
  for (const given of request.state.items.childrenOf(item, 'like')) if (given.own) removeItem(request.state, given)
  return json({ success: true })
}

export function removeNode(request: ApiRequest): ApiResponse {
  const { item } = target(request)
  target(request, item.kind === 'post' ? 'pages_manage_posts' : 'pages_manage_engagement')
  removeItem(request.state, item)
  return json({ success: true })
}

/** POST /{id}: hides a comment, or edits the text of an own one. */
export function editNode(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'pages_manage_engagement')
  if (textOf(request, 'is_hidden') !== undefined)
    request.state.items.change(item, { hidden: booleanOf(request, 'is_hidden') })
  const message = textOf(request, 'message')
  if (message !== undefined) {
    if (!item.own) refuse({ code: 200, message: '(#200) Only own words can be changed.', type: 'OAuthException' })
    request.state.items.change(item, { text: message, updatedAt: request.state.clock.now() })
  }
  return json({ success: true })
}

async function readAttachment(request: ApiRequest, page: Profile): Promise<string | undefined> {
  const id = textOf(request, 'attachment_id')
  if (id !== undefined) {
    if (!mediaOf(request.state, 'Facebook', id)) badParameter(`attachment_id ${id} is unknown`)
    return id
  }
  const url = textOf(request, 'attachment_url')
  const bytes = request.files.source?.bytes ?? (url === undefined ? undefined : await download(url))
  if (url !== undefined && !bytes) badParameter('attachment_url could not be fetched')
  if (!bytes) return undefined
  return storeMedia(request.state, { network: 'Facebook', id: graphId(), profile: page.id, bytes }).id
}

const postMetrics: Record<string, (metrics: Metrics) => unknown> = {
  post_media_view: ({ views }) => views,
  post_total_media_view_unique: ({ reach }) => reach,
  post_clicks: ({ clicks }) => clicks,
  post_clicks_by_type: ({ clicks }) => ({ 'link clicks': clicks }),
  post_reactions_by_type_total: ({ likes }) => ({ like: likes }),
  post_reactions_like_total: ({ likes }) => likes,
  post_video_views: ({ views }) => views,
}

const pageMetrics: Record<string, (metrics: Metrics) => number> = {
  page_media_view: ({ views }) => views,
  page_total_media_view_unique: ({ reach }) => reach,
  page_post_engagements: ({ likes, comments, shares, clicks }) => likes + comments + shares + clicks,
}

/** GET /{post}/insights: lifetime totals. */
function postInsights(request: ApiRequest): ApiResponse {
  const { item } = target(request, 'read_insights')
  const metrics = metricsOf(request.state, item)
  return json({
    data: requestedMetrics(request, Object.keys(postMetrics)).map((name) => {
      return {
        id: `${item.id}/insights/${name}/lifetime`,
        name,
        period: 'lifetime',
        values: [{ value: postMetrics[name]?.(metrics) }],
      }
    }),
  })
}

/** GET /{page}/insights: one value per day, by default for the last two days. */
function pageInsights(request: ApiRequest, page: Profile): ApiResponse {
  ownProfile(request, 'Facebook', page.id, 'read_insights')
  const names = requestedMetrics(request, [...Object.keys(pageMetrics), 'page_daily_follows', 'page_follows'])
  const until = (numberOf(request, 'until') ?? request.state.clock.now() / 1000) * 1000
  const since = (numberOf(request, 'since') ?? until / 1000 - 2 * 86_400) * 1000
  const days = Array.from({ length: Math.min(93, Math.max(1, Math.ceil((until - since) / day))) }, (_, index) => {
    return { from: since + index * day, to: Math.min(until, since + (index + 1) * day) }
  })
  const posts = postsOf(request, page)
  return json({
    data: names.map((name) => ({
      id: `${page.id}/insights/${name}/day`,
      name,
      period: 'day',
      values: days.map(({ from, to }) => ({
        value: dayValue(request, page, posts, name, from, to),
        end_time: timeOf(to),
      })),
    })),
  })
}

function dayValue(request: ApiRequest, page: Profile, posts: Item[], name: string, from: number, to: number): number {
  if (name === 'page_follows') return followersOf(request.state, page, to)
  if (name === 'page_daily_follows')
    return followersOf(request.state, page, to) - followersOf(request.state, page, from)
  const metrics = sumMetrics(posts.map((post) => metricsBetween(request.state, post, from, to)))
  return pageMetrics[name]?.(metrics) ?? 0
}

/** One unknown or removed metric fails the whole request. */
function requestedMetrics(request: ApiRequest, known: string[]): string[] {
  const names = (textOf(request, 'metric') ?? '').split(',').filter(Boolean)
  const isUnknown = names.some((name) => !known.includes(name))
  if (!names.length || isUnknown) badParameter('The value must be a valid insights metric')
  return names
}
