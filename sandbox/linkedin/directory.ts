import { followersOf } from '../behaviour/metrics.ts'
import type { Call } from '../http/request.ts'
import { numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { nameParts, seenPerson } from '../state/items.ts'
import type { Account, Person, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'
import { grantFor, requireBatches, roleOf } from './access.ts'
import { idOf, listed, missing, refuse } from './protocol.ts'

/** GET /v2/userinfo: for apps that people sign in with by OpenID Connect. */
export function userinfo(call: Call): Answer {
  grantFor(call, 'openid')
  const { id, name, email } = member(call)
  const { first, last } = nameParts(name)
  const picture = `${call.origin}/linkedin/profiles/${id}/picture`
  return json({ sub: id, name, given_name: first, family_name: last, picture, email, email_verified: true })
}

/** GET /v2/me: the picture only where a projection asks for its streams. */
export function me(call: Call): Answer {
  grantFor(call, 'r_basicprofile')
  const own = member(call)
  const displayImage = `urn:li:digitalmediaAsset:${own.id}`
  const identifiers = [{ identifier: `${call.origin}/linkedin/profiles/${own.id}/picture` }]
  const withStreams = (textOf(call, 'projection') ?? '').includes('displayImage~:playableStreams')
  const streams = withStreams ? { 'displayImage~': { elements: [{ identifiers }] } } : {}
  return json({ ...named(own), profilePicture: { displayImage, ...streams } })
}

/** GET /rest/organizationAcls?q=roleAssignee: the pages the member runs. */
export function organizationAcls(call: Call): Answer {
  const { account } = grantFor(call, 'rw_organization_admin', 'r_organization_admin')
  const elements = pagesOf(call, account).map((page) => ({
    organization: `urn:li:organization:${page.id}`,
    organizationTarget: `urn:li:organization:${page.id}`,
    roleAssignee: `urn:li:person:${account}`,
    role: roleOf(page),
    state: 'APPROVED',
  }))
  const start = numberOf(call, 'start') ?? 0
  const count = numberOf(call, 'count') ?? 10
  return json({
    elements: elements.slice(start, start + count),
    paging: { start, count, total: elements.length, links: [] },
  })
}

export function organization(call: Call): Answer {
  grantFor(call)
  const page = call.world.profile('LinkedIn', idOf(call.params.id ?? ''))
  if (!page || page.kind === 'member') missing('the organization')
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

export function networkSize(call: Call): Answer {
  grantFor(call, 'rw_organization_admin', 'r_organization_admin')
  const page = call.world.profile('LinkedIn', idOf(call.params.urn ?? ''))
  if (!page) missing('the organization')
  if (textOf(call, 'edgeType') !== 'COMPANY_FOLLOWED_BY_MEMBER') {
    refuse(400, 'ILLEGAL_ARGUMENT', 'edgeType must be COMPANY_FOLLOWED_BY_MEMBER')
  }
  return json({ firstDegreeSize: followersOf(call.world, page) })
}

/** GET /rest/memberFollowersCount?q=me. */
export function memberFollowers(call: Call): Answer {
  const profile = call.world.profile('LinkedIn', grantFor(call, 'r_member_profileAnalytics').account)
  if (!profile) missing('the member')
  return json({ elements: [{ memberFollowersCount: followersOf(call.world, profile) }] })
}

/** GET /rest/people/(id:…): whoever was seen in the sandbox. */
export function person(call: Call): Answer {
  grantFor(call)
  const seen = personWith(call, call.params.key ?? '')
  if (!seen) missing('the person')
  return json(named(seen))
}

/** GET /rest/people?ids=List((id:…),…): who is not known is named among the errors. */
export function people(call: Call): Answer {
  requireBatches(call)
  const found = listed(textOf(call, 'ids')).map((key) => [key, personWith(call, key)] as const)
  const results = found.flatMap(([key, seen]) => (seen ? [[key, named(seen)]] : []))
  const errors = found.flatMap(([key, seen]) => (seen ? [] : [[key, { status: 404, message: 'Not found' }]]))
  return json({ results: Object.fromEntries(results), errors: Object.fromEntries(errors), statuses: {} })
}

function personWith(call: Call, key: string): Account | Person | undefined {
  const id = idOf(key.replace(/^\(id:|\)$/g, ''))
  return call.world.accounts.get(keyOf('LinkedIn', id)) ?? seenPerson(call.world, 'LinkedIn', id)
}

function named({ id, name, username }: Account | Person) {
  const { first, last } = nameParts(name)
  return { id, localizedFirstName: first, localizedLastName: last, vanityName: username ?? id }
}

function member(call: Call): Account {
  const account = call.world.accounts.get(keyOf('LinkedIn', grantFor(call).account))
  if (!account) missing('the member')
  return account
}

function pagesOf(call: Call, account: string): Profile[] {
  return call.world.profiles
    .all()
    .filter((profile) => profile.network === 'LinkedIn' && profile.kind === 'page' && profile.account === account)
}
