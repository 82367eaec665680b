import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import type { Grant } from '../state/access-rows.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import { invalidGrant } from './refusals.ts'

export function authorize(call: Call): Answer {
  return consent(call, { network: 'YouTube', separator: / +/ })
}

/** POST /token: a refresh answers without a new refresh token; the old one stays good. */
export function exchange(call: Call): Answer {
  const refused = (error: string, error_description: string, status = 400) => json({ error, error_description }, status)
  if (!isOurApp(call, 'YouTube')) return refused('invalid_client', 'The OAuth client was not found.', 401)
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'YouTube', textOf(call, 'refresh_token'))
    if (!old) return invalidGrant
    const { account, scopes, profile = account, refreshToken, refreshExpiresAt } = old
    const kept = { ...(refreshToken ? { refreshToken } : {}), ...(refreshExpiresAt ? { refreshExpiresAt } : {}) }
    return tokens(call, issueGrant(call.world, { network: 'YouTube', account, profile, scopes, ...kept }), false)
  }
  const { account, scopes } = redeem(call, 'YouTube', (problem) =>
    problem === 'redirect'
      ? refused('redirect_uri_mismatch', 'Bad Request')
      : refused('invalid_grant', 'Malformed auth code.'),
  )
  return tokens(call, issueGrant(call.world, { network: 'YouTube', account, profile: account, scopes }), true)
}

/** POST /tokeninfo: whose token it is, for what and for how long; the app does not have to prove itself. */
export function tokenInfo(call: Call): Answer {
  const token = /^Bearer (.+)$/i.exec(call.headers.authorization ?? '')?.[1] ?? textOf(call, 'access_token')
  const grant = grantOf(call.world, 'YouTube', token)
  if (!grant || deathOf(call.world, grant)) {
    return json({ error: 'invalid_token', error_description: 'Invalid Value' }, 400)
  }
  const left = Math.floor(((grant.expiresAt ?? 0) - call.world.clock.now()) / 1000)
  return json({
    azp: grant.app,
    aud: grant.app,
    scope: grant.scopes.join(' '),
    exp: String(Math.floor((grant.expiresAt ?? 0) / 1000)),
    expires_in: String(left),
    access_type: 'offline',
  })
}

/** POST /revoke takes either token; all of the account's go. */
export function revoke(call: Call): Answer {
  const token = textOf(call, 'token')
  const isIt = (row: Grant) => row.network === 'YouTube' && (row.token === token || row.refreshToken === token)
  const grant = call.world.grants.find(isIt)
  if (!grant) return json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400)
  for (const row of call.world.grants.all()) {
    if (row.network === 'YouTube' && row.account === grant.account) call.world.grants.change(row, { death: 'revoked' })
  }
  return json({})
}

function tokens(call: Call, { token, expiresAt, refreshToken, scopes }: Grant, first: boolean): Answer {
  return json({
    access_token: token,
    expires_in: Math.floor(((expiresAt ?? 0) - call.world.clock.now()) / 1000),
    scope: scopes.join(' '),
    token_type: 'Bearer',
    ...(first ? { refresh_token: refreshToken } : {}),
  })
}
