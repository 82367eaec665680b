import type { Actor, Grant, Secret, TokenFacts } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import { type GraphCall, isPermanentError, request, requestAs, requiredField } from '../graph/client.ts'
import { openPages } from '../graph/facebook-login.ts'
import { type Graph, listAt, numberAt, textAt } from '../graph/graph.ts'
import type { Json } from '../http/json.ts'
import { manifest } from './manifest.ts'

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

/** Exchanges a code for a one-hour token, and that for one of sixty days. */
export async function exchangeCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const { token, granted } = await shortToken(graph, login)
  const secret = await longToken(graph, 'access_token', token, granted)
  const fields = 'user_id,username,name,profile_picture_url'
  const call: GraphCall = { method: 'GET', path: 'me', query: { fields } }
  const me = await requestAs(graph, { token: secret.accessToken, of: '' }, call)
  return [accountGrant(requiredField(graph, call, me, 'user_id'), me, secret)]
}

const accountGrant = (remoteId: string, account: Json, secret: Secret): Grant => {
  const username = textAt(account, 'username') ?? remoteId
  const name = textAt(account, 'name') ?? username
  const picture = textAt(account, 'profile_picture_url')
  return { network: 'Instagram', kind: 'account', remoteId, username, name, picture, secret }
}

/** graph.instagram.com can't inspect tokens: reading the account only shows that the token works, not its scopes. */
export async function inspectOwnToken(graph: Graph, actor: Actor): Promise<TokenFacts> {
  await request(graph, actor, { method: 'GET', path: 'me', query: { fields: 'user_id' } })
  return { isValid: true }
}

/** Extends by sixty days; tokens younger than a day can't be refreshed yet, and expired ones never. */
export async function refreshToken(graph: Graph, { secret }: Actor): Promise<Secret> {
  try {
    return await longToken(graph, 'refresh_access_token', secret.accessToken, secret.scopes)
  } catch (error) {
    if (!(error instanceof NetworkError) || !isPermanentError(error, 'input')) throw error
    throw new NetworkError('Instagram', { kind: 'retryable', afterMs: day }, error.message, error.remote, error)
  }
}

async function shortToken(graph: Graph, { code, redirectUri }: { code: string; redirectUri: string }) {
  const { clientId: client_id, clientSecret: client_secret, hosts } = graph.app
  const url = `${hosts.token}/oauth/access_token`
  // Instagram appends this to the redirect URI.
  const plain = code.replace(/#_$/, '')
  const form = { client_id, client_secret, grant_type: 'authorization_code', redirect_uri: redirectUri, code: plain }
  const call: GraphCall = { method: 'POST', url, form }
  const response = await requestAs(graph, { of: '' }, call)
  const details = listAt(response, 'data')[0] ?? response
  return { token: requiredField(graph, call, details, 'access_token'), granted: scopesIn(details) }
}

/** Both endpoints require the token in the URL. */
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
  const response = await requestAs(graph, { of: '' }, call)
  const seconds = numberAt(response, 'expires_in')
  return {
    accessToken: requiredField(graph, call, response, 'access_token'),
    expiresAt: seconds === undefined ? undefined : new Date(installation.clock.now().getTime() + seconds * 1000),
    scopes: scopesIn(response).length ? scopesIn(response) : granted,
  }
}

/** A list in one response, comma-separated in the other. */
function scopesIn(response: Json): string[] {
  const listed = listAt(response, 'permissions').map(String)
  return listed.length ? listed : (textAt(response, 'permissions') ?? '').split(',').filter(Boolean)
}

const day = 86_400_000

/** The accounts behind a person's pages, each used with its page's token. */
export async function exchangePageCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,access_token,tasks,instagram_business_account'
  const { pages, personId, scopes, expiresAt } = await openPages(graph, login, fields)
  const linked = pages.filter((page) => accountIn(page) !== undefined)
  return Promise.all(
    linked.map(async (page) => {
      const remoteId = accountIn(page) ?? ''
      const token = textAt(page, 'access_token') ?? ''
      const query = { fields: 'username,name,profile_picture_url' }
      const account = await requestAs(graph, { token, of: remoteId }, { method: 'GET', path: remoteId, query })
      const secret = { accessToken: token, scopes: usable(scopes, page), expiresAt, pageId: textAt(page, 'id') }
      return { ...accountGrant(remoteId, account, secret), parentRemoteId: personId }
    }),
  )
}

/** Granted scopes that the person's tasks on the page allow; all of them if tasks aren't reported. */
function usable(granted: readonly string[], page: Json): string[] {
  const tasks = listAt(page, 'tasks').map(String)
  const mayPublish = tasks.length === 0 || tasks.includes('CREATE_CONTENT') || tasks.includes('MANAGE')
  return granted.filter((scope) => mayPublish || scope !== 'instagram_content_publish')
}

export async function refreshPageToken(): Promise<Secret> {
  const sentence = 'Instagram gives a new access to an account behind a page only when somebody logs in again.'
  throw new NetworkError('Instagram', { kind: 'token', remedy: 'reconnect' }, sentence)
}

/** Pushes about an account come through the subscription of its page, whatever the page's fields are. */
export async function subscribePage(graph: Graph, actor: Actor): Promise<void> {
  const page = actor.secret.pageId ?? (await ownPage(graph, actor))
  const path = `${page}/subscribed_apps`
  const subscribed = listAt(await request(graph, actor, { method: 'GET', path }), 'data')
  // A page that is connected itself is subscribed to more fields, which must be kept.
  if (subscribed.some((app) => textAt(app, 'id') === graph.app.clientId && listAt(app, 'subscribed_fields').length > 0))
    return
  await request(graph, actor, { method: 'POST', path, form: { subscribed_fields: 'feed' } })
}

/** For profiles connected before page ids were stored, the token identifies the page. */
async function ownPage(graph: Graph, actor: Actor): Promise<string> {
  const call: GraphCall = { method: 'GET', path: 'me', query: { fields: 'id' } }
  return requiredField(graph, call, await request(graph, actor, call), 'id')
}

const accountIn = (page: Json) => textAt(page, 'instagram_business_account', 'id')
