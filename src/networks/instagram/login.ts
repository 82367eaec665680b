import type { Actor, Grant, Secret, TokenFacts } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { scopesOf } from '../connector/manifest.ts'
import { listAt, numberAt, textAt } from '../graph/answer.ts'
import { ask, askAs, type GraphCall, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { isNever } from '../graph/refusals.ts'
import type { Json } from '../wire/json.ts'
import { manifest } from './manifest.ts'

/** Instagram's own page where a person lets the app in. */
export function authorizeUrl({ app }: Graph, { state, redirectUri }: { state: string; redirectUri: string }): string {
  const url = new URL(`${app.hosts.login}/oauth/authorize`)
  const values = {
    enable_fb_login: '0',
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: redirectUri,
    scope: scopesOf(manifest, app).join(','),
    state,
  }
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

/** A code for a token of an hour, that for one of sixty days, and whose it is. */
export async function exchangeCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const { token, granted } = await shortToken(graph, login)
  const secret = await longToken(graph, 'access_token', token, granted)
  const fields = 'user_id,username,name,profile_picture_url'
  const call: GraphCall = { method: 'GET', path: 'me', query: { fields } }
  const me = await askAs(graph, { token: secret.accessToken, of: '' }, call)
  return [accountGrant(needed(graph, call, me, 'user_id'), me, secret)]
}

export const accountGrant = (remoteId: string, account: Json, secret: Secret): Grant => {
  const username = textAt(account, 'username') ?? remoteId
  const name = textAt(account, 'name') ?? username
  const picture = textAt(account, 'profile_picture_url')
  return { network: 'Instagram', kind: 'account', remoteId, username, name, picture, secret }
}

/** graph.instagram.com inspects no tokens: who asks for the account learns that its token works, and not what it may do. */
export async function inspectOwnToken(graph: Graph, actor: Actor): Promise<TokenFacts> {
  await ask(graph, actor, { method: 'GET', path: 'me', query: { fields: 'user_id' } })
  return { isValid: true }
}

/** Sixty more days; a token younger than a day cannot have them yet, and a dead one never. */
export async function refreshToken(graph: Graph, { secret }: Actor): Promise<Secret> {
  try {
    return await longToken(graph, 'refresh_access_token', secret.accessToken, secret.scopes)
  } catch (error) {
    if (!(error instanceof NetworkError) || !isNever(error, 'input')) throw error
    throw new NetworkError('Instagram', { kind: 'retryable', afterMs: day }, error.message, error.remote, error)
  }
}

async function shortToken(graph: Graph, { code, redirectUri }: { code: string; redirectUri: string }) {
  const { clientId: client_id, clientSecret: client_secret, hosts } = graph.app
  const url = `${hosts.token}/oauth/access_token`
  // Instagram hangs this onto the address it leads back to.
  const plain = code.replace(/#_$/, '')
  const form = { client_id, client_secret, grant_type: 'authorization_code', redirect_uri: redirectUri, code: plain }
  const call: GraphCall = { method: 'POST', url, form }
  const answer = await askAs(graph, { of: '' }, call)
  const told = listAt(answer, 'data')[0] ?? answer
  return { token: needed(graph, call, told, 'access_token'), granted: scopesIn(told) }
}

/** These two want the token in the address. */
async function longToken(
  graph: Graph,
  path: 'access_token' | 'refresh_access_token',
  access_token: string,
  granted: string[],
): Promise<Secret> {
  const { app, installation } = graph
  const trade =
    path === 'access_token'
      ? { grant_type: 'ig_exchange_token', client_secret: app.clientSecret }
      : { grant_type: 'ig_refresh_token' }
  const call: GraphCall = { method: 'GET', url: `${app.hosts.graph}/${path}`, query: { ...trade, access_token } }
  const answer = await askAs(graph, { of: '' }, call)
  const seconds = numberAt(answer, 'expires_in')
  return {
    accessToken: needed(graph, call, answer, 'access_token'),
    expiresAt: seconds === undefined ? undefined : new Date(installation.clock.now().getTime() + seconds * 1000),
    scopes: scopesIn(answer).length ? scopesIn(answer) : granted,
  }
}

/** A list in one answer, a text with commas in the other. */
function scopesIn(answer: Json): string[] {
  const listed = listAt(answer, 'permissions').map(String)
  return listed.length ? listed : (textAt(answer, 'permissions') ?? '').split(',').filter(Boolean)
}

const day = 86_400_000
