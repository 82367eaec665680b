import { consent, isRegisteredClient, redeemCode } from '../behaviour/oauth.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import type { FaultResponses, Route } from '../http/router.ts'
import { day, minute } from '../state/clock.ts'
import { endReasonOf, findGrant, findRenewableGrant, issueGrant } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'

const fifteenMinutes = 15 * minute
const appBearer = 'sandbox-x-app-bearer'

/** Requests per user in 15 minutes, and optionally per day. */
const limits: Record<string, [number, number?]> = {
  // The app limit of 10,000 per day is applied in `guard`.
  'POST /2/tweets': [100],
  'DELETE /2/tweets/:id': [50],
  'GET /2/tweets': [5000],
  'GET /2/users/:id/tweets': [900],
  'GET /2/users/:id/mentions': [300],
  'GET /2/tweets/search/recent': [300],
  'GET /2/users/:id/timelines/reverse_chronological': [180],
  'GET /2/users/:id/liked_tweets': [75],
  'GET /2/users/reposts_of_me': [75],
  'GET /2/users/me': [75],
  'GET /2/lists/:id/tweets': [900],
  'GET /2/dm_events': [15],
  'GET /2/dm_conversations/with/:participant/dm_events': [15],
  'GET /2/dm_conversations/:conversation/dm_events': [15],
  'POST /2/dm_conversations/with/:participant/messages': [15, 1440],
  'POST /2/dm_conversations/:conversation/messages': [15, 1440],
  'POST /2/users/:id/likes': [50, 1000],
  'POST /2/media/upload': [500],
  'POST /2/media/upload/initialize': [1875],
  'POST /2/media/upload/:id/append': [1875],
  'POST /2/media/upload/:id/finalize': [1875],
  'GET /2/media/upload': [1000],
}

function bearer(request: ApiRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The account of the token; requires a valid token with the scopes. */
export function requireUser(request: ApiRequest, ...scopes: string[]): Profile {
  const grant = findGrant(request.state, 'Twitter', bearer(request))
  const profile = grant && request.state.profile('Twitter', grant.profile ?? grant.account)
  if (!grant || !profile || endReasonOf(request.state, grant)) throw new ApiError(unauthorized)
  const missing = scopes.find((scope) => !grant.scopes.includes(scope))
  if (missing) {
    refuse(403, 'Forbidden', `The token was not granted the scope ${missing}.`, 'client-forbidden')
  }
  return profile
}

/** Requires the user in the path to be the authenticated user. */
export function requireSelf(request: ApiRequest, ...scopes: string[]): Profile {
  const profile = requireUser(request, ...scopes)
  if (request.params.id !== profile.id) {
    refuse(403, 'Forbidden', 'The `id` must be that of the authenticated user.', 'not-authorized-for-resource')
  }
  return profile
}

/** POST /oauth2/token: the app-only bearer token. */
export function appToken(request: ApiRequest): ApiResponse {
  if (!isRegisteredClient(request, 'Twitter')) {
    const error = { code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }
    return json({ errors: [error] }, 403)
  }
  return json({ token_type: 'bearer', access_token: appBearer })
}

export const isApp = (request: ApiRequest) => bearer(request) === appBearer

export function requireApp(request: ApiRequest) {
  if (!isApp(request)) throw new ApiError(unauthorized)
}

export const profileOf = (request: ApiRequest) => {
  const grant = findGrant(request.state, 'Twitter', bearer(request))
  return grant?.profile ?? grant?.account
}

/** Applies rate limits and reports them in the headers. */
export function guard(request: ApiRequest, { method, path }: Route) {
  const name = `${method} ${path}`
  const [perQuarter, perDay] = limits[name] ?? []
  const subject = profileOf(request)
  if (perQuarter === undefined || subject === undefined) return
  const { rateLimiter, clock } = request.state
  const now = clock.now()
  if (name === 'POST /2/tweets') {
    const app = rateLimiter.take('X app posts', 'X app posts', { limit: 10_000, windowMs: day }, now)
    request.responseHeaders['x-app-limit-24hour-limit'] = String(app.limit)
    request.responseHeaders['x-app-limit-24hour-remaining'] = String(app.remaining)
    request.responseHeaders['x-app-limit-24hour-reset'] = String(Math.floor(app.resetAt / 1000))
    if (!app.allowed) throw new ApiError(twitterFaultResponses.rateLimit(request))
  }
  const spans = [
    { prefix: 'x-rate-limit', limit: perQuarter, windowMs: fifteenMinutes },
    ...(perDay === undefined ? [] : [{ prefix: 'x-user-limit-24hour', limit: perDay, windowMs: day }]),
  ]
  for (const { prefix, limit, windowMs } of spans) {
    const label = windowMs === day ? `${name} daily` : name
    const allowance = rateLimiter.take(`${label}:${subject}`, label, { limit, windowMs }, now)
    request.responseHeaders[`${prefix}-limit`] = String(allowance.limit)
    request.responseHeaders[`${prefix}-remaining`] = String(allowance.remaining)
    request.responseHeaders[`${prefix}-reset`] = String(Math.floor(allowance.resetAt / 1000))
    if (!allowance.allowed) throw new ApiError(twitterFaultResponses.rateLimit(request))
  }
}

export function authorize(request: ApiRequest): ApiResponse {
  return consent(request, { network: 'Twitter', separator: /[ ,]+/, requiresChallenge: true })
}

/** POST /2/oauth2/token: every refresh rotates the refresh token. */
export function exchange(request: ApiRequest): ApiResponse {
  const refused = (error: string, error_description: string, status = 400) => json({ error, error_description }, status)
  if (!isRegisteredClient(request, 'Twitter'))
    return refused('unauthorized_client', 'Missing valid authorization header', 401)
  if (textOf(request, 'grant_type') === 'refresh_token') {
    const old = findRenewableGrant(request.state, 'Twitter', textOf(request, 'refresh_token'))
    if (!old) return invalidToken
    request.state.grants.change(old, { endReason: 'rotated' })
    return tokens(request, renewGrant(request, old))
  }
  const { account, scopes } = redeemCode(request, 'Twitter', (problem) =>
    refused(
      'invalid_request',
      `Value passed for the ${problem === 'verifier' ? 'code verifier' : problem === 'redirect' ? 'redirect uri' : 'authorization code'} was invalid.`,
    ),
  )
  const withRefresh = scopes.includes('offline.access')
  return tokens(
    request,
    issueGrant(request.state, { network: 'Twitter', account, profile: account, scopes, withRefresh }),
  )
}

/** POST /2/oauth2/revoke: accepts access and refresh tokens. */
export function revoke(request: ApiRequest): ApiResponse {
  const token = textOf(request, 'token')
  const grant = request.state.grants.find(
    (row) => row.network === 'Twitter' && (row.token === token || row.refreshToken === token),
  )
  if (grant) request.state.grants.change(grant, { endReason: 'revoked' })
  return json({ revoked: true })
}

function renewGrant(request: ApiRequest, { account, scopes, profile = account }: Grant): Grant {
  return issueGrant(request.state, { network: 'Twitter', account, profile, scopes })
}

function tokens(request: ApiRequest, { token, expiresAt, refreshToken, scopes }: Grant): ApiResponse {
  return json({
    token_type: 'bearer',
    expires_in: Math.floor(((expiresAt ?? 0) - request.state.clock.now()) / 1000),
    access_token: token,
    scope: scopes.join(' '),
    ...(refreshToken ? { refresh_token: refreshToken } : {}),
  })
}

const types = 'https://api.x.com/2/problems/'
const duplicateText = 'You are not allowed to create a Tweet with duplicate content.'

/** An error in X's format; X uses `about:blank` for errors without a type. */
export function problem(status: number, title: string, detail: string, type?: string): ApiResponse {
  const value = { title, detail, type: type === undefined ? 'about:blank' : `${types}${type}`, status }
  return json(value, status, { 'content-type': 'application/problem+json' })
}

export function refuse(status: number, title: string, detail: string, type?: string): never {
  throw new ApiError(problem(status, title, detail, type))
}

export function badRequest(message: string, parameters: Record<string, unknown> = {}): never {
  const errors = [{ parameters, message }]
  const title = 'Invalid Request'
  const detail = 'One or more parameters to your request was invalid.'
  throw new ApiError(json({ errors, title, detail, type: `${types}invalid-request` }, 400))
}

export function notFound(what: string, value: string): never {
  refuse(404, 'Not Found Error', `Could not find ${what} with id: [${value}].`, 'resource-not-found')
}

const unauthorized = problem(401, 'Unauthorized', 'Unauthorized')

const invalidToken = json(
  { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
  400,
)

function tokenProblem(request: ApiRequest): ApiResponse {
  return request.operation === 'token' ? invalidToken : unauthorized
}

export const twitterFaultResponses: FaultResponses = {
  rateLimit: (request) => {
    request.responseHeaders['x-rate-limit-remaining'] = '0'
    return problem(429, 'Too Many Requests', 'Too Many Requests')
  },
  serverError: () => problem(503, 'Service Unavailable', 'Service Unavailable'),
  tokenExpired: tokenProblem,
  tokenRevoked: tokenProblem,
  duplicate: () => problem(403, 'Forbidden', duplicateText),
  notReady: () =>
    json(
      {
        errors: [{ message: 'Your media IDs are invalid.' }],
        title: 'Invalid Request',
        type: `${types}invalid-request`,
      },
      400,
    ),
  unknownPath: (request) => problem(404, 'Not Found', `Nothing under ${request.path}`, 'resource-not-found'),
}
