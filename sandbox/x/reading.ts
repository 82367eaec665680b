import { type ApiRequest, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { findPerson, newestFirst } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { badRequest, notFound, requireSelf, requireUser } from './access.ts'
import { tweetPage, tweetShape, userShape } from './shapes.ts'

export function me(request: ApiRequest): ApiResponse {
  return json({ data: userShape(request, requireUser(request, 'users.read')) })
}

export function userByName(request: ApiRequest): ApiResponse {
  requireUser(request, 'users.read')
  return json({ data: userShape(request, named(request)) })
}

/** GET /2/users/:id: a profile or a known user. */
export function userById(request: ApiRequest): ApiResponse {
  requireUser(request, 'users.read')
  const id = request.params.id ?? ''
  const profile = request.state.profile('Twitter', id)
  if (profile) return json({ data: userShape(request, profile) })
  const person = findPerson(request.state, 'Twitter', id)
  if (!person) notFound('user', id)
  return json({ data: { id, name: person.name, username: person.username } })
}

/** GET /2/tweets?ids=: unknown ids are listed in `errors`. */
export function lookup(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.read')
  const ids = (textOf(request, 'ids') ?? '').split(',').filter(Boolean)
  if (!ids.length || ids.length > 100) badRequest('ids takes 1 to 100 ids', { ids })
  const found = ids.map((id) => request.state.items.live('Twitter', id)).filter((item) => item !== undefined)
  const known = new Set(found.map(({ id }) => id))
  const errors = ids
    .filter((id) => !known.has(id))
    .map((value) => ({
      value,
      resource_id: value,
      parameter: 'ids',
      resource_type: 'tweet',
      title: 'Not Found Error',
      detail: `Could not find tweet with ids: [${value}].`,
      type: 'https://api.x.com/2/problems/resource-not-found',
    }))
  const { meta: _, ...page } = tweetPage(request, found)
  return json({ ...page, ...(errors.length ? { errors } : {}) })
}

export function single(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.read')
  const tweet = request.state.items.live('Twitter', request.params.id ?? '')
  if (!tweet) notFound('tweet', request.params.id ?? '')
  return json({ data: tweetShape(request, tweet) })
}

/** GET /2/users/:id/tweets, also by username. */
export function timeline(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.read')
  const owner = request.params.id === undefined ? named(request) : request.state.profile('Twitter', request.params.id)
  if (!owner) notFound('user', request.params.id ?? '')
  return paged(
    request,
    request.state.items.ofProfile('Twitter', owner.id, 'post', 'reply').filter(({ own }) => own),
  )
}

/** GET /2/users/:id/mentions: mentions and replies of other users. */
export function mentions(request: ApiRequest): ApiResponse {
  const owner = requireSelf(request, 'tweet.read')
  return paged(
    request,
    request.state.items.ofProfile('Twitter', owner.id, 'mention', 'reply').filter(({ own }) => !own),
  )
}

export function home(request: ApiRequest): ApiResponse {
  return paged(
    request,
    request.state.items.ofProfile('Twitter', requireSelf(request, 'tweet.read').id, 'post', 'reply', 'mention'),
  )
}

export function likedTweets(request: ApiRequest): ApiResponse {
  const owner = requireSelf(request, 'like.read')
  const likes = request.state.items.ofProfile('Twitter', owner.id, 'like').filter(({ own }) => own)
  const liked = likes.map(({ parentId }) => request.state.items.live('Twitter', parentId ?? ''))
  return paged(
    request,
    liked.filter((item) => item !== undefined),
  )
}

/** GET /2/lists/:id/tweets: every list contains all profiles. */
export function listTweets(request: ApiRequest): ApiResponse {
  requireUser(request, 'list.read')
  const isPost = ({ network, kind, own, removedAt }: Item) =>
    network === 'Twitter' && kind === 'post' && own && removedAt === undefined
  return paged(request, request.state.items.all().filter(isPost))
}

/** Reposts are not emulated; the list is always empty. */
export function reposts(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.read')
  return paged(request, [])
}

/** GET /2/tweets/search/recent: supports terms, `from:` and `conversation_id:`. */
export function search(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.read')
  const terms = (textOf(request, 'query') ?? '').split(/\s+/).filter(Boolean)
  if (!terms.length) badRequest('query is required')
  const all = request.state.items.all().filter((item) => {
    const isTweet = item.network === 'Twitter' && ['post', 'reply', 'mention'].includes(item.kind)
    return isTweet && item.removedAt === undefined && terms.every((term) => fits(item, term))
  })
  return paged(request, all)
}

function fits(item: Item, term: string): boolean {
  const [operator, value = ''] = term.split(/:(.*)/s)
  if (operator === 'conversation_id') return (item.postId ?? item.id) === value
  if (operator === 'from') return [item.from.id, item.from.username].includes(value)
  if (operator === 'to' || term.startsWith('-')) return true
  return item.text.toLowerCase().includes(term.replaceAll('"', '').toLowerCase())
}

function paged(request: ApiRequest, items: Item[]): ApiResponse {
  const since = textOf(request, 'since_id')
  const until = textOf(request, 'until_id')
  const start = Date.parse(textOf(request, 'start_time') ?? '') || 0
  const fitting = newestFirst(items).filter(
    ({ id, at }) => (!since || isLater(id, since)) && (!until || isLater(until, id)) && at >= start,
  )
  const size = Math.min(numberOf(request, 'max_results') ?? 10, 100)
  const from = Number(textOf(request, 'pagination_token') ?? textOf(request, 'next_token') ?? 0)
  const part = fitting.slice(from, from + size)
  return json(tweetPage(request, part, from + size < fitting.length ? String(from + size) : undefined))
}

/** Ids exceed safe integers, so they are compared by length, then as text. */
function isLater(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length
}

function named(request: ApiRequest): Profile {
  const username = request.params.username ?? ''
  const found = request.state.profiles.find((profile) => profile.network === 'Twitter' && profile.username === username)
  if (!found) notFound('user', username)
  return found
}
