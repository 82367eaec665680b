import { type ApiRequest, nestedText, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse } from '../http/response.ts'
import type { Route } from '../http/router.ts'
import { problem, profileOf } from './access.ts'

/** Millionths of a dollar per resource in a response (docs.x.com, "Pricing", August 2026). */
const resources = { post: 5_000, user: 10_000, message: 10_000 } as const

/** Millionths of a dollar per successful action. */
const actions = { post: 15_000, linkPost: 200_000, invitedReply: 10_000, message: 15_000, interaction: 15_000 } as const

const names = { post: 'Posts: Read', user: 'User: Read', message: 'DM Event: Read' } as const

/** Rejects requests when the credits are used up. */
export function requireCredits(request: ApiRequest) {
  const { rateLimiter, usage } = request.state
  const credits = rateLimiter.overrideFor('X credits')
  if (credits === undefined || usage.ofNetwork('Twitter').micros < credits || profileOf(request) === undefined) return
  throw new ApiError(problem(402, 'Payment Required', 'The enrolled account has no credits left.', 'credits'))
}

/** Records the cost: reads per resource, once a day; actions per request. */
export function bill(request: ApiRequest, { method, path }: Route, { status, body }: ApiResponse) {
  if (status >= 400 || profileOf(request) === undefined) return
  const { usage, clock } = request.state
  if (method === 'POST' || method === 'DELETE') return billAction(request, method, path)
  if (method !== 'GET') return
  const response = typeof body === 'string' ? JSON.parse(body) : {}
  const kind = path.includes('dm_')
    ? 'message'
    : /users\/(me|:id|by\/username\/:username)$/.test(path)
      ? 'user'
      : 'post'
  if (!/\/(tweets|users|dm_events|dm_conversations|lists)(\/|$)/.test(path)) return
  const read = (of: keyof typeof resources, rows: unknown) => {
    for (const row of [rows ?? []].flat() as { id: string }[])
      usage.charge('Twitter', names[of], resources[of], { id: row.id, now: clock.now() })
  }
  read(kind, response.data)
  read('user', response.includes?.users)
}

function billAction(request: ApiRequest, method: string, path: string) {
  const { usage, items } = request.state
  const charge = (item: string, micros: number) => usage.charge('Twitter', item, micros)
  if (path === '/2/tweets') {
    const parent = items.live('Twitter', nestedText(request, 'reply', 'in_reply_to_tweet_id') ?? '')
    if (parent && parent.from.id !== profileOf(request)) return charge('Post: Create (summoned)', actions.invitedReply)
    const hasLink = /https?:\/\//.test(textOf(request, 'text') ?? '')
    return charge(hasLink ? 'Post: Create (with URL)' : 'Post: Create', hasLink ? actions.linkPost : actions.post)
  }
  if (path.endsWith('/messages')) return charge('DM Interaction: Create', actions.message)
  if (path.endsWith('/likes')) return charge('User Interaction: Create', actions.interaction)
  if (method === 'DELETE' && path.startsWith('/2/tweets')) return charge('Interaction: Delete', 10_000)
  if (path === '/2/media/metadata') return charge('Media Metadata', 5_000)
}
