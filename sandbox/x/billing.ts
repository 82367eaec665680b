import { type Call, deepText, textOf } from '../http/request.ts'
import { type Answer, Refusal } from '../http/response.ts'
import type { Route } from '../http/router.ts'
import { problem, profileOf } from './access.ts'

/** Millionths of a dollar for each resource in an answer (docs.x.com, "Pricing", August 2026). */
const resources = { post: 5_000, user: 10_000, message: 10_000 } as const

/** Millionths of a dollar for each action that took effect. */
const actions = { post: 15_000, linkPost: 200_000, invitedReply: 10_000, message: 15_000, interaction: 15_000 } as const

const names = { post: 'Posts: Read', user: 'User: Read', message: 'DM Event: Read' } as const

/** Nothing is served once the credits are spent. */
export function requireCredits(call: Call) {
  const { rates, charges } = call.world
  const credits = rates.overridden('X credits')
  if (credits === undefined || charges.of('Twitter').micros < credits || profileOf(call) === undefined) return
  throw new Refusal(problem(402, 'Payment Required', 'The enrolled account has no credits left.', 'credits'))
}

/** Puts an answer on the bill: what was read by the resource, once a day; what was done by the request. */
export function bill(call: Call, { method, path }: Route, { status, body }: Answer) {
  if (status >= 400 || profileOf(call) === undefined) return
  const { charges, clock } = call.world
  if (method === 'POST' || method === 'DELETE') return billAction(call, method, path)
  if (method !== 'GET') return
  const told = typeof body === 'string' ? JSON.parse(body) : {}
  const kind = path.includes('dm_')
    ? 'message'
    : /users\/(me|:id|by\/username\/:username)$/.test(path)
      ? 'user'
      : 'post'
  if (!/\/(tweets|users|dm_events|dm_conversations|lists)(\/|$)/.test(path)) return
  const read = (of: keyof typeof resources, rows: unknown) => {
    for (const row of [rows ?? []].flat() as { id: string }[])
      charges.charge('Twitter', names[of], resources[of], { id: row.id, now: clock.now() })
  }
  read(kind, told.data)
  read('user', told.includes?.users)
}

function billAction(call: Call, method: string, path: string) {
  const { charges, items } = call.world
  const charge = (item: string, micros: number) => charges.charge('Twitter', item, micros)
  if (path === '/2/tweets') {
    const parent = items.live('Twitter', deepText(call, 'reply', 'in_reply_to_tweet_id') ?? '')
    if (parent && parent.from.id !== profileOf(call)) return charge('Post: Create (summoned)', actions.invitedReply)
    const hasLink = /https?:\/\//.test(textOf(call, 'text') ?? '')
    return charge(hasLink ? 'Post: Create (with URL)' : 'Post: Create', hasLink ? actions.linkPost : actions.post)
  }
  if (path.endsWith('/messages')) return charge('DM Interaction: Create', actions.message)
  if (path.endsWith('/likes')) return charge('User Interaction: Create', actions.interaction)
  if (method === 'DELETE' && path.startsWith('/2/tweets')) return charge('Interaction: Delete', 10_000)
  if (path === '/2/media/metadata') return charge('Media Metadata', 5_000)
}
