import { createHash } from 'node:crypto'
import type { Actor, Grant, Secret } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { scopesOf } from '../connector/manifest.ts'
import type { NetworkResponse } from '../http/network-http.ts'
import type { XClient } from './client.ts'
import { manifest } from './manifest.ts'
import { readOwner } from './metrics.ts'
import { objectIn } from './responses.ts'

export function authorizeUrl(
  { app }: XClient,
  { state, redirectUri, verifier }: { state: string; redirectUri: string; verifier: string },
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: redirectUri,
    scope: scopesOf(manifest, app).join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `${app.hosts.login}/i/oauth2/authorize?${query}`
}

/** A code is valid for half a minute, and a login opens one account. */
export async function exchangeCode(
  client: XClient,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<Grant[]> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const secret = secretIn(client, await requestToken(client, form))
  const unknownActor: Actor = { network: 'Twitter', kind: 'account', remoteId: 'login', username: '', secret }
  const { id, name, username, picture, tier } = await readOwner(client, unknownActor)
  return [{ ...unknownActor, remoteId: id, username: username ?? id, name: name ?? username ?? id, picture, tier }]
}

/** Every refresh issues a new refresh token and invalidates the previous one. */
export async function refreshToken(client: XClient, { secret }: Actor): Promise<Secret> {
  const { refreshToken: old } = secret
  if (!old) throw reconnect('Twitter: the login cannot be renewed; please connect the profile again.')
  const response = await requestToken(client, { grant_type: 'refresh_token', refresh_token: old })
  return secretIn(client, response, secret)
}

const requestToken = (client: XClient, form: { [name: string]: string }) => {
  const { clientId: id, clientSecret: secret, apiVersion } = client.app
  return client.withKeys({ id, secret }, { method: 'POST', path: `/${apiVersion}/oauth2/token`, form })
}

function secretIn({ installation }: XClient, response: NetworkResponse, before?: Secret): Secret {
  const { access_token, refresh_token, expires_in, scope } = objectIn(response.body)
  if (typeof access_token !== 'string') throw reconnect('Twitter: the login gave no access; please connect again.')
  const seconds = Number(expires_in ?? Number.NaN)
  return {
    accessToken: access_token,
    refreshToken: typeof refresh_token === 'string' ? refresh_token : before?.refreshToken,
    expiresAt: Number.isFinite(seconds) ? new Date(installation.clock.now().getTime() + seconds * 1000) : undefined,
    scopes: typeof scope === 'string' ? scope.split(' ') : (before?.scopes ?? []),
  }
}

const reconnect = (sentence: string) => new NetworkError('Twitter', { kind: 'token', remedy: 'reconnect' }, sentence)
