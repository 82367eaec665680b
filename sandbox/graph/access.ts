import { createHmac } from 'node:crypto'
import type { Call } from '../http/call.ts'
import { textOf } from '../http/fields.ts'
import { apps } from '../manifests.ts'
import type { Grant } from '../state/access-rows.ts'
import { deathOf } from '../state/grants.ts'
import type { Network, Profile } from '../state/rows.ts'
import { badParameter, refuse, tokenProblems, unknownObject } from './refusals.ts'

export function tokenIn(call: Call): string | undefined {
  return textOf(call, 'access_token') ?? /^(?:Bearer|OAuth) (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
}

/** The caller's living token of one of Meta's networks. */
export function grantFor(call: Call, ...scopes: string[]): Grant {
  const token = tokenIn(call)
  if (!token) refuse({ code: 104, message: 'An access token is required to request this resource.' })
  const grant = call.world.grants.get(token) ?? appGrant(token)
  // Each of the two logins has a host of its own, which cannot even read the tokens of the other.
  if (grant?.network !== loginOf(call)) refuse(tokenProblems.invalid)
  const death = deathOf(call.world, grant)
  if (death) refuse(tokenProblems[death])
  const proof = textOf(call, 'appsecret_proof')
  // No client is known to send one to graph.instagram.com, so nothing may depend on its being taken there.
  if (proof !== undefined && grant.network === 'Instagram')
    badParameter('appsecret_proof is not a parameter of this host')
  if (proof !== undefined && proof !== proofOf(token, apps[grant.network].secret)) {
    badParameter('Invalid appsecret_proof provided in the API argument')
  }
  const missing = grant.kind === 'app' ? undefined : scopes.find((scope) => !grant.scopes.includes(scope))
  if (missing) refuse({ code: 200, message: `(#200) Requires ${missing} permission`, type: 'OAuthException' })
  return grant
}

/** Whose login the called host belongs to: graph.instagram.com or graph.facebook.com. */
export const loginOf = ({ path }: Call): Network => (path.startsWith('/instagram/') ? 'Instagram' : 'Facebook')

/** The profile a token may act for, when the path names it. */
export function ownProfile(call: Call, network: Network, id: string, ...scopes: string[]): Profile {
  const grant = grantFor(call, ...scopes)
  const profile = call.world.profile(network, id === 'me' ? (grant.profile ?? '') : id)
  if (!profile) unknownObject(id)
  const actsFor = grant.profile === profile.id || (grant.profile !== undefined && grant.profile === profile.page)
  if (!actsFor) {
    refuse({ code: 200, subcode: 1, message: '(#200) A token of this page is needed.', type: 'OAuthException' })
  }
  const task = scopes
    .map((scope) => taskOf[scope])
    .find((name) => name && profile.tasks && !profile.tasks.includes(name))
  if (task) refuse({ code: 200, message: `(#200) This needs the task ${task} on the page.`, type: 'OAuthException' })
  return profile
}

/** What a person must be allowed on the page beside what the app was granted. */
const taskOf: { readonly [scope: string]: string | undefined } = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_messaging: 'MESSAGING',
  read_insights: 'ANALYZE',
}

/** `{app id}|{app secret}` stands for the app itself. */
function appGrant(token: string): Grant | undefined {
  const network = (['Facebook', 'Instagram'] as const).find((name) => token === `${apps[name].id}|${apps[name].secret}`)
  if (!network) return undefined
  return { token, network, kind: 'app', app: apps[network].id, account: '', scopes: [], issuedAt: 0 }
}

function proofOf(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('hex')
}
