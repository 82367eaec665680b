import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { graphProblem, refuse, tokenProblems } from '../graph/refusals.ts'
import { scopesRefused } from '../graph/scopes.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import type { Grant } from '../state/access-rows.ts'
import { day } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, longLived } from '../state/grants.ts'
import { manifest } from './manifest.ts'

export function authorize(call: Call): Answer {
  return (
    scopesRefused(call, manifest.scopes) ??
    consent(call, { network: 'Instagram', separator: /[ ,]+/, defaultScopes: manifest.scopes })
  )
}

/** POST /oauth/access_token: a code for a token of one hour; its errors have a form of their own. */
export function exchange(call: Call): Answer {
  const oauthProblem = (message: string) =>
    json({ error_type: 'OAuthException', code: 400, error_message: message }, 400)
  if (!isOurApp(call, 'Instagram')) return oauthProblem('Invalid platform app')
  const { account, scopes } = redeem(call, 'Instagram', (problem) => {
    if (problem === 'redirect') return oauthProblem('Error validating verification code: redirect_uri differs.')
    return oauthProblem(`The authorization code is not valid (${problem}).`)
  })
  const { token } = issueGrant(call.world, { network: 'Instagram', account, profile: account, scopes })
  return json({ access_token: token, user_id: account, permissions: scopes })
}

/** GET /access_token: a short token for one of sixty days. */
export function lengthen(call: Call): Answer {
  if (textOf(call, 'client_secret') !== apps.Instagram.secret) {
    return graphProblem({ code: 1, message: 'Error validating client secret.', type: 'OAuthException' })
  }
  return renewed(call, livingGrant(call))
}

/** GET /refresh_access_token: sixty more days for a long token that is a day old and alive. */
export function refresh(call: Call): Answer {
  const grant = livingGrant(call)
  if (!grant.longLived || grant.issuedAt > call.world.clock.now() - day) {
    refuse({
      code: 100,
      message: '(#100) The token must be long-lived and at least 24 hours old.',
      type: 'OAuthException',
    })
  }
  return renewed(call, grant)
}

function renewed(call: Call, { account, profile, scopes }: Grant): Answer {
  const { world } = call
  const request = { network: 'Instagram', account, scopes, lifetimeMs: longLived } as const
  const grant = issueGrant(world, profile === undefined ? request : { ...request, profile })
  world.grants.change(grant, { longLived: true })
  const expires = longLived / 1000
  return json({ access_token: grant.token, token_type: 'bearer', expires_in: expires, permissions: scopes.join(',') })
}

function livingGrant(call: Call): Grant {
  const grant = grantOf(call.world, 'Instagram', textOf(call, 'access_token'))
  if (!grant) refuse(tokenProblems.invalid)
  const death = deathOf(call.world, grant)
  if (death) refuse(tokenProblems[death])
  return grant
}
