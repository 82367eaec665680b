import type { Actor, TokenFacts } from '../connector/actor.ts'
import type { Json } from '../wire/json.ts'
import { asApp, askAs, type GraphCall, isNever, needed } from './calls.ts'
import type { Graph } from './graph.ts'
import { at, listAt, numberAt, textAt, timeAt } from './graph.ts'
import { nextOf } from './listing.ts'

interface Login {
  code: string
  redirectUri: string
}

/** The page where a person lets the app in. */
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

/** What a person who logged in through Facebook lets us use; `fields` says what to read of each page. */
export async function openPages(graph: Graph, { code, redirectUri }: Login, fields: string) {
  const short = await exchange(graph, { redirect_uri: redirectUri, code })
  const token = await exchange(graph, { grant_type: 'fb_exchange_token', fb_exchange_token: short })
  const person = { token, of: '' }
  const [me, permissions, inspected] = await Promise.all([
    askAs(graph, person, { method: 'GET', path: 'me', query: { fields: 'id' } }),
    askAs(graph, person, { method: 'GET', path: 'me/permissions' }),
    askAs(graph, asApp(graph), { method: 'GET', path: 'debug_token', query: { input_token: token } }),
  ])
  const granted = listAt(permissions, 'data').filter((row) => textAt(row, 'status') === 'granted')
  return {
    personId: textAt(me, 'id'),
    scopes: granted.flatMap((row) => textAt(row, 'permission') ?? []),
    expiresAt: dataAccessEnd(inspected),
    pages: await listPages(graph, token, fields),
  }
}

/** Meta gives an app's own token to whoever knows id and secret. */
export async function checkApp(graph: Graph): Promise<void> {
  await exchange(graph, { grant_type: 'client_credentials' })
}

export async function inspectToken(graph: Graph, { secret }: Actor): Promise<TokenFacts> {
  const query = { input_token: secret.accessToken }
  const answer = await askAs(graph, asApp(graph), { method: 'GET', path: 'debug_token', query })
  const reason = textAt(answer, 'data', 'error', 'message')
  const scopes = listAt(answer, 'data', 'scopes').map(String)
  return { isValid: at(answer, 'data', 'is_valid') === true, scopes, reason }
}

/** The secret goes in the body: addresses end in logs. */
async function exchange(graph: Graph, form: Record<string, string>): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = graph.app
  const call: GraphCall = { method: 'POST', path: 'oauth/access_token', form: { client_id, client_secret, ...form } }
  return needed(graph, call, await askAs(graph, { of: '' }, call), 'access_token')
}

/** Tokens of pages have no end of their own, but what they may read ends some time after the login. */
function dataAccessEnd(inspected: Json): Date | undefined {
  const seconds = numberAt(inspected, 'data', 'data_access_expires_at') ?? 0
  return seconds > 0 ? timeAt(at(inspected, 'data'), 'data_access_expires_at') : undefined
}

/** Those on which the person has a role, and those that only a business portfolio gives access to; each once. */
async function listPages(graph: Graph, token: string, fields: string): Promise<Json[]> {
  const direct = await listAll(graph, token, 'me/accounts', fields)
  const shared = await businessPages(graph, token, fields).catch(noBusinesses)
  const byId = new Map([...shared, ...direct].map((page) => [textAt(page, 'id'), page]))
  // A person who may only look at a page has no token for it.
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

/** Not every login may look into portfolios; the pages of the person's own come all the same. */
function noBusinesses(error: unknown): Json[] {
  if (isNever(error, 'permission', 'input', 'gone')) return []
  throw error
}

async function listAll(graph: Graph, token: string, path: string, fields: string): Promise<Json[]> {
  const rows: Json[] = []
  let after: string | undefined
  do {
    const query = { fields, limit: 100, after }
    const answer = await askAs(graph, { token, of: '' }, { method: 'GET', path, query })
    rows.push(...listAt(answer, 'data'))
    after = nextOf(answer)
  } while (after !== undefined && rows.length < most)
  return rows
}

const most = 2000
