import { consent, redeemCode } from '../behaviour/oauth.ts'
import { grantFor, invalidScopesPage } from '../graph/access.ts'
import { graphProblem, listResponse, refuse, tokenProblems, unknownObject } from '../graph/responses.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { apps, manifests } from '../manifests.ts'
import { endReasonOf, findGrant, issueGrant, longLived } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'

export function authorize(request: ApiRequest): ApiResponse {
  return (
    invalidScopesPage(request, manifests.Facebook.scopes) ??
    consent(request, { network: 'Facebook', separator: /[ ,]+/, defaultScopes: ['public_profile'] })
  )
}

/** Exchanges a code for a short-lived token, a short-lived token for a long-lived one, or the app secret for an app token. */
export function exchange(request: ApiRequest): ApiResponse {
  const { id, secret } = apps.Facebook
  if (textOf(request, 'client_id') !== id) {
    const message = 'Error validating application. Cannot get application info due to a system error.'
    refuse({ code: 101, message, type: 'OAuthException' })
  }
  if (textOf(request, 'client_secret') !== secret) {
    refuse({ code: 1, message: 'Error validating client secret.', type: 'OAuthException' })
  }
  const kind = textOf(request, 'grant_type')
  if (kind === 'client_credentials') return json({ access_token: `${id}|${secret}`, token_type: 'bearer' })
  if (kind === 'fb_exchange_token') return extendToken(request)
  const { account, scopes } = redeemCode(request, 'Facebook', (problem) => {
    const texts = {
      code: [36009, 'This authorization code has been used.'],
      expired: [36007, 'This authorization code has expired.'],
      redirect: [36008, 'Error validating verification code: redirect_uri differs from the one of the dialog.'],
      verifier: [36008, 'Error validating the code verifier.'],
    } as const
    const [subcode, message] = texts[problem]
    return graphProblem({ code: 100, subcode, message, type: 'OAuthException' })
  })
  const grant = issueGrant(request.state, { network: 'Facebook', account, scopes, withRefresh: false })
  return tokenResponse(request, grant)
}

function extendToken(request: ApiRequest): ApiResponse {
  const { state } = request
  const short = findGrant(state, 'Facebook', textOf(request, 'fb_exchange_token'))
  if (short?.kind !== 'user') refuse(tokenProblems.invalid)
  const endReason = endReasonOf(state, short)
  if (endReason) refuse(tokenProblems[endReason])
  const { account, scopes } = short
  const grant = issueGrant(state, { network: 'Facebook', account, scopes, lifetimeMs: longLived })
  return tokenResponse(request, state.grants.change(grant, { longLived: true }))
}

function tokenResponse(request: ApiRequest, { token, expiresAt }: Grant): ApiResponse {
  const seconds = Math.floor(((expiresAt ?? 0) - request.state.clock.now()) / 1000)
  return json({ access_token: token, token_type: 'bearer', expires_in: seconds })
}

export function me(request: ApiRequest): ApiResponse | Profile {
  const grant = grantFor(request)
  const page = grant.profile === undefined ? undefined : request.state.profile('Facebook', grant.profile)
  if (page) return page
  const account = request.state.accounts.get(keyOf('Facebook', grant.account))
  if (!account) refuse(tokenProblems.invalid)
  return json({ id: account.id, name: account.name, email: account.email })
}

export function permissions(request: ApiRequest): ApiResponse {
  return json({ data: grantFor(request).scopes.map((permission) => ({ permission, status: 'granted' })) })
}

/** The user removes the app: user and page tokens are revoked together. */
export function revokePermissions(request: ApiRequest): ApiResponse {
  const { account } = grantFor(request)
  for (const grant of request.state.grants.all()) {
    if (grant.network === 'Facebook' && grant.account === account)
      request.state.grants.change(grant, { endReason: 'revoked' })
  }
  return json({ success: true })
}

export function debugToken(request: ApiRequest): ApiResponse {
  grantFor(request)
  const grant = findGrant(request.state, 'Facebook', textOf(request, 'input_token'))
  if (!grant) {
    const error = { code: 190, message: 'Invalid OAuth access token data.' }
    return json({ data: { error, is_valid: false, scopes: [] } })
  }
  const endReason = endReasonOf(request.state, grant)
  const { code, subcode, message } = { subcode: undefined, ...tokenProblems[endReason ?? 'invalid'] }
  const inSeconds = (time: number) => Math.floor(time / 1000)
  return json({
    data: {
      app_id: grant.app,
      type: grant.kind === 'page' ? 'PAGE' : 'USER',
      is_valid: endReason === undefined,
      ...(endReason && { error: { code, subcode, message } }),
      issued_at: inSeconds(grant.issuedAt),
      expires_at: grant.expiresAt === undefined ? 0 : inSeconds(grant.expiresAt),
      data_access_expires_at: inSeconds(grant.issuedAt + 90 * 86_400_000),
      scopes: grant.scopes,
      user_id: grant.account,
      ...(grant.profile === undefined ? {} : { profile_id: grant.profile }),
    },
  })
}

/** GET /me/accounts: the pages where the user has a role, each with its own token. */
export function pages(request: ApiRequest): ApiResponse {
  return listPages(request, ({ business }) => business === undefined)
}

/** GET /me/businesses: the business portfolios of the user. */
export function businesses(request: ApiRequest): ApiResponse {
  const { account } = grantFor(request, 'business_management')
  const ids = new Set(pagesOf(request, account).flatMap(({ business }) => business ?? []))
  const rows = [...ids].map((id) => ({ id, name: `Business ${id}` }))
  return listResponse(request, rows, (row) => row, 'id,name')
}

/** GET /{business}/owned_pages and /client_pages. */
export const businessPages = (access: 'owned' | 'client') => (request: ApiRequest) => {
  const { account } = grantFor(request, 'business_management')
  const id = request.params.id ?? ''
  if (!pagesOf(request, account).some(({ business }) => business === id)) unknownObject(id)
  return listPages(request, (page) => page.business === id && page.access === access)
}

const allTasks = ['ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE']

function listPages(request: ApiRequest, isListed: (page: Profile) => boolean): ApiResponse {
  const grant = grantFor(request, 'pages_show_list')
  const shape = (page: Profile) => {
    const instagram = request.state.profiles.find((row) => row.network === 'Instagram' && row.page === page.id)
    const tasks = page.tasks ?? allTasks
    return {
      id: page.id,
      name: page.name,
      username: page.username,
      category: 'Business',
      // A user without any task on the page gets no page token.
      ...(tasks.length && !tasks.includes('NONE') ? { access_token: pageToken(request, grant, page), tasks } : {}),
      picture: { data: { url: `${request.origin}/facebook/profiles/${page.id}/picture`, is_silhouette: false } },
      ...(instagram ? { instagram_business_account: { id: instagram.id } } : {}),
    }
  }
  return listResponse(
    request,
    pagesOf(request, grant.account).filter(isListed),
    shape,
    'id,name,access_token,category,tasks',
  )
}

const pagesOf = ({ state }: ApiRequest, account: string) =>
  state.profiles.all().filter((page) => page.network === 'Facebook' && page.account === account)

/** A page token from a long-lived user token does not expire; from a short-lived one it expires with it. Repeated requests return the same token. */
function pageToken(
  { state }: ApiRequest,
  { account, scopes, longLived: long, expiresAt }: Grant,
  { id }: Profile,
): string {
  const endsAt = long ? undefined : expiresAt
  const known = state.grants.find(
    (grant) =>
      grant.kind === 'page' &&
      grant.profile === id &&
      grant.account === account &&
      grant.expiresAt === endsAt &&
      grant.scopes.join() === scopes.join() &&
      !endReasonOf(state, grant),
  )
  if (known) return known.token
  const lifetimeMs = endsAt === undefined ? null : endsAt - state.clock.now()
  return issueGrant(state, { network: 'Facebook', kind: 'page', account, profile: id, scopes, lifetimeMs }).token
}
