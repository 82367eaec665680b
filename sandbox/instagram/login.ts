import { consent, isOurApp, redeem } from '../behaviour/oauth.ts'
import { grantFor, ownProfile, scopesRefused } from '../graph/access.ts'
import { graphProblem, refuse, tokenProblems, unknownObject } from '../graph/responses.ts'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { apps, Instagram } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { deathOf, grantOf, issueGrant, longLived } from '../state/grants.ts'
import type { Grant, Item, Profile } from '../state/rows.ts'

export function authorize(call: Call): Answer {
  return (
    scopesRefused(call, Instagram.scopes) ??
    consent(call, { network: 'Instagram', separator: /[ ,]+/, defaultScopes: Instagram.scopes })
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

export type Ability = 'basic' | 'content_publish' | 'manage_comments' | 'manage_insights' | 'manage_messages'

/** The two logins name the same abilities differently. */
function scopeOf(call: Call, ability: Ability): string {
  return grantFor(call).network === 'Instagram' ? `instagram_business_${ability}` : `instagram_${ability}`
}

export function account(call: Call, ability: Ability, id = call.params.id ?? ''): Profile {
  const profile = ownProfile(call, 'Instagram', id, scopeOf(call, ability))
  if (ability === 'content_publish' && grantFor(call).network === 'Facebook') requirePublishing(call, profile)
  return profile
}

/** Whoever publishes through the page behind an account needs a task on that page (ig-user/media_publish, read November 2026). */
function requirePublishing({ world }: Call, { page }: Profile) {
  const tasks = world.profile('Facebook', page ?? '')?.tasks
  if (!tasks || tasks.includes('MANAGE') || tasks.includes('CREATE_CONTENT')) return
  refuse({ code: 200, message: '(#200) This needs the task CREATE_CONTENT on the page.', type: 'OAuthException' })
}

/** The post or comment a path names, and the account it belongs to. */
export function target(call: Call, ability: Ability): { item: Item; owner: Profile } {
  grantFor(call)
  const id = call.params.id ?? ''
  const item = call.world.items.live('Instagram', id)
  if (!item) unknownObject(id)
  return { item, owner: account(call, ability, item.profile) }
}
