import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import type { FaultAnswers, Route } from '../http/router.ts'
import { day, minute } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'

const quarter = 15 * minute
const appBearer = 'sandbox-x-app-bearer'

/** Calls per user in a quarter of an hour; the second number, where there is one, is per day. */
const limits: Record<string, [number, number?]> = {
  // And 10,000 a day for the whole app.
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

function bearer(call: Call): string | undefined {
  return /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The account behind the token, when the token lives and was granted enough. */
export function user(call: Call, ...scopes: string[]): Profile {
  const grant = grantOf(call.world, 'Twitter', bearer(call))
  const profile = grant && call.world.profile('Twitter', grant.profile ?? grant.account)
  if (!grant || !profile || deathOf(call.world, grant)) throw new Refusal(unauthorized)
  const missing = scopes.find((scope) => !grant.scopes.includes(scope))
  if (missing) {
    refuse(403, 'Forbidden', `The token was not granted the scope ${missing}.`, 'client-forbidden')
  }
  return profile
}

/** The user in the path must be the one behind the token. */
export function self(call: Call, ...scopes: string[]): Profile {
  const profile = user(call, ...scopes)
  if (call.params.id !== profile.id) {
    refuse(403, 'Forbidden', 'The `id` must be that of the authenticated user.', 'not-authorized-for-resource')
  }
  return profile
}

/** POST /oauth2/token: what the app shows when it speaks for itself. */
export function appToken(call: Call): Answer {
  if (!isOurApp(call, 'Twitter')) {
    const error = { code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }
    return json({ errors: [error] }, 403)
  }
  return json({ token_type: 'bearer', access_token: appBearer })
}

export const isApp = (call: Call) => bearer(call) === appBearer

export function requireApp(call: Call) {
  if (!isApp(call)) throw new Refusal(unauthorized)
}

export const profileOf = (call: Call) => {
  const grant = grantOf(call.world, 'Twitter', bearer(call))
  return grant?.profile ?? grant?.account
}

/** Says on every answer what is left, and refuses when nothing is. */
export function enter(call: Call, { method, path }: Route) {
  const name = `${method} ${path}`
  const [perQuarter, perDay] = limits[name] ?? []
  const who = profileOf(call)
  if (perQuarter === undefined || who === undefined) return
  const { rates, clock } = call.world
  const now = clock.now()
  if (name === 'POST /2/tweets') {
    const app = rates.take('X app posts', 'X app posts', { limit: 10_000, windowMs: day }, now)
    call.answerHeaders['x-app-limit-24hour-limit'] = String(app.limit)
    call.answerHeaders['x-app-limit-24hour-remaining'] = String(app.remaining)
    call.answerHeaders['x-app-limit-24hour-reset'] = String(Math.floor(app.resetAt / 1000))
    if (!app.allowed) throw new Refusal(twitterAnswers.rateLimit(call))
  }
  const spans = [
    { prefix: 'x-rate-limit', limit: perQuarter, windowMs: quarter },
    ...(perDay === undefined ? [] : [{ prefix: 'x-user-limit-24hour', limit: perDay, windowMs: day }]),
  ]
  for (const { prefix, limit, windowMs } of spans) {
    const label = windowMs === day ? `${name} daily` : name
    const allowance = rates.take(`${label}:${who}`, label, { limit, windowMs }, now)
    call.answerHeaders[`${prefix}-limit`] = String(allowance.limit)
    call.answerHeaders[`${prefix}-remaining`] = String(allowance.remaining)
    call.answerHeaders[`${prefix}-reset`] = String(Math.floor(allowance.resetAt / 1000))
    if (!allowance.allowed) throw new Refusal(twitterAnswers.rateLimit(call))
  }
}

export function authorize(call: Call): Answer {
  return consent(call, { network: 'Twitter', separator: /[ ,]+/, challengeNeeded: true })
}

/** POST /2/oauth2/token: every refresh gives a new refresh token and kills the old one. */
export function exchange(call: Call): Answer {
  const refused = (error: string, error_description: string, status = 400) => json({ error, error_description }, status)
  if (!isOurApp(call, 'Twitter')) return refused('unauthorized_client', 'Missing valid authorization header', 401)
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'Twitter', textOf(call, 'refresh_token'))
    if (!old) return invalidToken
    call.world.grants.change(old, { death: 'rotated' })
    return tokens(call, renewed(call, old))
  }
  const { account, scopes } = redeem(call, 'Twitter', (problem) =>
    refused(
      'invalid_request',
      `Value passed for the ${problem === 'verifier' ? 'code verifier' : problem === 'redirect' ? 'redirect uri' : 'authorization code'} was invalid.`,
    ),
  )
  const withRefresh = scopes.includes('offline.access')
  return tokens(call, issueGrant(call.world, { network: 'Twitter', account, profile: account, scopes, withRefresh }))
}

/** POST /2/oauth2/revoke takes either token. */
export function revoke(call: Call): Answer {
  const token = textOf(call, 'token')
  const grant = call.world.grants.find(
    (row) => row.network === 'Twitter' && (row.token === token || row.refreshToken === token),
  )
  if (grant) call.world.grants.change(grant, { death: 'revoked' })
  return json({ revoked: true })
}

function renewed(call: Call, { account, scopes, profile = account }: Grant): Grant {
  return issueGrant(call.world, { network: 'Twitter', account, profile, scopes })
}

function tokens(call: Call, { token, expiresAt, refreshToken, scopes }: Grant): Answer {
  return json({
    token_type: 'bearer',
    expires_in: Math.floor(((expiresAt ?? 0) - call.world.clock.now()) / 1000),
    access_token: token,
    scope: scopes.join(' '),
    ...(refreshToken ? { refresh_token: refreshToken } : {}),
  })
}

const types = 'https://api.x.com/2/problems/'
const duplicateText = 'You are not allowed to create a Tweet with duplicate content.'

/** A problem in X's form; `about:blank` is what X writes when it has no name for it. */
export function problem(status: number, title: string, detail: string, type?: string): Answer {
  const value = { title, detail, type: type === undefined ? 'about:blank' : `${types}${type}`, status }
  return json(value, status, { 'content-type': 'application/problem+json' })
}

export function refuse(status: number, title: string, detail: string, type?: string): never {
  throw new Refusal(problem(status, title, detail, type))
}

export function badRequest(message: string, parameters: Record<string, unknown> = {}): never {
  const errors = [{ parameters, message }]
  const title = 'Invalid Request'
  const detail = 'One or more parameters to your request was invalid.'
  throw new Refusal(json({ errors, title, detail, type: `${types}invalid-request` }, 400))
}

export function notFound(what: string, value: string): never {
  refuse(404, 'Not Found Error', `Could not find ${what} with id: [${value}].`, 'resource-not-found')
}

const unauthorized = problem(401, 'Unauthorized', 'Unauthorized')

const invalidToken = json(
  { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
  400,
)

function tokenProblem(call: Call): Answer {
  return call.operation === 'token' ? invalidToken : unauthorized
}

export const twitterAnswers: FaultAnswers = {
  rateLimit: (call) => {
    call.answerHeaders['x-rate-limit-remaining'] = '0'
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
  unknownPath: (call) => problem(404, 'Not Found', `Nothing under ${call.path}`, 'resource-not-found'),
}
