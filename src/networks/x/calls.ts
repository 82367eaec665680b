import type { Actor } from '../connector/actor.ts'
import type { Uses } from '../connector/budget.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { type NetworkAnswer, type NetworkCall, openNetworkHttp } from '../wire/network-http.ts'
import { dataOf, objectIn } from './answers.ts'
import { refusalOf, reportUsage } from './refusals.ts'

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
const budgetsOf = ({ method }: Pick<Priced, 'method'>): Uses => (method === 'GET' ? { cost: 0, posts: 0 } : { cost: 0 })

/**
 * Estimates what X charges for an answer: reads by the resource, each once a day (UTC), the rest by the request. Other processes may have
 * paid for the same resource on the same day, so the estimate is never too low.
 */
function openBill() {
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

/** A call by its path under the version. */
export type XCall = Omit<NetworkCall, 'url' | 'headers'> & { path: string }

/** The ways to X that the connector has. */
export interface XCalls {
  readonly app: NetworkApp
  readonly installation: NetworkInstallation
  /** In the name of a profile. */
  as(actor: Actor, call: XCall): Promise<NetworkAnswer>
  /** In the name of the app, with the bearer it was given. */
  asApp(bearer: string, call: XCall): Promise<NetworkAnswer>
  /** With one of the app's key pairs; the path is one from the root. */
  withKeys(keys: { id: string; secret: string }, call: XCall): Promise<NetworkAnswer>
}

export function openCalls(app: NetworkApp, installation: NetworkInstallation): XCalls {
  const send = (who: string, authorization: string, call: NetworkCall) =>
    openNetworkHttp('Twitter', app, installation, (answer, asked) => {
      reportUsage(installation, who, answer, asked)
      return refusalOf(answer, asked, installation.clock.now())
    })({ ...call, headers: { authorization } })
  // Enterprise contracts have prices of their own.
  const bill = app.options.tier === 'enterprise' ? undefined : openBill()
  const inNameOf = async (actor: Actor, call: XCall) => {
    const { remoteId: holder, secret } = actor
    const sent = { ...versioned(call), holder, uses: budgetsOf(call) }
    const answer = await send(holder, `Bearer ${secret.accessToken}`, sent)
    if (bill) installation.meter?.spent(holder, bill(call, answer, installation.clock.now()))
    return answer
  }
  const root = app.hosts.api
  const versioned = ({ path, ...call }: XCall) => ({ ...call, url: `${root}/${app.apiVersion}${path}` })
  return {
    app,
    installation,
    as: inNameOf,
    asApp: (bearer, call) => send('app', `Bearer ${bearer}`, versioned(call)),
    withKeys: ({ id, secret }, { path, ...call }) => send('app', basic(id, secret), { ...call, url: `${root}${path}` }),
  }
}

/** The id an answer must carry; without it a call that cannot be repeated may or may not have had its effect. */
export function idIn(answer: NetworkAnswer, name: string, kind: 'retryable' | 'unknownOutcome' = 'retryable'): string {
  const id = dataOf<{ [name: string]: unknown }>(answer)[name]
  if (typeof id === 'string' && id !== '') return id
  const sentence = 'Twitter: the answer of the network says nothing that can be understood.'
  throw new NetworkError('Twitter', { kind }, sentence, { status: answer.status })
}

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** Where a post can be seen. */
export const postUrl = ({ app }: XCalls, username: string | undefined, id: string) =>
  `${app.hosts.public}/${username ?? 'i'}/status/${id}`
