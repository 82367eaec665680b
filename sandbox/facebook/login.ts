import { consent, redeem } from '../behaviour/oauth.ts'
import { grantFor } from '../graph/access.ts'
import { graphProblem, refuse, tokenProblems } from '../graph/refusals.ts'
import { scopesRefused } from '../graph/scopes.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import type { Grant } from '../state/access-rows.ts'
import { deathOf, grantOf, issueGrant, longLived } from '../state/grants.ts'
import { keyOf } from '../state/items.ts'
import type { Profile } from '../state/rows.ts'
import { manifest } from './manifest.ts'

export function dialog(call: Call): Answer {
  return (
    scopesRefused(call, manifest.scopes) ??
    consent(call, { network: 'Facebook', separator: /[ ,]+/, defaultScopes: ['public_profile'] })
  )
}

/** One path for three trades: a code for a short token, a short token for a long one, the app's secret for its token. */
export function exchange(call: Call): Answer {
  const { id, secret } = apps.Facebook
  if (textOf(call, 'client_id') !== id) {
    const message = 'Error validating application. Cannot get application info due to a system error.'
    refuse({ code: 101, message, type: 'OAuthException' })
  }
  if (textOf(call, 'client_secret') !== secret) {
    refuse({ code: 1, message: 'Error validating client secret.', type: 'OAuthException' })
  }
  const kind = textOf(call, 'grant_type')
  if (kind === 'client_credentials') return json({ access_token: `${id}|${secret}`, token_type: 'bearer' })
  if (kind === 'fb_exchange_token') return lengthen(call)
  const { account, scopes } = redeem(call, 'Facebook', (problem) => {
    const texts = {
      code: [36009, 'This authorization code has been used.'],
      expired: [36007, 'This authorization code has expired.'],
      redirect: [36008, 'Error validating verification code: redirect_uri differs from the one of the dialog.'],
      verifier: [36008, 'Error validating the code verifier.'],
    } as const
    const [subcode, message] = texts[problem]
    return graphProblem({ code: 100, subcode, message, type: 'OAuthException' })
  })
  const grant = issueGrant(call.world, { network: 'Facebook', account, scopes, withRefresh: false })
  return tokenAnswer(call, grant)
}

function lengthen(call: Call): Answer {
  const { world } = call
  const short = grantOf(world, 'Facebook', textOf(call, 'fb_exchange_token'))
  if (short?.kind !== 'user') refuse(tokenProblems.invalid)
  const death = deathOf(world, short)
  if (death) refuse(tokenProblems[death])
  const { account, scopes } = short
  const grant = issueGrant(world, { network: 'Facebook', account, scopes, lifetimeMs: longLived })
  return tokenAnswer(call, world.grants.change(grant, { longLived: true }))
}

function tokenAnswer(call: Call, { token, expiresAt }: Grant): Answer {
  const seconds = Math.floor(((expiresAt ?? 0) - call.world.clock.now()) / 1000)
  return json({ access_token: token, token_type: 'bearer', expires_in: seconds })
}

export function me(call: Call): Answer | Profile {
  const grant = grantFor(call)
  const page = grant.profile === undefined ? undefined : call.world.profile('Facebook', grant.profile)
  if (page) return page
  const account = call.world.accounts.get(keyOf('Facebook', grant.account))
  if (!account) refuse(tokenProblems.invalid)
  return json({ id: account.id, name: account.name, email: account.email })
}

export function permissions(call: Call): Answer {
  return json({ data: grantFor(call).scopes.map((permission) => ({ permission, status: 'granted' })) })
}

/** The person takes the app's access away: user and page tokens die together. */
export function withdraw(call: Call): Answer {
  const { account } = grantFor(call)
  for (const grant of call.world.grants.all()) {
    if (grant.network === 'Facebook' && grant.account === account) call.world.grants.change(grant, { death: 'revoked' })
  }
  return json({ success: true })
}

export function inspect(call: Call): Answer {
  grantFor(call)
  const grant = grantOf(call.world, 'Facebook', textOf(call, 'input_token'))
  if (!grant) {
    const error = { code: 190, message: 'Invalid OAuth access token data.' }
    return json({ data: { error, is_valid: false, scopes: [] } })
  }
  const death = deathOf(call.world, grant)
  const { code, subcode, message } = { subcode: undefined, ...tokenProblems[death ?? 'invalid'] }
  const inSeconds = (time: number) => Math.floor(time / 1000)
  return json({
    data: {
      app_id: grant.app,
      type: grant.kind === 'page' ? 'PAGE' : 'USER',
      is_valid: death === undefined,
      ...(death && { error: { code, subcode, message } }),
      issued_at: inSeconds(grant.issuedAt),
      expires_at: grant.expiresAt === undefined ? 0 : inSeconds(grant.expiresAt),
      data_access_expires_at: inSeconds(grant.issuedAt + 90 * 86_400_000),
      scopes: grant.scopes,
      user_id: grant.account,
      ...(grant.profile === undefined ? {} : { profile_id: grant.profile }),
    },
  })
}
