import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import type { Grant } from '../state/access-rows.ts'
import { issueGrant, renewable } from '../state/grants.ts'
import { invalidToken } from './refusals.ts'

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
