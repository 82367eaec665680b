import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { type Answer, type Call, html, json } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { escaped, page } from '../http/markup.ts'
import { apps } from '../manifests.ts'
import type { Grant } from '../state/access-rows.ts'
import { hour } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, renewable } from '../state/grants.ts'
import { manifest } from './manifest.ts'
import { businessAnswer, businessProblem, refreshRefused } from './refusals.ts'

const { scopes } = manifest

/** TikTok registers and compares whole addresses: absolute, without a query, and with a slash at the end. */
export function authorize(call: Call): Answer {
  const redirectUri = textOf(call, 'redirect_uri') ?? ''
  const unknown = (textOf(call, 'scope') ?? '').split(/[ ,]+/).find((scope) => scope && !scopes.includes(scope))
  if (!/^https?:\/\/[^?#]+\/$/.test(redirectUri)) return refusedPage('redirect_uri must end with a slash.')
  if (unknown !== undefined) return refusedPage(`The scope ${unknown} is not one of this app.`)
  return consent(call, { network: 'TikTok', clientField: 'client_key', separator: /[ ,]+/ })
}

const refusedPage = (problem: string) => html(page('Cannot sign in', `<p>${escaped(problem)}</p>`), 400)

/** POST /v2/oauth/token/: each refresh gives a new refresh token, and the old one dies. */
export function developerToken(call: Call): Answer {
  const refused = (error: string, error_description: string) =>
    json({ error, error_description, log_id: 'sandbox' }, 400)
  if (!isOurApp(call, 'TikTok', 'client_key')) return refused('invalid_client', 'Client key or secret is incorrect.')
  if (textOf(call, 'grant_type') === 'refresh_token') {
    const old = renewable(call.world, 'TikTok', textOf(call, 'refresh_token'))
    if (!old) return refreshRefused(call)
    return json(tokens(call, renewed(call, old, 2 * hour)))
  }
  const { account, scopes } = redeem(call, 'TikTok', (problem) =>
    problem === 'verifier'
      ? refused('invalid_request', 'Code verifier or code challenge is invalid.')
      : refused('invalid_grant', 'Authorization code is expired or not right.'),
  )
  return json(
    tokens(
      call,
      issueGrant(call.world, { network: 'TikTok', account, profile: account, scopes, lifetimeMs: 2 * hour }),
    ),
  )
}

export function developerRevoke(call: Call): Answer {
  const grant = call.world.grants.get(textOf(call, 'token') ?? '')
  if (grant?.network === 'TikTok') call.world.grants.change(grant, { death: 'revoked' })
  return json({})
}

/** POST /tt_user/oauth2/token/: the business API's way to the same. */
export function businessToken(call: Call): Answer {
  if (!isOurApp(call, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const refused = () => businessProblem(40110, 'The auth_code is not valid.')
  const { account, scopes } = redeem(call, 'TikTok', refused, textOf(call, 'auth_code') ?? '')
  return businessAnswer(tokens(call, issueGrant(call.world, { network: 'TikTok', account, profile: account, scopes })))
}

export function businessRefresh(call: Call): Answer {
  if (!isOurApp(call, 'TikTok')) return businessProblem(40001, 'client_id or client_secret is incorrect.')
  const old = renewable(call.world, 'TikTok', textOf(call, 'refresh_token'))
  return old ? businessAnswer(tokens(call, renewed(call, old))) : refreshRefused(call)
}

/** POST /tt_user/token_info/get/: what the owner of a token allowed. */
export function businessTokenInfo(call: Call): Answer {
  if (textOf(call, 'app_id') !== apps.TikTok.id) return businessProblem(40001, 'app_id is incorrect.')
  const grant = grantOf(call.world, 'TikTok', textOf(call, 'access_token'))
  const death = grant && deathOf(call.world, grant)
  if (death === 'expired') return businessProblem(40102, 'The access token has expired.')
  if (!grant || death) return businessProblem(40105, 'The access token is not valid.')
  return businessAnswer({ app_id: grant.app, creator_id: grant.account, scope: grant.scopes.join(',') })
}

export function businessRevoke(call: Call): Answer {
  const grant = call.world.grants.get(textOf(call, 'access_token') ?? '')
  if (grant?.network !== 'TikTok') return businessProblem(40105, 'The access token is not valid.')
  call.world.grants.change(grant, { death: 'revoked' })
  return businessAnswer({})
}

function renewed(call: Call, old: Grant, lifetimeMs?: number): Grant {
  call.world.grants.change(old, { death: 'rotated' })
  const { account, scopes, profile = account, refreshExpiresAt } = old
  return issueGrant(call.world, {
    network: 'TikTok',
    account,
    profile,
    scopes,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    ...(refreshExpiresAt === undefined ? {} : { refreshExpiresAt }),
  })
}

function tokens(call: Call, grant: Grant) {
  const secondsTo = (time: number | undefined) => Math.floor(((time ?? 0) - call.world.clock.now()) / 1000)
  return {
    access_token: grant.token,
    expires_in: secondsTo(grant.expiresAt),
    refresh_token: grant.refreshToken,
    refresh_expires_in: secondsTo(grant.refreshExpiresAt),
    refresh_token_expires_in: secondsTo(grant.refreshExpiresAt),
    open_id: grant.account,
    scope: grant.scopes.join(','),
    token_type: 'Bearer',
  }
}
