import type { Call } from '../http/request.ts'
import { deepText, textOf } from '../http/request.ts'
import { Refusal } from '../http/response.ts'
import type { Route } from '../http/router.ts'
import { day } from '../state/clock.ts'
import { deathOf, grantOf } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'

import { idOf, linkedinAnswers, listed, refuse, tokenProblems } from './protocol.ts'

export function bearer(call: Call): string | undefined {
  return /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The caller's living token; every token is a member's, and reaches the pages that member runs. */
export function grantFor(call: Call, ...anyScope: string[]): Grant {
  const grant = grantOf(call.world, 'LinkedIn', bearer(call))
  if (!grant) throw new Refusal(tokenProblems.invalid)
  const death = deathOf(call.world, grant)
  if (death) throw new Refusal(death === 'expired' ? tokenProblems.expired : tokenProblems.revoked)
  if (anyScope.length && !anyScope.some((scope) => grant.scopes.includes(scope))) denied()
  return grant
}

/** To post and to read posts; to comment and react, and to read that; to administer a page, which needs the role. */
type Right = 'w' | 'r' | 'w_feed' | 'r_feed' | 'admin'

/** The page or member that a URN names, when the caller may act for it. */
export function actor(call: Call, urn: string | undefined, right: Right = 'w'): Profile {
  const grant = grantFor(call)
  const profile = call.world.profile('LinkedIn', idOf(urn ?? ''))
  if (!profile || profile.account !== grant.account) return denied()
  const whose = profile.kind === 'member' ? 'member' : 'organization'
  if (right === 'admin') {
    grantFor(call, 'rw_organization_admin')
    if (roleOf(profile) !== 'ADMINISTRATOR') denied()
  } else if (right === 'w_feed' || right === 'r_feed') grantFor(call, `${right[0]}_${whose}_social_feed`)
  else grantFor(call, `${right}_${whose}_social`)
  if (right.startsWith('w') && !postingRoles.includes(roleOf(profile))) denied()
  return profile
}

/** Analysts and curators read; the other roles are for advertising (organization-access-control-by-role, li-lms-2026-03). */
const postingRoles = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'RECRUITING_POSTER']

/** What a page lets its owner do. */
export const roleOf = ({ role = 'ADMINISTRATOR' }: Profile) => role

/** Apps in the Development tier of Community Management may not ask for many things at once. */
export function requireBatches(call: Call) {
  const { account } = grantFor(call)
  if (call.world.profile('LinkedIn', account)?.tier === 'development') denied()
}

export function denied(): never {
  refuse(403, 'ACCESS_DENIED', 'Not enough permissions to access this resource', 100)
}

/** Versions, then the day's quotas. */
export function enter(call: Call, route: Route) {
  call.answerHeaders['x-li-uuid'] = 'AAYsandbox'
  call.answerHeaders['x-li-fabric'] = 'sandbox'
  if (route.path.startsWith('/rest/')) checkVersion(call)
  const profile = profileOf(call)
  if (profile === undefined) return
  const { rates, clock } = call.world
  const limit = call.operation === 'publish' ? 150 : 100_000
  const name = `LinkedIn ${call.operation === 'publish' ? 'posts' : 'calls'}`
  const { allowed } = rates.take(`${name}:${profile}`, name, { limit, windowMs: day }, clock.now())
  if (!allowed) throw new Refusal(linkedinAnswers.rateLimit(call))
}

/** A version lives from its month to the sixteenth of the same month a year later. */
function checkVersion(call: Call) {
  const version = String(call.headers['linkedin-version'] ?? '')
  if (!version) refuse(400, 'VERSION_MISSING', 'A version must be present. Add the LinkedIn-Version header.')
  const [, year, month] = /^(\d{4})(\d{2})$/.exec(version) ?? []
  if (!year || !month || Number(month) < 1 || Number(month) > 12) {
    refuse(400, 'INVALID_VERSION', `The version ${version} is not of the form YYYYMM`)
  }
  const now = call.world.clock.now()
  const born = Date.UTC(Number(year), Number(month) - 1, 1)
  const sunset = Date.UTC(Number(year) + 1, Number(month) - 1, 16)
  if (now < born || now >= sunset) refuse(426, 'NONEXISTENT_VERSION', `Requested version ${version}01 is not active`)
  const restli = call.headers['x-restli-protocol-version']
  if (restli !== undefined && restli !== '2.0.0') refuse(400, 'INVALID_RESTLI_VERSION', 'Only protocol 2.0.0 is served')
}

/** The page or member a call is about: whoever acts, else whoever is asked about, else the member itself. */
export function profileOf(call: Call): string | undefined {
  const named =
    textOf(call, 'author') ??
    textOf(call, 'actor') ??
    textOf(call, 'sender') ??
    textOf(call, 'owner') ??
    deepText(call, 'initializeUploadRequest', 'owner') ??
    textOf(call, 'organizationalEntity') ??
    call.params.urn
  const profile = call.world.profile('LinkedIn', idOf(listed(named)[0] ?? ''))
  const item = named === undefined ? undefined : call.world.items.live('LinkedIn', named)
  const grant = grantOf(call.world, 'LinkedIn', bearer(call))
  const upload = call.world.uploads.get(call.params.urn ?? '')
  return profile?.id ?? item?.profile ?? upload?.profile ?? grant?.profile ?? grant?.account
}
