import { consent, isRegisteredClient, redeemCode } from '../behaviour/oauth.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import type { FaultResponses, Route } from '../http/router.ts'
import { day, hour } from '../state/clock.ts'
import { endReasonOf, findGrant, findRenewableGrant, issueGrant } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'

const scopePrefix = 'https://www.googleapis.com/auth/'

function bearer(request: ApiRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The channel of the token; any one of the scopes is sufficient. */
export function requireChannel(request: ApiRequest, ...anyScope: string[]): Profile {
  const grant = findGrant(request.state, 'YouTube', bearer(request))
  const profile = grant && request.state.profile('YouTube', grant.profile ?? grant.account)
  if (!grant || !profile || endReasonOf(request.state, grant)) throw new ApiError(unauthorized)
  if (anyScope.length && !anyScope.some((scope) => grant.scopes.includes(scopePrefix + scope))) {
    refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', 'global')
  }
  return profile
}

/** Upload requests without a token belong to the channel of the session. */
export const profileOf = (request: ApiRequest) => {
  const grant = findGrant(request.state, 'YouTube', bearer(request))
  return grant?.profile ?? grant?.account ?? request.state.uploads.get(request.query.get('upload_id') ?? '')?.profile
}

/** Requests cost quota units, which reset at midnight Pacific time. */
export function guard(request: ApiRequest, { method, path }: Route) {
  if (!path.startsWith('/v3/') && !path.startsWith('/upload/v3/')) return
  // Uploading bytes to an open session is free.
  if (method === 'PUT') return
  const { rateLimiter, usage, clock } = request.state
  const { bucket, limit, cost } = bucketOf(method, path)
  const name = `YouTube ${bucket}`
  const { allowed } = rateLimiter.take(name, name, { limit, cost, windowMs: day }, pacificTime(clock.now()))
  if (!allowed) throw new ApiError(youtubeFaultResponses.rateLimit(request))
  usage.countUnits('YouTube', bucket, cost)
}

/** Uploads and statistics have separate buckets since June 2026 (developers.google.com, revision history). */
function bucketOf(method: string, path: string) {
  if (path === '/upload/v3/videos') return { bucket: 'uploads', limit: 100, cost: 1 }
  if (path === '/v3/videos:batchGetStats') return { bucket: 'stats', limit: 10_000, cost: 1 }
  return { bucket: 'units', limit: 10_000, cost: method === 'GET' ? 1 : 50 }
}

/** Pacific time including daylight saving. */
function pacificTime(now: number): number {
  const zone = pacificFormat.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value
  return now - Number(/-(\d+)/.exec(zone ?? '')?.[1]) * hour
}

const pacificFormat = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'longOffset' })

export function authorize(request: ApiRequest): ApiResponse {
  return consent(request, { network: 'YouTube', separator: / +/ })
}

/** POST /token: a refresh keeps the refresh token. */
export function exchange(request: ApiRequest): ApiResponse {
  const refused = (error: string, error_description: string, status = 400) => json({ error, error_description }, status)
  if (!isRegisteredClient(request, 'YouTube')) return refused('invalid_client', 'The OAuth client was not found.', 401)
  if (textOf(request, 'grant_type') === 'refresh_token') {
    const old = findRenewableGrant(request.state, 'YouTube', textOf(request, 'refresh_token'))
    if (!old) return invalidGrant
    const { account, scopes, profile = account, refreshToken, refreshExpiresAt } = old
    const grantFields = { ...(refreshToken ? { refreshToken } : {}), ...(refreshExpiresAt ? { refreshExpiresAt } : {}) }
    return tokens(
      request,
      issueGrant(request.state, { network: 'YouTube', account, profile, scopes, ...grantFields }),
      false,
    )
  }
  const { account, scopes } = redeemCode(request, 'YouTube', (problem) =>
    problem === 'redirect'
      ? refused('redirect_uri_mismatch', 'Bad Request')
      : refused('invalid_grant', 'Malformed auth code.'),
  )
  return tokens(request, issueGrant(request.state, { network: 'YouTube', account, profile: account, scopes }), true)
}

/** POST /tokeninfo: account, scopes and expiry of a token; needs no client authentication. */
export function tokenInfo(request: ApiRequest): ApiResponse {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? textOf(request, 'access_token')
  const grant = findGrant(request.state, 'YouTube', token)
  if (!grant || endReasonOf(request.state, grant)) {
    return json({ error: 'invalid_token', error_description: 'Invalid Value' }, 400)
  }
  const left = Math.floor(((grant.expiresAt ?? 0) - request.state.clock.now()) / 1000)
  return json({
    azp: grant.app,
    aud: grant.app,
    scope: grant.scopes.join(' '),
    exp: String(Math.floor((grant.expiresAt ?? 0) / 1000)),
    expires_in: String(left),
    access_type: 'offline',
  })
}

/** POST /revoke: accepts either token and revokes all tokens of the account. */
export function revoke(request: ApiRequest): ApiResponse {
  const token = textOf(request, 'token')
  const isIt = (row: Grant) => row.network === 'YouTube' && (row.token === token || row.refreshToken === token)
  const grant = request.state.grants.find(isIt)
  if (!grant) return json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400)
  for (const row of request.state.grants.all()) {
    if (row.network === 'YouTube' && row.account === grant.account)
      request.state.grants.change(row, { endReason: 'revoked' })
  }
  return json({})
}

function tokens(request: ApiRequest, { token, expiresAt, refreshToken, scopes }: Grant, first: boolean): ApiResponse {
  return json({
    access_token: token,
    expires_in: Math.floor(((expiresAt ?? 0) - request.state.clock.now()) / 1000),
    scope: scopes.join(' '),
    token_type: 'Bearer',
    ...(first ? { refresh_token: refreshToken } : {}),
  })
}

const names: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  503: 'UNAVAILABLE',
}

/** An error in Google's format; clients check `reason`. */
function problem(code: number, reason: string, message: string, domain = 'youtube.api'): ApiResponse {
  const errors = [{ message, domain, reason }]
  return json({ error: { code, message, errors, status: names[code] ?? 'INTERNAL' } }, code)
}

export function refuse(code: number, reason: string, message: string, domain?: string): never {
  throw new ApiError(problem(code, reason, message, domain))
}

const unauthorized = problem(401, 'authError', 'Request had invalid authentication credentials.', 'global')

const invalidGrant = json({ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }, 400)

function tokenProblem(request: ApiRequest): ApiResponse {
  return request.operation === 'token' ? invalidGrant : unauthorized
}

export const youtubeFaultResponses: FaultResponses = {
  rateLimit: () =>
    problem(403, 'quotaExceeded', 'The request cannot be completed because the quota is used up.', 'youtube.quota'),
  serverError: () => problem(503, 'backendError', 'Backend Error', 'global'),
  tokenExpired: tokenProblem,
  tokenRevoked: tokenProblem,
  duplicate: () => problem(409, 'duplicate', 'The same content is there already.'),
  notReady: () => problem(409, 'processingFailure', 'The video is still being processed.'),
  unknownPath: (request) => problem(404, 'notFound', `Nothing under ${request.path}`, 'global'),
}
