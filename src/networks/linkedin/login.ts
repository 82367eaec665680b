import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import type { Actor, Grant, Secret, TokenFacts } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import type { Calls } from './calls.ts'
import { memberOf, pageOf, rolesOf } from './directory.ts'
import { at, numberAt, textAt } from './fields.ts'
import { manifest } from './manifest.ts'

export function authorizeUrl(app: NetworkApp, login: { state: string; redirectUri: string }) {
  const { hosts, clientId } = app
  const url = new URL(`${hosts.login}/oauth/v2/authorization`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: login.redirectUri,
    state: login.state,
    scope: scopesOf(manifest, app).join(' '),
  }).toString()
  return url.href
}

/** The member, and every page the member may post for. */
export async function exchangeCode(calls: Calls, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const { code, redirectUri } = login
  const body = await tokenCall(calls, { grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  const secret = secretIn(body, calls.installation.clock)
  const holder = { secret }
  const { id, ...member } = await settled(() => memberOf(calls, holder))
  const roles = await settled(() => rolesOf(calls, holder))
  const pages = await Promise.all([...roles.keys()].map((pageId) => settled(() => pageOf(calls, holder, pageId))))
  return [
    { network: 'LinkedIn', kind: 'member', remoteId: id, ...member, secret },
    ...pages.map(
      ({ id: remoteId, ...page }): Grant => ({
        network: 'LinkedIn',
        kind: 'page',
        remoteId,
        ...page,
        tier: roles.get(remoteId),
        parentRemoteId: id,
        secret,
      }),
    ),
  ]
}

/** The end of the refresh token is counted from the first consent and never moves. */
export async function refreshToken(calls: Calls, { secret }: Actor): Promise<Secret> {
  const { refreshToken } = secret
  if (refreshToken === undefined) {
    const sentence = 'LinkedIn gave no means to renew this access; the profile has to be connected again.'
    throw new NetworkError('LinkedIn', { kind: 'token', remedy: 'reconnect' }, sentence)
  }
  const body = await tokenCall(calls, { grant_type: 'refresh_token', refresh_token: refreshToken })
  return secretIn(body, calls.installation.clock, secret)
}

/** LinkedIn gives most apps no token of their own, but says so only to those whose secret is right. */
export async function checkApp(calls: Calls): Promise<void> {
  try {
    await tokenCall(calls, { grant_type: 'client_credentials' })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.code !== 'access_denied') throw error
  }
}

export async function inspectToken(calls: Calls, { secret }: Actor): Promise<TokenFacts> {
  const body = await tokenCall(calls, { token: secret.accessToken }, 'introspectToken')
  const status = textAt(body, 'status')
  return {
    isValid: at(body, 'active') === true,
    scopes: scopesIn(body),
    reason: status && `The token is ${status}.`,
  }
}

async function tokenCall(
  { http, app }: Calls,
  form: { [name: string]: string },
  what: 'accessToken' | 'introspectToken' = 'accessToken',
): Promise<Json | undefined> {
  const url = `${app.hosts.login}/oauth/v2/${what}`
  const { clientId: client_id, clientSecret: client_secret } = app
  const { body } = await http({ method: 'POST', url, form: { ...form, client_id, client_secret } })
  return body
}

function secretIn(body: Json | undefined, clock: Clock, before?: Secret): Secret {
  const accessToken = textAt(body, 'access_token')
  if (!accessToken) throw new NetworkError('LinkedIn', { kind: 'retryable' }, 'LinkedIn: the answer holds no token.')
  const endOf = (name: string) => {
    const seconds = numberAt(body, name)
    return seconds === undefined ? undefined : new Date(clock.now().getTime() + seconds * 1000)
  }
  return {
    accessToken,
    refreshToken: textAt(body, 'refresh_token') ?? before?.refreshToken,
    expiresAt: endOf('expires_in'),
    refreshExpiresAt: endOf('refresh_token_expires_in') ?? before?.refreshExpiresAt,
    scopes: scopesIn(body) ?? before?.scopes ?? [],
  }
}

const scopesIn = (body: Json | undefined) => textAt(body, 'scope')?.split(/[ ,]+/).filter(Boolean)

/** A code works once, so what follows it is tried for some seconds: a new token may be called revoked at first. */
async function settled<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const wait of [500, 1_000, 2_000, 4_000]) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof NetworkError) || error.fault.kind !== 'retryable') throw error
      await pause(wait)
    }
  }
  return work()
}
