import { type Call, Refusal, type Route } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import type { Grant } from '../state/access-rows.ts'
import { minute } from '../state/clock.ts'
import { deathOf, grantOf } from '../state/grants.ts'
import type { Profile } from '../state/rows.ts'
import { refuseBusiness, refuseDeveloper, tiktokAnswers } from './refusals.ts'

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
