import { consent, isRegisteredClient, redeemCode } from '../behaviour/oauth.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, escapeHtml, html, json, renderPage } from '../http/response.ts'
import type { FaultResponses, Route } from '../http/router.ts'
import { apps, manifests } from '../manifests.ts'
import { hour, minute } from '../state/clock.ts'
import { endReasonOf, findGrant, findRenewableGrant, issueGrant } from '../state/grants.ts'
import { secret } from '../state/ids.ts'
import type { Grant, Profile } from '../state/rows.ts'

/** Requests per minute and token; the business API allows 40 per account and path. */
const perMinute: Record<string, number> = {
  '/v2/post/publish/video/init': 6,
  '/v2/post/publish/content/init': 6,
  '/v2/post/publish/status/fetch': 30,
  '/v2/user/info': 600,
  '/v2/video/query': 600,
  '/v2/video/list': 600,
}

function tokenIn(request: ApiRequest): string | undefined {
  const header = request.headers['access-token']
  return typeof header === 'string' ? header : /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The account of a developer API token. */
export function requireDeveloper(request: ApiRequest, scope: string): Profile {
  const grant = findGrant(request.state, 'TikTok', tokenIn(request))
  const profile = grant && profileOfGrant(request, grant)
  if (!grant || !profile || endReasonOf(request.state, grant)) {
    refuseDeveloper(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
  }
  if (!grant.scopes.includes(scope))
    refuseDeveloper(401, 'scope_not_authorized', `The user did not authorize ${scope}.`)
  return profile
}

/** The account of a business API token, which must match `business_id`. */
export function requireBusiness(request: ApiRequest, scope: string): Profile {
  if (request.headers['access-token'] === undefined) refuseBusiness(40104, 'The access token is empty.')
  const grant = findGrant(request.state, 'TikTok', tokenIn(request))
  const endReason = grant && endReasonOf(request.state, grant)
  if (endReason === 'expired') refuseBusiness(40102, 'The access token has expired.')
  const profile = grant && profileOfGrant(request, grant)
  if (!grant || endReason || !profile) refuseBusiness(40105, 'The access token is not valid.')
  requireScope(request, scope)
  if (textOf(request, 'business_id') !== profile.id) refuseBusiness(40002, 'business_id is not the authorized account.')
  return profile
}

/** Rejects a request or field that needs a scope which was not granted. */
export function requireScope(request: ApiRequest, scope: string) {
  const grant = findGrant(request.state, 'TikTok', tokenIn(request))
  if (!grant?.scopes.includes(scope)) refuseBusiness(40001, `No permission: ${scope} was not granted.`)
}

export const profileOf = (request: ApiRequest) => {
  const grant = findGrant(request.state, 'TikTok', tokenIn(request))
  return grant?.profile ?? grant?.account ?? request.state.uploads.get(request.params.upload ?? '')?.profile
}

export function guard(request: ApiRequest, { path }: Route) {
  const who = profileOf(request)
  const limit = perMinute[path] ?? (path.startsWith('/open_api/') ? 40 : undefined)
  if (who === undefined || limit === undefined) return
  const { allowed } = request.state.rateLimiter.take(
    `TikTok ${path}:${who}`,
    `TikTok ${path}`,
    { limit, windowMs: minute },
    request.state.clock.now(),
  )
  if (!allowed) throw new ApiError(tiktokFaultResponses.rateLimit(request))
}

function profileOfGrant(request: ApiRequest, grant: Grant): Profile | undefined {
  return request.state.profile('TikTok', grant.profile ?? grant.account)
}

const { scopes } = manifests.TikTok

/** TikTok compares complete redirect URIs: absolute, without a query, with a trailing slash. */
export function authorize(request: ApiRequest): ApiResponse {
  const redirectUri = textOf(request, 'redirect_uri') ?? ''
  const unknown = (textOf(request, 'scope') ?? '').split(/[ ,]+/).find((scope) => scope && !scopes.includes(scope))
  if (!/^https?:\/\/[^?#]+\/$/.test(redirectUri)) return errorPage('redirect_uri must end with a slash.')
  if (unknown !== undefined) return errorPage(`The scope ${unknown} is not one of this app.`)
  return consent(request, { network: 'TikTok', clientField: 'client_key', separator: /[ ,]+/ })
}

const errorPage = (problem: string) => html(renderPage('Cannot sign in', `<p>${escapeHtml(problem)}</p>`), 400)

/** POST /v2/oauth/token/: each refresh rotates the refresh token. */
export function developerToken(request: ApiRequest): ApiResponse {
  const refused = (error: string, error_description: string) =>
    json({ error, error_description, log_id: 'sandbox' }, 400)
  if (!isRegisteredClient(request, 'TikTok', 'client_key'))
    return refused('invalid_client', 'Client key or secret is incorrect.')
  if (textOf(request, 'grant_type') === 'refresh_token') {
    const old = findRenewableGrant(request.state, 'TikTok', textOf(request, 'refresh_token'))
    if (!old) return invalidRefreshToken(request)
    return json(tokens(request, renewGrant(request, old, 2 * hour)))
  }
  const { account, scopes } = redeemCode(request, 'TikTok', (problem) =>
    problem === 'verifier'
      ? refused('invalid_request', 'Code verifier or code challenge is invalid.')
      : refused('invalid_grant', 'Authorization code is expired or not right.'),
  )
  return json(
    tokens(
      request,
      issueGrant(request.state, { network: 'TikTok', account, profile: account, scopes, lifetimeMs: 2 * hour }),
    ),
  )
}

export function developerRevoke(request: ApiRequest): ApiResponse {
  const grant = request.state.grants.get(textOf(request, 'token') ?? '')
  if (grant?.network === 'TikTok') request.state.grants.change(grant, { endReason: 'revoked' })
  return json({})
}

/** POST /tt_user/oauth2/token/: the token endpoint of the business API. */
export function businessToken(request: ApiRequest): ApiResponse {
  if (!isRegisteredClient(request, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const refused = () => businessProblem(40110, 'The auth_code is not valid.')
  const { account, scopes } = redeemCode(request, 'TikTok', refused, textOf(request, 'auth_code') ?? '')
  return businessResponse(
    tokens(request, issueGrant(request.state, { network: 'TikTok', account, profile: account, scopes })),
  )
}

export function businessRefresh(request: ApiRequest): ApiResponse {
  if (!isRegisteredClient(request, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const old = findRenewableGrant(request.state, 'TikTok', textOf(request, 'refresh_token'))
  return old ? businessResponse(tokens(request, renewGrant(request, old))) : invalidRefreshToken(request)
}

/** POST /tt_user/token_info/get/: the scopes of a token. */
export function businessTokenInfo(request: ApiRequest): ApiResponse {
  if (textOf(request, 'app_id') !== apps.TikTok.id) return businessProblem(40001, 'app_id is incorrect.')
  const grant = findGrant(request.state, 'TikTok', textOf(request, 'access_token'))
  const endReason = grant && endReasonOf(request.state, grant)
  if (endReason === 'expired') return businessProblem(40102, 'The access token has expired.')
  if (!grant || endReason) return businessProblem(40105, 'The access token is not valid.')
  return businessResponse({ app_id: grant.app, creator_id: grant.account, scope: grant.scopes.join(',') })
}

export function businessRevoke(request: ApiRequest): ApiResponse {
  const grant = request.state.grants.get(textOf(request, 'access_token') ?? '')
  if (grant?.network !== 'TikTok') return businessProblem(40105, 'The access token is not valid.')
  request.state.grants.change(grant, { endReason: 'revoked' })
  return businessResponse({})
}

function renewGrant(request: ApiRequest, old: Grant, lifetimeMs?: number): Grant {
  request.state.grants.change(old, { endReason: 'rotated' })
  const { account, scopes, profile = account, refreshExpiresAt } = old
  return issueGrant(request.state, {
    network: 'TikTok',
    account,
    profile,
    scopes,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    ...(refreshExpiresAt === undefined ? {} : { refreshExpiresAt }),
  })
}

function tokens(request: ApiRequest, grant: Grant) {
  const secondsTo = (time: number | undefined) => Math.floor(((time ?? 0) - request.state.clock.now()) / 1000)
  return {
    access_token: grant.token,
    expires_in: secondsTo(grant.expiresAt),
    refresh_token: grant.refreshToken,
    refresh_expires_in: secondsTo(grant.refreshExpiresAt),
    refresh_token_expires_in: secondsTo(grant.refreshExpiresAt),
    open_id: grant.account,
    scope: grant.scopes.join(','),
    token_type: 'Bearer',
  }
}

const businessBase = '/tiktok/open_api/'
const isBusiness = (request: ApiRequest) => request.path.startsWith(businessBase)

/** The developer API uses HTTP statuses and error names. */
function developerProblem(status: number, code: string, message: string): ApiResponse {
  return json({ data: {}, error: { code, message, log_id: secret('2026') } }, status)
}

/** The business API always responds with 200 and an error number in the body. */
function businessProblem(code: number, message: string): ApiResponse {
  return json({ code, message, request_id: secret('2026'), data: {} })
}

export function refuseDeveloper(status: number, code: string, message: string): never {
  throw new ApiError(developerProblem(status, code, message))
}

export function refuseBusiness(code: number, message: string): never {
  throw new ApiError(businessProblem(code, message))
}

export function developerResponse(data: unknown): ApiResponse {
  return json({ data, error: { code: 'ok', message: '', log_id: secret('2026') } })
}

export function businessResponse(data: unknown): ApiResponse {
  return json({ code: 0, message: 'OK', request_id: secret('2026'), data })
}

/** An error in the format of the API that was called. */
function errorFor(status: number, word: string, number: number, message: string) {
  return (request: ApiRequest) =>
    isBusiness(request) ? businessProblem(number, message) : developerProblem(status, word, message)
}

function invalidRefreshToken(request: ApiRequest): ApiResponse {
  if (isBusiness(request)) return businessProblem(40107, 'The refresh token is not valid.')
  const error_description = 'Refresh token is invalid or expired.'
  return json({ error: 'invalid_grant', error_description, log_id: 'sandbox' }, 400)
}

export const tiktokFaultResponses: FaultResponses = {
  rateLimit: errorFor(429, 'rate_limit_exceeded', 40100, 'Too many requests: the qpm limit is reached.'),
  serverError: errorFor(500, 'internal_error', 50000, 'Internal error. Please retry later.'),
  tokenExpired: (request) =>
    request.operation === 'token'
      ? invalidRefreshToken(request)
      : errorFor(401, 'access_token_invalid', 40102, 'The access token has expired.')(request),
  tokenRevoked: (request) =>
    request.operation === 'token'
      ? invalidRefreshToken(request)
      : errorFor(401, 'access_token_invalid', 40105, 'The access token is not valid.')(request),
  duplicate: errorFor(403, 'spam_risk', 40050, 'Duplicated request.'),
  notReady: errorFor(403, 'spam_risk_too_many_pending_share', 51065, 'The video is still being processed.'),
  unknownPath: errorFor(404, 'invalid_params', 40002, 'Unsupported path.'),
}
