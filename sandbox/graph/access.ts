import { createHmac } from 'node:crypto'
import { type ApiRequest, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, escapeHtml, html, renderPage } from '../http/response.ts'
import type { NetworkApi } from '../http/router.ts'
import { apps } from '../manifests.ts'
import { day, hour } from '../state/clock.ts'
import { endReasonOf } from '../state/grants.ts'
import type { Grant, Network, Profile } from '../state/rows.ts'
import { badParameter, graphFaultResponses, pageThrottled, refuse, tokenProblems, unknownObject } from './responses.ts'

export function tokenIn(request: ApiRequest): string | undefined {
  return textOf(request, 'access_token') ?? /^(?:Bearer|OAuth) (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The valid grant of the caller on Facebook or Instagram. */
export function grantFor(request: ApiRequest, ...scopes: string[]): Grant {
  const token = tokenIn(request)
  if (!token) refuse({ code: 104, message: 'An access token is required to request this resource.' })
  const grant = request.state.grants.get(token) ?? appGrant(token)
  // Each login has its own host, which does not accept tokens of the other.
  if (grant?.network !== loginOf(request)) refuse(tokenProblems.invalid)
  const endReason = endReasonOf(request.state, grant)
  if (endReason) refuse(tokenProblems[endReason])
  const proof = textOf(request, 'appsecret_proof')
  // Not documented for graph.instagram.com, so it is rejected there.
  if (proof !== undefined && grant.network === 'Instagram')
    badParameter('appsecret_proof is not a parameter of this host')
  if (proof !== undefined && proof !== proofOf(token, apps[grant.network].secret)) {
    badParameter('Invalid appsecret_proof provided in the API argument')
  }
  const missing = grant.kind === 'app' ? undefined : scopes.find((scope) => !grant.scopes.includes(scope))
  if (missing) refuse({ code: 200, message: `(#200) Requires ${missing} permission`, type: 'OAuthException' })
  return grant
}

/** The login that the host belongs to: graph.instagram.com or graph.facebook.com. */
export const loginOf = ({ path }: ApiRequest): Network => (path.startsWith('/instagram/') ? 'Instagram' : 'Facebook')

/** The profile in the path, if the token may act for it. */
export function ownProfile(request: ApiRequest, network: Network, id: string, ...scopes: string[]): Profile {
  const grant = grantFor(request, ...scopes)
  const profile = request.state.profile(network, id === 'me' ? (grant.profile ?? '') : id)
  if (!profile) unknownObject(id)
  const actsFor = grant.profile === profile.id || (grant.profile !== undefined && grant.profile === profile.page)
  if (!actsFor) {
    refuse({ code: 200, subcode: 1, message: '(#200) A token of this page is needed.', type: 'OAuthException' })
  }
  const task = scopes
    .map((scope) => requiredTask[scope])
    .find((name) => name && profile.tasks && !profile.tasks.includes(name))
  if (task) refuse({ code: 200, message: `(#200) This needs the task ${task} on the page.`, type: 'OAuthException' })
  return profile
}

/** The page task that the user needs in addition to a scope. */
const requiredTask: { readonly [scope: string]: string | undefined } = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_messaging: 'MESSAGING',
  read_insights: 'ANALYZE',
}

/** `{app id}|{app secret}` is an app token. */
function appGrant(token: string): Grant | undefined {
  const network = (['Facebook', 'Instagram'] as const).find((name) => token === `${apps[name].id}|${apps[name].secret}`)
  if (!network) return undefined
  return { token, network, kind: 'app', app: apps[network].id, account: '', scopes: [], issuedAt: 0 }
}

function proofOf(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('hex')
}

const newestVersion = 26
const oldestSupportedVersion = 21

/** Strips the version from the path: unknown versions are rejected, expired and missing ones are served as the oldest supported. */
export function stripVersion(path: string, request: ApiRequest): string {
  const version = /^\/v(\d+)\.(\d+)(?=\/|$)/.exec(path)
  if (!version) {
    request.version = `v${oldestSupportedVersion}.0`
    return path
  }
  const number = Number(version[1])
  if (number > newestVersion || number < 1 || version[2] !== '0')
    throw new ApiError(graphFaultResponses.unknownPath({ ...request, path }))
  request.version = `v${Math.max(number, oldestSupportedVersion)}.0`
  return path.slice(version[0].length) || '/'
}

/** Applies the rate limits of app and page, and reports usage in the headers. */
export function guard(request: ApiRequest, profileOf: NetworkApi['profileOf']) {
  const { rateLimiter, clock } = request.state
  request.responseHeaders['facebook-api-version'] = request.version ?? ''
  const profile = profileOf(request)
  if (profile === undefined) return
  const app = rateLimiter.take('graph:app', 'Graph app', { limit: 20_000, windowMs: hour }, clock.now())
  const page = rateLimiter.take(`graph:${profile}`, 'Graph page', { limit: 48_000, windowMs: day }, clock.now())
  const usage = (limit: number, remaining: number) => {
    const used = limit === 0 ? 100 : Math.floor((100 * (limit - remaining)) / limit)
    return { call_count: used, total_time: used, total_cputime: used }
  }
  const pageUsage = usage(page.limit, page.remaining)
  request.responseHeaders['x-app-usage'] = JSON.stringify(usage(app.limit, app.remaining))
  request.responseHeaders['x-page-usage'] = JSON.stringify(pageUsage)
  request.responseHeaders['x-business-use-case-usage'] = JSON.stringify({
    [profile]: [{ type: 'pages', ...pageUsage, estimated_time_to_regain_access: 0 }],
  })
  if (!app.allowed || !page.allowed) throw new ApiError(pageThrottled(request, profile))
}

/** The error page of Meta's login dialog for scopes that the app does not have. */
export function invalidScopesPage(request: ApiRequest, known: readonly string[]): ApiResponse | undefined {
  const requested = (textOf(request, 'scope') ?? '').split(/[ ,]+/).filter(Boolean)
  const unknown = requested.filter((scope) => scope !== 'public_profile' && !known.includes(scope))
  if (!unknown.length) return undefined
  return html(renderPage('Cannot sign in', `<p>Invalid Scopes: ${escapeHtml(unknown.join(', '))}</p>`), 400)
}
