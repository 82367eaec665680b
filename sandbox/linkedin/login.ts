import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import type { Call } from '../http/request.ts'
import { textOf } from '../http/request.ts'
import { type Answer, json, redirect } from '../http/response.ts'
import { isPartner, unauthorizedScope } from '../manifests.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import type { Grant } from '../state/rows.ts'

import { invalidGrant } from './protocol.ts'

/** One permission that the app does not have makes LinkedIn refuse the whole login. */
export function authorize(call: Call): Answer {
  const stray = unauthorizedScope(
    call.world.products.get('LinkedIn'),
    (textOf(call, 'scope') ?? '').split(/[ ,]+/).filter(Boolean),
  )
  const redirectUri = textOf(call, 'redirect_uri') ?? ''
  if (stray !== undefined && URL.canParse(redirectUri)) {
    const back = new URL(redirectUri)
    back.searchParams.set('error', 'unauthorized_scope_error')
    back.searchParams.set('error_description', `Scope "${stray}" is not authorized for your application`)
    back.searchParams.set('state', textOf(call, 'state') ?? '')
    return redirect(back.href)
  }
  return consent(call, { network: 'LinkedIn', separator: /[ ,]+/, defaultScopes: ['openid', 'profile'] })
}

const wrongClient = json({ error: 'invalid_client', error_description: 'Client authentication failed' }, 401)

/** POST /oauth/v2/accessToken: a code or a refresh token; the end of the refresh token never moves. */
export function exchange(call: Call): Answer {
  const refused = (error: string, description: string) => json({ error, error_description: description }, 400)
  if (!isOurApp(call, 'LinkedIn')) return wrongClient
  // Only apps of some partner programmes have tokens of their own.
  if (textOf(call, 'grant_type') === 'client_credentials') {
    const error_description = 'This application is not allowed to create application tokens'
    return json({ error: 'access_denied', error_description }, 401)
  }
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'LinkedIn', textOf(call, 'refresh_token'))
    if (!old) return invalidGrant
    const { account, profile, scopes, refreshToken, refreshExpiresAt } = old
    const kept = { ...(profile === undefined ? {} : { profile }), ...(refreshToken ? { refreshToken } : {}) }
    const until = refreshExpiresAt === undefined ? {} : { refreshExpiresAt }
    return tokens(call, issueGrant(call.world, { network: 'LinkedIn', account, scopes, ...kept, ...until }))
  }
  const { account, scopes } = redeem(call, 'LinkedIn', (problem) => {
    const what = problem === 'redirect' ? 'redirect uri does not match' : 'authorization code not found or expired'
    return refused('invalid_request', `Unable to retrieve access token: ${what}`)
  })
  const withRefresh = isPartner(scopes)
  return tokens(call, issueGrant(call.world, { network: 'LinkedIn', account, scopes, withRefresh }))
}

function tokens(call: Call, grant: Grant): Answer {
  const secondsTo = (time: number | undefined) => Math.floor(((time ?? 0) - call.world.clock.now()) / 1000)
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

/** POST /oauth/v2/introspectToken: tells an app about tokens that it got. */
export function introspect(call: Call): Answer {
  if (!isOurApp(call, 'LinkedIn')) return wrongClient
  const grant = grantOf(call.world, 'LinkedIn', textOf(call, 'token'))
  if (!grant) return json({ active: false })
  const death = deathOf(call.world, grant)
  const inSeconds = (time: number) => Math.floor(time / 1000)
  return json({
    active: death === undefined,
    client_id: grant.app,
    authorized_at: inSeconds(grant.issuedAt),
    created_at: inSeconds(grant.issuedAt),
    status: death === undefined ? 'active' : death === 'expired' ? 'expired' : 'revoked',
    expires_at: inSeconds(grant.expiresAt ?? 0),
    scope: grant.scopes.join(','),
    auth_type: '3L',
  })
}

/** POST /oauth/v2/revoke. */
export function revoke(call: Call): Answer {
  const grant = call.world.grants.get(textOf(call, 'token') ?? '')
  if (grant?.network === 'LinkedIn') call.world.grants.change(grant, { death: 'revoked' })
  return json({})
}
