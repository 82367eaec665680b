import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import type { Actor, Grant, Secret, TokenFacts } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import type { LinkedInClient } from './client.ts'
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

/** The member, and every page the member may post to. */
export async function exchangeCode(
  client: LinkedInClient,
  login: { code: string; redirectUri: string },
): Promise<Grant[]> {
  const { code, redirectUri } = login
  const body = await tokenCall(client, { grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  const secret = secretIn(body, client.installation.clock)
  const holder = { secret }
  const { id, ...member } = await retried(() => memberOf(client, holder))
  const roles = await retried(() => rolesOf(client, holder))
  const pages = await Promise.all([...roles.keys()].map((pageId) => retried(() => pageOf(client, holder, pageId))))
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

/** The expiry of the refresh token counts from the first consent and never changes. */
export async function refreshToken(client: LinkedInClient, { secret }: Actor): Promise<Secret> {
  const { refreshToken } = secret
  if (refreshToken === undefined) {
    const sentence = 'LinkedIn gave no means to renew this access; the profile has to be connected again.'
    throw new NetworkError('LinkedIn', { kind: 'token', remedy: 'reconnect' }, sentence)
  }
  const body = await tokenCall(client, { grant_type: 'refresh_token', refresh_token: refreshToken })
  return secretIn(body, client.installation.clock, secret)
}

/** LinkedIn issues no app token to most apps, but says so only if the secret is right. */
export async function checkApp(client: LinkedInClient): Promise<void> {
  try {
    await tokenCall(client, { grant_type: 'client_credentials' })
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.code !== 'access_denied') throw error
  }
}

export async function inspectToken(client: LinkedInClient, { secret }: Actor): Promise<TokenFacts> {
  const body = await tokenCall(client, { token: secret.accessToken }, 'introspectToken')
  const status = textAt(body, 'status')
  return {
    isValid: at(body, 'active') === true,
    scopes: scopesIn(body),
    reason: status && `The token is ${status}.`,
  }
}

async function tokenCall(
  { http, app }: LinkedInClient,
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

/** A code works once, so the requests after it are retried for some seconds: a new token may be reported as revoked at first. */
async function retried<Result>(request: () => Promise<Result>): Promise<Result> {
  for (const wait of [500, 1_000, 2_000, 4_000]) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof NetworkError) || error.fault.kind !== 'retryable') throw error
      await pause(wait)
    }
  }
  return request()
}
