import { createHmac } from 'node:crypto'
import { type Call, textOf } from '../http/request.ts'
import { type Answer, escaped, html, page, Refusal } from '../http/response.ts'
import type { NetworkApi } from '../http/router.ts'
import { apps } from '../manifests.ts'
import { day, hour } from '../state/clock.ts'
import { deathOf } from '../state/grants.ts'
import type { Grant, Network, Profile } from '../state/rows.ts'

import { badParameter, graphAnswers, pageThrottled, refuse, tokenProblems, unknownObject } from './responses.ts'

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

const newestVersion = 26
const oldestSupportedVersion = 21

/** Takes the version off the path: unknown ones are refused, dead and missing ones served as the oldest living. */
export function stripVersion(path: string, call: Call): string {
  const version = /^\/v(\d+)\.(\d+)(?=\/|$)/.exec(path)
  if (!version) {
    call.version = `v${oldestSupportedVersion}.0`
    return path
  }
  const number = Number(version[1])
  if (number > newestVersion || number < 1 || version[2] !== '0')
    throw new Refusal(graphAnswers.unknownPath({ ...call, path }))
  call.version = `v${Math.max(number, oldestSupportedVersion)}.0`
  return path.slice(version[0].length) || '/'
}

/** Counts the call against app and page, and says in the headers how much is used. */
export function guard(call: Call, profileOf: NetworkApi['profileOf']) {
  const { rates, clock } = call.world
  call.answerHeaders['facebook-api-version'] = call.version ?? ''
  const profile = profileOf(call)
  if (profile === undefined) return
  const app = rates.take('graph:app', 'Graph app', { limit: 20_000, windowMs: hour }, clock.now())
  const page = rates.take(`graph:${profile}`, 'Graph page', { limit: 48_000, windowMs: day }, clock.now())
  const usage = (limit: number, remaining: number) => {
    const used = limit === 0 ? 100 : Math.floor((100 * (limit - remaining)) / limit)
    return { call_count: used, total_time: used, total_cputime: used }
  }
  const pageUsage = usage(page.limit, page.remaining)
  call.answerHeaders['x-app-usage'] = JSON.stringify(usage(app.limit, app.remaining))
  call.answerHeaders['x-page-usage'] = JSON.stringify(pageUsage)
  call.answerHeaders['x-business-use-case-usage'] = JSON.stringify({
    [profile]: [{ type: 'pages', ...pageUsage, estimated_time_to_regain_access: 0 }],
  })
  if (!app.allowed || !page.allowed) throw new Refusal(pageThrottled(call, profile))
}

/** What a login dialog of Meta shows when it is asked for permissions that the app does not have; nothing when it has them all. */
export function scopesRefused(call: Call, known: readonly string[]): Answer | undefined {
  const asked = (textOf(call, 'scope') ?? '').split(/[ ,]+/).filter(Boolean)
  const unknown = asked.filter((scope) => scope !== 'public_profile' && !known.includes(scope))
  if (!unknown.length) return undefined
  return html(page('Cannot sign in', `<p>Invalid Scopes: ${escaped(unknown.join(', '))}</p>`), 400)
}
