import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, escaped, html, json, page, Refusal } from '../http/response.ts'
import type { FaultAnswers, Route } from '../http/router.ts'
import { apps, TikTok } from '../manifests.ts'
import { hour, minute } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import { secret } from '../state/ids.ts'
import type { Grant, Profile } from '../state/rows.ts'

/** Calls per minute and token; the business API counts forty per account and path. */
const perMinute: Record<string, number> = {
  '/v2/post/publish/video/init': 6,
  '/v2/post/publish/content/init': 6,
  '/v2/post/publish/status/fetch': 30,
  '/v2/user/info': 600,
  '/v2/video/query': 600,
  '/v2/video/list': 600,
}

function tokenIn(call: Call): string | undefined {
  const header = call.headers['access-token']
  return typeof header === 'string' ? header : /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The account behind a bearer token of the developer API. */
export function developer(call: Call, scope: string): Profile {
  const grant = grantOf(call.world, 'TikTok', tokenIn(call))
  const profile = grant && profileBehind(call, grant)
  if (!grant || !profile || deathOf(call.world, grant)) {
    refuseDeveloper(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
  }
  if (!grant.scopes.includes(scope))
    refuseDeveloper(401, 'scope_not_authorized', `The user did not authorize ${scope}.`)
  return profile
}

/** The account behind an `Access-Token` of the business API, which must be the one named in the call. */
export function business(call: Call, scope: string): Profile {
  if (call.headers['access-token'] === undefined) refuseBusiness(40104, 'The access token is empty.')
  const grant = grantOf(call.world, 'TikTok', tokenIn(call))
  const death = grant && deathOf(call.world, grant)
  if (death === 'expired') refuseBusiness(40102, 'The access token has expired.')
  const profile = grant && profileBehind(call, grant)
  if (!grant || death || !profile) refuseBusiness(40105, 'The access token is not valid.')
  requireScope(call, scope)
  if (textOf(call, 'business_id') !== profile.id) refuseBusiness(40002, 'business_id is not the authorized account.')
  return profile
}

/** Refuses a call, or a field of it, that needs a permission the owner did not give. */
export function requireScope(call: Call, scope: string) {
  const grant = grantOf(call.world, 'TikTok', tokenIn(call))
  if (!grant?.scopes.includes(scope)) refuseBusiness(40001, `No permission: ${scope} was not granted.`)
}

export const profileOf = (call: Call) => {
  const grant = grantOf(call.world, 'TikTok', tokenIn(call))
  return grant?.profile ?? grant?.account ?? call.world.uploads.get(call.params.upload ?? '')?.profile
}

export function enter(call: Call, { path }: Route) {
  const who = profileOf(call)
  const limit = perMinute[path] ?? (path.startsWith('/open_api/') ? 40 : undefined)
  if (who === undefined || limit === undefined) return
  const { allowed } = call.world.rates.take(
    `TikTok ${path}:${who}`,
    `TikTok ${path}`,
    { limit, windowMs: minute },
    call.world.clock.now(),
  )
  if (!allowed) throw new Refusal(tiktokAnswers.rateLimit(call))
}

function profileBehind(call: Call, grant: Grant): Profile | undefined {
  return call.world.profile('TikTok', grant.profile ?? grant.account)
}

const { scopes } = TikTok

/** TikTok registers and compares whole addresses: absolute, without a query, and with a slash at the end. */
export function authorize(call: Call): Answer {
  const redirectUri = textOf(call, 'redirect_uri') ?? ''
  const unknown = (textOf(call, 'scope') ?? '').split(/[ ,]+/).find((scope) => scope && !scopes.includes(scope))
  if (!/^https?:\/\/[^?#]+\/$/.test(redirectUri)) return refusedPage('redirect_uri must end with a slash.')
  if (unknown !== undefined) return refusedPage(`The scope ${unknown} is not one of this app.`)
  return consent(call, { network: 'TikTok', clientField: 'client_key', separator: /[ ,]+/ })
}

const refusedPage = (problem: string) => html(page('Cannot sign in', `<p>${escaped(problem)}</p>`), 400)

/** POST /v2/oauth/token/: each refresh gives a new refresh token, and the old one dies. */
export function developerToken(call: Call): Answer {
  const refused = (error: string, error_description: string) =>
    json({ error, error_description, log_id: 'sandbox' }, 400)
  if (!isOurApp(call, 'TikTok', 'client_key')) return refused('invalid_client', 'Client key or secret is incorrect.')
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'TikTok', textOf(call, 'refresh_token'))
    if (!old) return refreshRefused(call)
    return json(tokens(call, renewed(call, old, 2 * hour)))
  }
  const { account, scopes } = redeem(call, 'TikTok', (problem) =>
    problem === 'verifier'
      ? refused('invalid_request', 'Code verifier or code challenge is invalid.')
      : refused('invalid_grant', 'Authorization code is expired or not right.'),
  )
  return json(
    tokens(
      call,
      issueGrant(call.world, { network: 'TikTok', account, profile: account, scopes, lifetimeMs: 2 * hour }),
    ),
  )
}

export function developerRevoke(call: Call): Answer {
  const grant = call.world.grants.get(textOf(call, 'token') ?? '')
  if (grant?.network === 'TikTok') call.world.grants.change(grant, { death: 'revoked' })
  return json({})
}

/** POST /tt_user/oauth2/token/: the business API's way to the same. */
export function businessToken(call: Call): Answer {
  if (!isOurApp(call, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const refused = () => businessProblem(40110, 'The auth_code is not valid.')
  const { account, scopes } = redeem(call, 'TikTok', refused, textOf(call, 'auth_code') ?? '')
  return businessAnswer(tokens(call, issueGrant(call.world, { network: 'TikTok', account, profile: account, scopes })))
}

export function businessRefresh(call: Call): Answer {
  if (!isOurApp(call, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const old = renewable(call.world, 'TikTok', textOf(call, 'refresh_token'))
  return old ? businessAnswer(tokens(call, renewed(call, old))) : refreshRefused(call)
}

/** POST /tt_user/token_info/get/: what the owner of a token allowed. */
export function businessTokenInfo(call: Call): Answer {
  if (textOf(call, 'app_id') !== apps.TikTok.id) return businessProblem(40001, 'app_id is incorrect.')
  const grant = grantOf(call.world, 'TikTok', textOf(call, 'access_token'))
  const death = grant && deathOf(call.world, grant)
  if (death === 'expired') return businessProblem(40102, 'The access token has expired.')
  if (!grant || death) return businessProblem(40105, 'The access token is not valid.')
  return businessAnswer({ app_id: grant.app, creator_id: grant.account, scope: grant.scopes.join(',') })
}

export function businessRevoke(call: Call): Answer {
  const grant = call.world.grants.get(textOf(call, 'access_token') ?? '')
  if (grant?.network !== 'TikTok') return businessProblem(40105, 'The access token is not valid.')
  call.world.grants.change(grant, { death: 'revoked' })
  return businessAnswer({})
}

function renewed(call: Call, old: Grant, lifetimeMs?: number): Grant {
  call.world.grants.change(old, { death: 'rotated' })
  const { account, scopes, profile = account, refreshExpiresAt } = old
  return issueGrant(call.world, {
    network: 'TikTok',
    account,
    profile,
    scopes,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    ...(refreshExpiresAt === undefined ? {} : { refreshExpiresAt }),
  })
}

function tokens(call: Call, grant: Grant) {
  const secondsTo = (time: number | undefined) => Math.floor(((time ?? 0) - call.world.clock.now()) / 1000)
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
const isBusiness = (call: Call) => call.path.startsWith(businessBase)

/** The developer API speaks in HTTP statuses and words. */
function developerProblem(status: number, code: string, message: string): Answer {
  return json({ data: {}, error: { code, message, log_id: secret('2026') } }, status)
}

/** The business API answers 200 to everything and puts a number inside. */
function businessProblem(code: number, message: string): Answer {
  return json({ code, message, request_id: secret('2026'), data: {} })
}

export function refuseDeveloper(status: number, code: string, message: string): never {
  throw new Refusal(developerProblem(status, code, message))
}

export function refuseBusiness(code: number, message: string): never {
  throw new Refusal(businessProblem(code, message))
}

export function developerAnswer(data: unknown): Answer {
  return json({ data, error: { code: 'ok', message: '', log_id: secret('2026') } })
}

export function businessAnswer(data: unknown): Answer {
  return json({ code: 0, message: 'OK', request_id: secret('2026'), data })
}

/** Each fault twice: as the one API says it, and as the other. */
function either(status: number, word: string, number: number, message: string) {
  return (call: Call) => (isBusiness(call) ? businessProblem(number, message) : developerProblem(status, word, message))
}

function refreshRefused(call: Call): Answer {
  if (isBusiness(call)) return businessProblem(40107, 'The refresh token is not valid.')
  const error_description = 'Refresh token is invalid or expired.'
  return json({ error: 'invalid_grant', error_description, log_id: 'sandbox' }, 400)
}

export const tiktokAnswers: FaultAnswers = {
  rateLimit: either(429, 'rate_limit_exceeded', 40100, 'Too many requests: the qpm limit is reached.'),
  serverError: either(500, 'internal_error', 50000, 'Internal error. Please retry later.'),
  tokenExpired: (call) =>
    call.operation === 'token'
      ? refreshRefused(call)
      : either(401, 'access_token_invalid', 40102, 'The access token has expired.')(call),
  tokenRevoked: (call) =>
    call.operation === 'token'
      ? refreshRefused(call)
      : either(401, 'access_token_invalid', 40105, 'The access token is not valid.')(call),
  duplicate: either(403, 'spam_risk', 40050, 'Duplicated request.'),
  notReady: either(403, 'spam_risk_too_many_pending_share', 51065, 'The video is still being processed.'),
  unknownPath: either(404, 'invalid_params', 40002, 'Unsupported path.'),
}
