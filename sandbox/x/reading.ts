import type { Call } from '../http/request.ts'
import { numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { newestFirst, seenPerson } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { badRequest, notFound, self, user } from './access.ts'
import { tweetPage, tweetShape, userShape } from './shapes.ts'

export function me(call: Call): Answer {
  return json({ data: userShape(call, user(call, 'users.read')) })
}

export function userByName(call: Call): Answer {
  user(call, 'users.read')
  return json({ data: userShape(call, named(call)) })
}

/** GET /2/users/:id: an account of the sandbox, or somebody seen there. */
export function userById(call: Call): Answer {
  user(call, 'users.read')
  const id = call.params.id ?? ''
  const profile = call.world.profile('Twitter', id)
  if (profile) return json({ data: userShape(call, profile) })
  const person = seenPerson(call.world, 'Twitter', id)
  if (!person) notFound('user', id)
  return json({ data: { id, name: person.name, username: person.username } })
}

/** GET /2/tweets?ids=: what is missing comes back as errors beside the rest. */
export function lookup(call: Call): Answer {
  user(call, 'tweet.read')
  const ids = (textOf(call, 'ids') ?? '').split(',').filter(Boolean)
  if (!ids.length || ids.length > 100) badRequest('ids takes 1 to 100 ids', { ids })
  const found = ids.map((id) => call.world.items.live('Twitter', id)).filter((item) => item !== undefined)
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
  const { meta: _, ...page } = tweetPage(call, found)
  return json({ ...page, ...(errors.length ? { errors } : {}) })
}

export function single(call: Call): Answer {
  user(call, 'tweet.read')
  const tweet = call.world.items.live('Twitter', call.params.id ?? '')
  if (!tweet) notFound('tweet', call.params.id ?? '')
  return json({ data: tweetShape(call, tweet) })
}

/** GET /2/users/:id/tweets, and by user name. */
export function timeline(call: Call): Answer {
  user(call, 'tweet.read')
  const owner = call.params.id === undefined ? named(call) : call.world.profile('Twitter', call.params.id)
  if (!owner) notFound('user', call.params.id ?? '')
  return paged(
    call,
    call.world.items.ofProfile('Twitter', owner.id, 'post', 'reply').filter(({ own }) => own),
  )
}

/** GET /2/users/:id/mentions: who names the account, and who answers it. */
export function mentions(call: Call): Answer {
  const owner = self(call, 'tweet.read')
  return paged(
    call,
    call.world.items.ofProfile('Twitter', owner.id, 'mention', 'reply').filter(({ own }) => !own),
  )
}

export function home(call: Call): Answer {
  return paged(call, call.world.items.ofProfile('Twitter', self(call, 'tweet.read').id, 'post', 'reply', 'mention'))
}

export function likedTweets(call: Call): Answer {
  const owner = self(call, 'like.read')
  const likes = call.world.items.ofProfile('Twitter', owner.id, 'like').filter(({ own }) => own)
  const liked = likes.map(({ parentId }) => call.world.items.live('Twitter', parentId ?? ''))
  return paged(
    call,
    liked.filter((item) => item !== undefined),
  )
}

/** GET /2/lists/:id/tweets: every list holds all accounts of the sandbox. */
export function listTweets(call: Call): Answer {
  user(call, 'list.read')
  const isPost = ({ network, kind, own, removedAt }: Item) =>
    network === 'Twitter' && kind === 'post' && own && removedAt === undefined
  return paged(call, call.world.items.all().filter(isPost))
}

/** The sandbox knows no reposts; the list is there and empty. */
export function reposts(call: Call): Answer {
  user(call, 'tweet.read')
  return paged(call, [])
}

/** GET /2/tweets/search/recent: words, `from:`, and `conversation_id:`. */
export function search(call: Call): Answer {
  user(call, 'tweet.read')
  const terms = (textOf(call, 'query') ?? '').split(/\s+/).filter(Boolean)
  if (!terms.length) badRequest('query is required')
  const all = call.world.items.all().filter((item) => {
    const isTweet = item.network === 'Twitter' && ['post', 'reply', 'mention'].includes(item.kind)
    return isTweet && item.removedAt === undefined && terms.every((term) => fits(item, term))
  })
  return paged(call, all)
}

function fits(item: Item, term: string): boolean {
  const [operator, value = ''] = term.split(/:(.*)/s)
  if (operator === 'conversation_id') return (item.postId ?? item.id) === value
  if (operator === 'from') return [item.from.id, item.from.username].includes(value)
  if (operator === 'to' || term.startsWith('-')) return true
  return item.text.toLowerCase().includes(term.replaceAll('"', '').toLowerCase())
}

function paged(call: Call, items: Item[]): Answer {
  const since = textOf(call, 'since_id')
  const until = textOf(call, 'until_id')
  const start = Date.parse(textOf(call, 'start_time') ?? '') || 0
  const fitting = newestFirst(items).filter(
    ({ id, at }) => (!since || isLater(id, since)) && (!until || isLater(until, id)) && at >= start,
  )
  const size = Math.min(numberOf(call, 'max_results') ?? 10, 100)
  const from = Number(textOf(call, 'pagination_token') ?? textOf(call, 'next_token') ?? 0)
  const part = fitting.slice(from, from + size)
  return json(tweetPage(call, part, from + size < fitting.length ? String(from + size) : undefined))
}

/** Ids are numbers too large for numbers: the longer one is the larger. */
function isLater(left: string, right: string): boolean {
  return left.length === right.length ? left > right : left.length > right.length
}

function named(call: Call): Profile {
  const wanted = call.params.username ?? ''
  const found = call.world.profiles.find(({ network, username }) => network === 'Twitter' && username === wanted)
  if (!found) notFound('user', wanted)
  return found
}
