import { consent, redeem } from '../behaviour/oauth.ts'
import { grantFor, scopesRefused } from '../graph/access.ts'
import { graphProblem, listing, refuse, tokenProblems, unknownObject } from '../graph/responses.ts'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { apps, Facebook } from '../manifests.ts'
import { deathOf, grantOf, issueGrant, longLived } from '../state/grants.ts'
import type { Grant, Profile } from '../state/rows.ts'
import { keyOf } from '../state/storage.ts'

export function dialog(call: Call): Answer {
  return (
    scopesRefused(call, Facebook.scopes) ??
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

/** GET /me/accounts: the pages on which the person has a role, each with a token of its own. */
export function pages(call: Call): Answer {
  return listPages(call, ({ business }) => business === undefined)
}

/** GET /me/businesses: the portfolios the person belongs to. */
export function businesses(call: Call): Answer {
  const { account } = grantFor(call, 'business_management')
  const ids = new Set(pagesOf(call, account).flatMap(({ business }) => business ?? []))
  const rows = [...ids].map((id) => ({ id, name: `Business ${id}` }))
  return listing(call, rows, (row) => row, 'id,name')
}

/** GET /{business}/owned_pages and /client_pages. */
export const businessPages = (access: 'owned' | 'client') => (call: Call) => {
  const { account } = grantFor(call, 'business_management')
  const id = call.params.id ?? ''
  if (!pagesOf(call, account).some(({ business }) => business === id)) unknownObject(id)
  return listPages(call, (page) => page.business === id && page.access === access)
}

const everyTask = ['ANALYZE', 'CREATE_CONTENT', 'MESSAGING', 'MODERATE', 'MANAGE']

function listPages(call: Call, isListed: (page: Profile) => boolean): Answer {
  const grant = grantFor(call, 'pages_show_list')
  const shape = (page: Profile) => {
    const instagram = call.world.profiles.find((row) => row.network === 'Instagram' && row.page === page.id)
    const tasks = page.tasks ?? everyTask
    return {
      id: page.id,
      name: page.name,
      username: page.username,
      category: 'Business',
      // Without any task on the page there is no token for it.
      ...(tasks.length && !tasks.includes('NONE') ? { access_token: pageToken(call, grant, page), tasks } : {}),
      picture: { data: { url: `${call.origin}/facebook/profiles/${page.id}/picture`, is_silhouette: false } },
      ...(instagram ? { instagram_business_account: { id: instagram.id } } : {}),
    }
  }
  return listing(call, pagesOf(call, grant.account).filter(isListed), shape, 'id,name,access_token,category,tasks')
}

const pagesOf = ({ world }: Call, account: string) =>
  world.profiles.all().filter((page) => page.network === 'Facebook' && page.account === account)

/** A page's token taken from a long token has no end; from a short one it ends with it. Asked again, it is the same. */
function pageToken({ world }: Call, { account, scopes, longLived: long, expiresAt }: Grant, { id }: Profile): string {
  const endsAt = long ? undefined : expiresAt
  const known = world.grants.find(
    (grant) =>
      grant.kind === 'page' &&
      grant.profile === id &&
      grant.account === account &&
      grant.expiresAt === endsAt &&
      grant.scopes.join() === scopes.join() &&
      !deathOf(world, grant),
  )
  if (known) return known.token
  const lifetimeMs = endsAt === undefined ? null : endsAt - world.clock.now()
  return issueGrant(world, { network: 'Facebook', kind: 'page', account, profile: id, scopes, lifetimeMs }).token
}
