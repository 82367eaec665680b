import { consent, isRegisteredClient, redeemCode } from '../behaviour/oauth.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { type ApiResponse, json, redirect } from '../http/response.ts'
import { linkedinProducts, shareAndSignIn } from '../manifests.ts'
import { endReasonOf, findGrant, findRenewableGrant, issueGrant } from '../state/grants.ts'
import type { Grant } from '../state/rows.ts'
import { invalidGrant } from './protocol.ts'

/** LinkedIn rejects the whole login if one scope is not authorized for the app. */
export function authorize(request: ApiRequest): ApiResponse {
  const unauthorized = unauthorizedScope(
    request.state.products.get('LinkedIn'),
    (textOf(request, 'scope') ?? '').split(/[ ,]+/).filter(Boolean),
  )
  const redirectUri = textOf(request, 'redirect_uri') ?? ''
  if (unauthorized !== undefined && URL.canParse(redirectUri)) {
    const redirectUrl = new URL(redirectUri)
    redirectUrl.searchParams.set('error', 'unauthorized_scope_error')
    redirectUrl.searchParams.set('error_description', `Scope "${unauthorized}" is not authorized for your application`)
    redirectUrl.searchParams.set('state', textOf(request, 'state') ?? '')
    return redirect(redirectUrl.href)
  }
  return consent(request, { network: 'LinkedIn', separator: /[ ,]+/, defaultScopes: ['openid', 'profile'] })
}

const invalidClient = json({ error: 'invalid_client', error_description: 'Client authentication failed' }, 401)

/** POST /oauth/v2/accessToken: redeems a code or a refresh token; refreshing does not extend the refresh token. */
export function exchange(request: ApiRequest): ApiResponse {
  const refused = (error: string, description: string) => json({ error, error_description: description }, 400)
  if (!isRegisteredClient(request, 'LinkedIn')) return invalidClient
  // Only some partner programmes get application tokens.
  if (textOf(request, 'grant_type') === 'client_credentials') {
    const error_description = 'This application is not allowed to create application tokens'
    return json({ error: 'access_denied', error_description }, 401)
  }
  if (textOf(request, 'grant_type') === 'refresh_token') {
    const old = findRenewableGrant(request.state, 'LinkedIn', textOf(request, 'refresh_token'))
    if (!old) return invalidGrant
    const { account, profile, scopes, refreshToken, refreshExpiresAt } = old
    const grantFields = { ...(profile === undefined ? {} : { profile }), ...(refreshToken ? { refreshToken } : {}) }
    const until = refreshExpiresAt === undefined ? {} : { refreshExpiresAt }
    return tokens(
      request,
      issueGrant(request.state, { network: 'LinkedIn', account, scopes, ...grantFields, ...until }),
    )
  }
  const { account, scopes } = redeemCode(request, 'LinkedIn', (problem) => {
    const what = problem === 'redirect' ? 'redirect uri does not match' : 'authorization code not found or expired'
    return refused('invalid_request', `Unable to retrieve access token: ${what}`)
  })
  const withRefresh = isPartner(scopes)
  return tokens(request, issueGrant(request.state, { network: 'LinkedIn', account, scopes, withRefresh }))
}

function tokens(request: ApiRequest, grant: Grant): ApiResponse {
  const secondsTo = (time: number | undefined) => Math.floor(((time ?? 0) - request.state.clock.now()) / 1000)
  return json({
    access_token: grant.token,
    expires_in: secondsTo(grant.expiresAt),
    ...(grant.refreshToken === undefined
      ? {}
      : { refresh_token: grant.refreshToken, refresh_token_expires_in: secondsTo(grant.refreshExpiresAt) }),
    scope: grant.scopes.join(','),
    token_type: 'Bearer',
  })
}

/** POST /oauth/v2/introspectToken: the status of a token of the app. */
export function introspect(request: ApiRequest): ApiResponse {
  if (!isRegisteredClient(request, 'LinkedIn')) return invalidClient
  const grant = findGrant(request.state, 'LinkedIn', textOf(request, 'token'))
  if (!grant) return json({ active: false })
  const endReason = endReasonOf(request.state, grant)
  const inSeconds = (time: number) => Math.floor(time / 1000)
  return json({
    active: endReason === undefined,
    client_id: grant.app,
    authorized_at: inSeconds(grant.issuedAt),
    created_at: inSeconds(grant.issuedAt),
    status: endReason === undefined ? 'active' : endReason === 'expired' ? 'expired' : 'revoked',
    expires_at: inSeconds(grant.expiresAt ?? 0),
    scope: grant.scopes.join(','),
    auth_type: '3L',
  })
}

/** POST /oauth/v2/revoke. */
export function revoke(request: ApiRequest): ApiResponse {
  const grant = request.state.grants.get(textOf(request, 'token') ?? '')
  if (grant?.network === 'LinkedIn') request.state.grants.change(grant, { endReason: 'revoked' })
  return json({})
}

/** The first requested scope that an app with these products does not have. */
function unauthorizedScope(products: string | undefined, requested: readonly string[]): string | undefined {
  const scopes = linkedinProducts[products ?? 'community-management'] ?? []
  return requested.find((scope) => !scopes.includes(scope))
}

/** Only approved marketing partners get refresh tokens, not apps with Share and Sign In only. */
const isPartner = (scopes: readonly string[]) => scopes.some((scope) => !shareAndSignIn.includes(scope))
