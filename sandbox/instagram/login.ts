import { consent, isRegisteredClient, redeemCode } from '../behaviour/oauth.ts'
import { grantFor, invalidScopesPage, ownProfile } from '../graph/access.ts'
import { graphProblem, refuse, tokenProblems, unknownObject } from '../graph/responses.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { apps, manifests } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { endReasonOf, findGrant, issueGrant, longLived } from '../state/grants.ts'
import type { Grant, Item, Profile } from '../state/rows.ts'

export function authorize(request: ApiRequest): ApiResponse {
  return (
    invalidScopesPage(request, manifests.Instagram.scopes) ??
    consent(request, { network: 'Instagram', separator: /[ ,]+/, defaultScopes: manifests.Instagram.scopes })
  )
}

/** POST /oauth/access_token: a code for a one-hour token; errors have a different format. */
export function exchange(request: ApiRequest): ApiResponse {
  const oauthProblem = (message: string) =>
    json({ error_type: 'OAuthException', code: 400, error_message: message }, 400)
  if (!isRegisteredClient(request, 'Instagram')) return oauthProblem('Invalid platform app')
  const { account, scopes } = redeemCode(request, 'Instagram', (problem) => {
    if (problem === 'redirect') return oauthProblem('Error validating verification code: redirect_uri differs.')
    return oauthProblem(`The authorization code is not valid (${problem}).`)
  })
  const { token } = issueGrant(request.state, { network: 'Instagram', account, profile: account, scopes })
  return json({ access_token: token, user_id: account, permissions: scopes })
}

/** GET /access_token: exchanges a short-lived token for a 60-day token. */
export function extendToken(request: ApiRequest): ApiResponse {
  if (textOf(request, 'client_secret') !== apps.Instagram.secret) {
    return graphProblem({ code: 1, message: 'Error validating client secret.', type: 'OAuthException' })
  }
  return longLivedResponse(request, requireGrant(request))
}

/** GET /refresh_access_token: extends a valid long-lived token that is at least a day old by 60 days. */
export function refresh(request: ApiRequest): ApiResponse {
  const grant = requireGrant(request)
  if (!grant.longLived || grant.issuedAt > request.state.clock.now() - day) {
    refuse({
      code: 100,
      message: '(#100) The token must be long-lived and at least 24 hours old.',
      type: 'OAuthException',
    })
  }
  return longLivedResponse(request, grant)
}

function longLivedResponse(request: ApiRequest, { account, profile, scopes }: Grant): ApiResponse {
  const { state } = request
  const grantRequest = { network: 'Instagram', account, scopes, lifetimeMs: longLived } as const
  const grant = issueGrant(state, profile === undefined ? grantRequest : { ...grantRequest, profile })
  state.grants.change(grant, { longLived: true })
  const expires = longLived / 1000
  return json({ access_token: grant.token, token_type: 'bearer', expires_in: expires, permissions: scopes.join(',') })
}

function requireGrant(request: ApiRequest): Grant {
  const grant = findGrant(request.state, 'Instagram', textOf(request, 'access_token'))
  if (!grant) refuse(tokenProblems.invalid)
  const endReason = endReasonOf(request.state, grant)
  if (endReason) refuse(tokenProblems[endReason])
  return grant
}

export type Permission = 'basic' | 'content_publish' | 'manage_comments' | 'manage_insights' | 'manage_messages'

/** The two logins use different scope names. */
function scopeOf(request: ApiRequest, ability: Permission): string {
  return grantFor(request).network === 'Instagram' ? `instagram_business_${ability}` : `instagram_${ability}`
}

export function account(request: ApiRequest, ability: Permission, id = request.params.id ?? ''): Profile {
  const profile = ownProfile(request, 'Instagram', id, scopeOf(request, ability))
  if (ability === 'content_publish' && grantFor(request).network === 'Facebook') requirePublishing(request, profile)
  return profile
}

/** Publishing through the linked page requires a task on it (ig-user/media_publish, read November 2026). */
function requirePublishing({ state }: ApiRequest, { page }: Profile) {
  const tasks = state.profile('Facebook', page ?? '')?.tasks
  if (!tasks || tasks.includes('MANAGE') || tasks.includes('CREATE_CONTENT')) return
  refuse({ code: 200, message: '(#200) This needs the task CREATE_CONTENT on the page.', type: 'OAuthException' })
}

/** The post or comment in the path, and its account. */
export function target(request: ApiRequest, ability: Permission): { item: Item; owner: Profile } {
  grantFor(request)
  const id = request.params.id ?? ''
  const item = request.state.items.live('Instagram', id)
  if (!item) unknownObject(id)
  return { item, owner: account(request, ability, item.profile) }
}
