import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import type { FaultAnswers, Route } from '../http/router.ts'
import { day, hour } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'

const scopePrefix = 'https://www.googleapis.com/auth/'

function bearer(call: Call): string | undefined {
  return /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The channel behind the token; any of the scopes is enough. */
export function channel(call: Call, ...anyScope: string[]): Profile {
  const grant = grantOf(call.world, 'YouTube', bearer(call))
  const profile = grant && call.world.profile('YouTube', grant.profile ?? grant.account)
  if (!grant || !profile || deathOf(call.world, grant)) throw new Refusal(unauthorized)
  if (anyScope.length && !anyScope.some((scope) => grant.scopes.includes(scopePrefix + scope))) {
    refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', 'global')
  }
  return profile
}

/** An upload session belongs to its channel even when the token does not come with the bytes. */
export const profileOf = (call: Call) => {
  const grant = grantOf(call.world, 'YouTube', bearer(call))
  return grant?.profile ?? grant?.account ?? call.world.uploads.get(call.query.get('upload_id') ?? '')?.profile
}

/** Calls cost units of the project's day, which ends at midnight in California. */
export function enter(call: Call, { method, path }: Route) {
  if (!path.startsWith('/v3/') && !path.startsWith('/upload/v3/')) return
  // The bytes of an opened upload cost nothing more.
  if (method === 'PUT') return
  const { rates, charges, clock } = call.world
  const { bucket, limit, cost } = bucketOf(method, path)
  const name = `YouTube ${bucket}`
  const { allowed } = rates.take(name, name, { limit, cost, windowMs: day }, inCalifornia(clock.now()))
  if (!allowed) throw new Refusal(youtubeAnswers.rateLimit(call))
  charges.units('YouTube', bucket, cost)
}

/** Uploads and statistics have buckets of their own since June 2026 (developers.google.com, revision history). */
function bucketOf(method: string, path: string) {
  if (path === '/upload/v3/videos') return { bucket: 'uploads', limit: 100, cost: 1 }
  if (path === '/v3/videos:batchGetStats') return { bucket: 'stats', limit: 10_000, cost: 1 }
  return { bucket: 'units', limit: 10_000, cost: method === 'GET' ? 1 : 50 }
}

/** The time as California's clocks show it, summer and winter. */
function inCalifornia(now: number): number {
  const zone = california.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value
  return now - Number(/-(\d+)/.exec(zone ?? '')?.[1]) * hour
}

const california = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'longOffset' })

export function authorize(call: Call): Answer {
  return consent(call, { network: 'YouTube', separator: / +/ })
}

/** POST /token: a refresh answers without a new refresh token; the old one stays good. */
export function exchange(call: Call): Answer {
  const refused = (error: string, error_description: string, status = 400) => json({ error, error_description }, status)
  if (!isOurApp(call, 'YouTube')) return refused('invalid_client', 'The OAuth client was not found.', 401)
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'YouTube', textOf(call, 'refresh_token'))
    if (!old) return invalidGrant
    const { account, scopes, profile = account, refreshToken, refreshExpiresAt } = old
    const kept = { ...(refreshToken ? { refreshToken } : {}), ...(refreshExpiresAt ? { refreshExpiresAt } : {}) }
    return tokens(call, issueGrant(call.world, { network: 'YouTube', account, profile, scopes, ...kept }), false)
  }
  const { account, scopes } = redeem(call, 'YouTube', (problem) =>
    problem === 'redirect'
      ? refused('redirect_uri_mismatch', 'Bad Request')
      : refused('invalid_grant', 'Malformed auth code.'),
  )
  return tokens(call, issueGrant(call.world, { network: 'YouTube', account, profile: account, scopes }), true)
}

/** POST /tokeninfo: whose token it is, for what and for how long; the app does not have to prove itself. */
export function tokenInfo(call: Call): Answer {
  const token = /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1] ?? textOf(call, 'access_token')
  const grant = grantOf(call.world, 'YouTube', token)
  if (!grant || deathOf(call.world, grant)) {
    return json({ error: 'invalid_token', error_description: 'Invalid Value' }, 400)
  }
  const left = Math.floor(((grant.expiresAt ?? 0) - call.world.clock.now()) / 1000)
  return json({
    azp: grant.app,
    aud: grant.app,
    scope: grant.scopes.join(' '),
    exp: String(Math.floor((grant.expiresAt ?? 0) / 1000)),
    expires_in: String(left),
    access_type: 'offline',
  })
}

/** POST /revoke takes either token; all of the account's go. */
export function revoke(call: Call): Answer {
  const token = textOf(call, 'token')
  const isIt = (row: Grant) => row.network === 'YouTube' && (row.token === token || row.refreshToken === token)
  const grant = call.world.grants.find(isIt)
  if (!grant) return json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400)
  for (const row of call.world.grants.all()) {
    if (row.network === 'YouTube' && row.account === grant.account) call.world.grants.change(row, { death: 'revoked' })
  }
  return json({})
}

function tokens(call: Call, { token, expiresAt, refreshToken, scopes }: Grant, first: boolean): Answer {
  return json({
    access_token: token,
    expires_in: Math.floor(((expiresAt ?? 0) - call.world.clock.now()) / 1000),
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

/** An error in Google's form; `reason` is what a program goes by. */
function problem(code: number, reason: string, message: string, domain = 'youtube.api'): Answer {
  const errors = [{ message, domain, reason }]
  return json({ error: { code, message, errors, status: names[code] ?? 'INTERNAL' } }, code)
}

export function refuse(code: number, reason: string, message: string, domain?: string): never {
  throw new Refusal(problem(code, reason, message, domain))
}

const unauthorized = problem(401, 'authError', 'Request had invalid authentication credentials.', 'global')

const invalidGrant = json({ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }, 400)

function tokenProblem(call: Call): Answer {
  return call.operation === 'token' ? invalidGrant : unauthorized
}

export const youtubeAnswers: FaultAnswers = {
  rateLimit: () =>
    problem(403, 'quotaExceeded', 'The request cannot be completed because the quota is used up.', 'youtube.quota'),
  serverError: () => problem(503, 'backendError', 'Backend Error', 'global'),
  tokenExpired: tokenProblem,
  tokenRevoked: tokenProblem,
  duplicate: () => problem(409, 'duplicate', 'The same content is there already.'),
  notReady: () => problem(409, 'processingFailure', 'The video is still being processed.'),
  unknownPath: (call) => problem(404, 'notFound', `Nothing under ${call.path}`, 'global'),
}
