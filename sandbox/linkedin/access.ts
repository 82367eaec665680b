import { type ApiRequest, nestedText, textOf } from '../http/request.ts'
import { ApiError } from '../http/response.ts'
import type { Route } from '../http/router.ts'
import { day } from '../state/clock.ts'
import { endReasonOf, findGrant } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'
import { idOf, linkedinFaultResponses, parseList, refuse, tokenProblems } from './protocol.ts'

export function bearer(request: ApiRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** The valid grant of the caller; every token belongs to a member and covers the pages they manage. */
export function grantFor(request: ApiRequest, ...anyScope: string[]): Grant {
  const grant = findGrant(request.state, 'LinkedIn', bearer(request))
  if (!grant) throw new ApiError(tokenProblems.invalid)
  const endReason = endReasonOf(request.state, grant)
  if (endReason) throw new ApiError(endReason === 'expired' ? tokenProblems.expired : tokenProblems.revoked)
  if (anyScope.length && !anyScope.some((scope) => grant.scopes.includes(scope))) denied()
  return grant
}

/** Write or read posts; write or read comments and reactions; administer a page. */
type Permission = 'w' | 'r' | 'w_feed' | 'r_feed' | 'admin'

/** The page or member of a URN, if the caller may act for it. */
export function actor(request: ApiRequest, urn: string | undefined, permission: Permission = 'w'): Profile {
  const grant = grantFor(request)
  const profile = request.state.profile('LinkedIn', idOf(urn ?? ''))
  if (!profile || profile.account !== grant.account) return denied()
  const owner = profile.kind === 'member' ? 'member' : 'organization'
  if (permission === 'admin') {
    grantFor(request, 'rw_organization_admin')
    if (roleOf(profile) !== 'ADMINISTRATOR') denied()
  } else if (permission === 'w_feed' || permission === 'r_feed')
    grantFor(request, `${permission[0]}_${owner}_social_feed`)
  else grantFor(request, `${permission}_${owner}_social`)
  if (permission.startsWith('w') && !postingRoles.includes(roleOf(profile))) denied()
  return profile
}

/** Analysts and curators are read-only; other roles are for advertising (organization-access-control-by-role, li-lms-2026-03). */
const postingRoles = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'RECRUITING_POSTER']

export const roleOf = ({ role = 'ADMINISTRATOR' }: Profile) => role

/** Apps in the Development tier of Community Management have no batch requests. */
export function requireBatchAccess(request: ApiRequest) {
  const { account } = grantFor(request)
  if (request.state.profile('LinkedIn', account)?.tier === 'development') denied()
}

export function denied(): never {
  refuse(403, 'ACCESS_DENIED', 'Not enough permissions to access this resource', 100)
}

/** Checks the API version, then the daily quota. */
export function guard(request: ApiRequest, route: Route) {
  request.responseHeaders['x-li-uuid'] = 'AAYsandbox'
  request.responseHeaders['x-li-fabric'] = 'sandbox'
  if (route.path.startsWith('/rest/')) checkVersion(request)
  const profile = profileOf(request)
  if (profile === undefined) return
  const { rateLimiter, clock } = request.state
  const limit = request.operation === 'publish' ? 150 : 100_000
  const name = `LinkedIn ${request.operation === 'publish' ? 'posts' : 'calls'}`
  const { allowed } = rateLimiter.take(`${name}:${profile}`, name, { limit, windowMs: day }, clock.now())
  if (!allowed) throw new ApiError(linkedinFaultResponses.rateLimit(request))
}

/** A version is active from its month until the 16th of that month a year later. */
function checkVersion(request: ApiRequest) {
  const version = String(request.headers['linkedin-version'] ?? '')
  if (!version) refuse(400, 'VERSION_MISSING', 'A version must be present. Add the LinkedIn-Version header.')
  const [, year, month] = /^(\d{4})(\d{2})$/.exec(version) ?? []
  if (!year || !month || Number(month) < 1 || Number(month) > 12) {
    refuse(400, 'INVALID_VERSION', `The version ${version} is not of the form YYYYMM`)
  }
  const now = request.state.clock.now()
  const activeFrom = Date.UTC(Number(year), Number(month) - 1, 1)
  const activeUntil = Date.UTC(Number(year) + 1, Number(month) - 1, 16)
  if (now < activeFrom || now >= activeUntil)
    refuse(426, 'NONEXISTENT_VERSION', `Requested version ${version}01 is not active`)
  const restli = request.headers['x-restli-protocol-version']
  if (restli !== undefined && restli !== '2.0.0') refuse(400, 'INVALID_RESTLI_VERSION', 'Only protocol 2.0.0 is served')
}

/** The profile of a request: the actor, else the requested entity, else the authenticated member. */
export function profileOf(request: ApiRequest): string | undefined {
  const named =
    textOf(request, 'author') ??
    textOf(request, 'actor') ??
    textOf(request, 'sender') ??
    textOf(request, 'owner') ??
    nestedText(request, 'initializeUploadRequest', 'owner') ??
    textOf(request, 'organizationalEntity') ??
    request.params.urn
  const profile = request.state.profile('LinkedIn', idOf(parseList(named)[0] ?? ''))
  const item = named === undefined ? undefined : request.state.items.live('LinkedIn', named)
  const grant = findGrant(request.state, 'LinkedIn', bearer(request))
  const upload = request.state.uploads.get(request.params.urn ?? '')
  return profile?.id ?? item?.profile ?? upload?.profile ?? grant?.profile ?? grant?.account
}
