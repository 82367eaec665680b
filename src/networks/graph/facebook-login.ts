import type { Actor, TokenFacts } from '../connector/connector.ts'
import type { Json } from '../http/json.ts'
import { asApp, type GraphCall, isPermanentError, nextOf, requestAs, requiredField } from './client.ts'
import type { Graph } from './graph.ts'
import { at, listAt, numberAt, textAt, timeAt } from './graph.ts'

interface Login {
  code: string
  redirectUri: string
}

export function dialogUrl({ app }: Graph, login: { state: string; redirectUri: string }, scopes: readonly string[]) {
  const url = new URL(`${app.hosts.login}/${app.apiVersion}/dialog/oauth`)
  const { state, redirectUri } = login
  const values = {
    client_id: app.clientId,
    redirect_uri: redirectUri,
    state,
    scope: scopes.join(','),
    response_type: 'code',
  }
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

/** Pages that a person granted through Facebook Login; `fields` lists the fields to read of each. */
export async function openPages(graph: Graph, { code, redirectUri }: Login, fields: string) {
  const short = await exchange(graph, { redirect_uri: redirectUri, code })
  const token = await exchange(graph, { grant_type: 'fb_exchange_token', fb_exchange_token: short })
  const person = { token, of: '' }
  const [me, permissions, inspected] = await Promise.all([
    requestAs(graph, person, { method: 'GET', path: 'me', query: { fields: 'id' } }),
    requestAs(graph, person, { method: 'GET', path: 'me/permissions' }),
    requestAs(graph, asApp(graph), { method: 'GET', path: 'debug_token', query: { input_token: token } }),
  ])
  const granted = listAt(permissions, 'data').filter((row) => textAt(row, 'status') === 'granted')
  return {
    personId: textAt(me, 'id'),
    scopes: granted.flatMap((row) => textAt(row, 'permission') ?? []),
    expiresAt: dataAccessEnd(inspected),
    pages: await listPages(graph, token, fields),
  }
}

/** Meta issues an app access token for a valid id and secret. */
export async function checkApp(graph: Graph): Promise<void> {
  await exchange(graph, { grant_type: 'client_credentials' })
}

export async function inspectToken(graph: Graph, { secret }: Actor): Promise<TokenFacts> {
  const query = { input_token: secret.accessToken }
  const response = await requestAs(graph, asApp(graph), { method: 'GET', path: 'debug_token', query })
  const reason = textAt(response, 'data', 'error', 'message')
  const scopes = listAt(response, 'data', 'scopes').map(String)
  return { isValid: at(response, 'data', 'is_valid') === true, scopes, reason }
}

/** The secret is sent in the body, since URLs are logged. */
async function exchange(graph: Graph, form: Record<string, string>): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = graph.app
  const call: GraphCall = { method: 'POST', path: 'oauth/access_token', form: { client_id, client_secret, ...form } }
  return requiredField(graph, call, await requestAs(graph, { of: '' }, call), 'access_token')
}

/** Page tokens don't expire, but their data access ends some time after the login. */
function dataAccessEnd(inspected: Json): Date | undefined {
  const seconds = numberAt(inspected, 'data', 'data_access_expires_at') ?? 0
  return seconds > 0 ? timeAt(at(inspected, 'data'), 'data_access_expires_at') : undefined
}

/** Pages on which the person has a role, and pages accessible through a business portfolio only, without duplicates. */
async function listPages(graph: Graph, token: string, fields: string): Promise<Json[]> {
  const direct = await listAll(graph, token, 'me/accounts', fields)
  const shared = await businessPages(graph, token, fields).catch(noBusinesses)
  const byId = new Map([...shared, ...direct].map((page) => [textAt(page, 'id'), page]))
  // A person without tasks on a page has no token for it.
  return [...byId.values()].filter((page) => textAt(page, 'access_token') !== undefined)
}

async function businessPages(graph: Graph, token: string, fields: string): Promise<Json[]> {
  const pages: Json[] = []
  for (const business of await listAll(graph, token, 'me/businesses', 'id')) {
    for (const edge of ['owned_pages', 'client_pages'])
      pages.push(...(await listAll(graph, token, `${textAt(business, 'id')}/${edge}`, fields).catch(noBusinesses)))
  }
  return pages
}

/** Not every login can read portfolios; the person's own pages are returned anyway. */
function noBusinesses(error: unknown): Json[] {
  if (isPermanentError(error, 'permission', 'input', 'gone')) return []
  throw error
}

async function listAll(graph: Graph, token: string, path: string, fields: string): Promise<Json[]> {
  const rows: Json[] = []
  let after: string | undefined
  do {
    const query = { fields, limit: 100, after }
    const response = await requestAs(graph, { token, of: '' }, { method: 'GET', path, query })
    rows.push(...listAt(response, 'data'))
    after = nextOf(response)
  } while (after !== undefined && rows.length < maximumItems)
  return rows
}

const maximumItems = 2000
