import { followersOf } from '../behaviour/metrics.ts'
import { type ApiRequest, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { findPerson, splitName } from '../state/items.ts'
import type { Account, Person, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'
import { grantFor, requireBatchAccess, roleOf } from './access.ts'
import { idOf, notFound, parseList, refuse } from './protocol.ts'

/** GET /v2/userinfo: OpenID Connect user info. */
export function userinfo(request: ApiRequest): ApiResponse {
  grantFor(request, 'openid')
  const { id, name, email } = member(request)
  const { first, last } = splitName(name)
  const picture = `${request.origin}/linkedin/profiles/${id}/picture`
  return json({ sub: id, name, given_name: first, family_name: last, picture, email, email_verified: true })
}

/** GET /v2/me: includes the picture only if the projection requests its streams. */
export function me(request: ApiRequest): ApiResponse {
  grantFor(request, 'r_basicprofile')
  const own = member(request)
  const displayImage = `urn:li:digitalmediaAsset:${own.id}`
  const identifiers = [{ identifier: `${request.origin}/linkedin/profiles/${own.id}/picture` }]
  const withStreams = (textOf(request, 'projection') ?? '').includes('displayImage~:playableStreams')
  const streams = withStreams ? { 'displayImage~': { elements: [{ identifiers }] } } : {}
  return json({ ...named(own), profilePicture: { displayImage, ...streams } })
}

/** GET /rest/organizationAcls?q=roleAssignee: the pages where the member has a role. */
export function organizationAcls(request: ApiRequest): ApiResponse {
  const { account } = grantFor(request, 'rw_organization_admin', 'r_organization_admin')
  const elements = pagesOf(request, account).map((page) => ({
    organization: `urn:li:organization:${page.id}`,
    organizationTarget: `urn:li:organization:${page.id}`,
    roleAssignee: `urn:li:person:${account}`,
    role: roleOf(page),
    state: 'APPROVED',
  }))
  const start = numberOf(request, 'start') ?? 0
  const count = numberOf(request, 'count') ?? 10
  return json({
    elements: elements.slice(start, start + count),
    paging: { start, count, total: elements.length, links: [] },
  })
}

export function organization(request: ApiRequest): ApiResponse {
  grantFor(request)
  const page = request.state.profile('LinkedIn', idOf(request.params.id ?? ''))
  if (!page || page.kind === 'member') notFound('the organization')
  return json({
    id: Number(page.id),
    $URN: `urn:li:organization:${page.id}`,
    localizedName: page.name,
    vanityName: page.username,
    name: { localized: { en_US: page.name }, preferredLocale: { country: 'US', language: 'en' } },
    logoV2: { original: `urn:li:digitalmediaAsset:${page.id}` },
    primaryOrganizationType: 'NONE',
  })
}

export function networkSize(request: ApiRequest): ApiResponse {
  grantFor(request, 'rw_organization_admin', 'r_organization_admin')
  const page = request.state.profile('LinkedIn', idOf(request.params.urn ?? ''))
  if (!page) notFound('the organization')
  if (textOf(request, 'edgeType') !== 'COMPANY_FOLLOWED_BY_MEMBER') {
    refuse(400, 'ILLEGAL_ARGUMENT', 'edgeType must be COMPANY_FOLLOWED_BY_MEMBER')
  }
  return json({ firstDegreeSize: followersOf(request.state, page) })
}

/** GET /rest/memberFollowersCount?q=me. */
export function memberFollowers(request: ApiRequest): ApiResponse {
  const profile = request.state.profile('LinkedIn', grantFor(request, 'r_member_profileAnalytics').account)
  if (!profile) notFound('the member')
  return json({ elements: [{ memberFollowersCount: followersOf(request.state, profile) }] })
}

/** GET /rest/people/(id:…): any known person. */
export function person(request: ApiRequest): ApiResponse {
  grantFor(request)
  const found = personWith(request, request.params.key ?? '')
  if (!found) notFound('the person')
  return json(named(found))
}

/** GET /rest/people?ids=List((id:…),…): unknown ids are listed in `errors`. */
export function people(request: ApiRequest): ApiResponse {
  requireBatchAccess(request)
  const found = parseList(textOf(request, 'ids')).map((key) => [key, personWith(request, key)] as const)
  const results = found.flatMap(([key, found]) => (found ? [[key, named(found)]] : []))
  const errors = found.flatMap(([key, found]) => (found ? [] : [[key, { status: 404, message: 'Not found' }]]))
  return json({ results: Object.fromEntries(results), errors: Object.fromEntries(errors), statuses: {} })
}

function personWith(request: ApiRequest, key: string): Account | Person | undefined {
  const id = idOf(key.replace(/^\(id:|\)$/g, ''))
  return request.state.accounts.get(keyOf('LinkedIn', id)) ?? findPerson(request.state, 'LinkedIn', id)
}

function named({ id, name, username }: Account | Person) {
  const { first, last } = splitName(name)
  return { id, localizedFirstName: first, localizedLastName: last, vanityName: username ?? id }
}

function member(request: ApiRequest): Account {
  const account = request.state.accounts.get(keyOf('LinkedIn', grantFor(request).account))
  if (!account) notFound('the member')
  return account
}

function pagesOf(request: ApiRequest, account: string): Profile[] {
  return request.state.profiles
    .all()
    .filter((profile) => profile.network === 'LinkedIn' && profile.kind === 'page' && profile.account === account)
}
