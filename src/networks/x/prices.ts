import type { Uses } from '../connector/budget.ts'
import type { NetworkAnswer, NetworkCall } from '../wire/network-call.ts'
import { objectIn } from './answers.ts'

/** In millionths of a dollar, by the names on the price list (https://docs.x.com/x-api/getting-started/pricing, 2026-08-22). */
const prices: { readonly [item: string]: number } = {
  'Posts: Read': 5_000,
  'User: Read': 10_000,
  'DM Event: Read': 10_000,
  'Post: Create': 15_000,
  'Post: Create (with URL)': 200_000,
  'DM Interaction: Create': 15_000,
  'User Interaction: Create': 15_000,
  'Interaction: Delete': 10_000,
  'Media Metadata': 5_000,
}

/** A call by its path under the version. */
type Priced = Pick<NetworkCall, 'method' | 'json'> & { path: string }

/** What a call is checked against before it is made; what it really costs is known from the answer. */
export const budgetsOf = ({ method }: Pick<Priced, 'method'>): Uses =>
  method === 'GET' ? { cost: 0, posts: 0 } : { cost: 0 }

/**
 * Estimates what X charges for an answer: reads by the resource, each once a day (UTC), the rest by the request. Other processes may have
 * paid for the same resource on the same day, so the estimate is never too low.
 */
export function openBill() {
  let day = ''
  let paid = new Set<string>()
  const firstToday = (kind: string, id: string, now: Date): boolean => {
    const today = now.toISOString().slice(0, 10)
    if (today !== day) paid = new Set()
    day = today
    const key = `${kind} ${id}`
    if (paid.has(key)) return false
    if (paid.size < mostRemembered) paid.add(key)
    return true
  }
  return (call: Priced, answer: NetworkAnswer, now: Date): Uses => {
    if (answer.status >= 400) return {}
    if (call.method !== 'GET') return { cost: actionPrice(call) }
    const body = objectIn(answer.body)
    const read = (kind: Resource, value: unknown) =>
      [value ?? []].flat().filter((row) => firstToday(kind, String((row as { id?: string }).id), now)).length
    const kind = kindOf(call.path)
    const main = kind ? read(kind, body.data) : 0
    const users = read('User: Read', objectIn(body.includes).users)
    return {
      cost: main * (kind ? (prices[kind] ?? 0) : 0) + users * (prices['User: Read'] ?? 0),
      posts: kind === 'Posts: Read' ? main : 0,
    }
  }
}

/** Enough for the day of a large installation; beyond it a repeated read counts again. */
const mostRemembered = 50_000

type Resource = 'Posts: Read' | 'User: Read' | 'DM Event: Read'

function kindOf(path: string): Resource | undefined {
  if (path.includes('dm_')) return 'DM Event: Read'
  if (/^\/users\/(me|by\/username\/[^/]+|\d+)$/.test(path)) return 'User: Read'
  return /^\/(tweets|users|lists)(\/|$)/.test(path) ? 'Posts: Read' : undefined
}

function actionPrice({ method, path, json }: Priced): number {
  const { text = '', reply } = (json ?? {}) as { text?: string; reply?: unknown }
  const price = (item: string) => prices[item] ?? 0
  if (method === 'DELETE') return price('Interaction: Delete')
  if (path === '/tweets' && reply) return price('Post: Create')
  if (path === '/tweets') return price(/https?:\/\//.test(text) ? 'Post: Create (with URL)' : 'Post: Create')
  if (path.endsWith('/messages')) return price('DM Interaction: Create')
  if (path.endsWith('/likes')) return price('User Interaction: Create')
  return path === '/media/metadata' ? price('Media Metadata') : 0
}
