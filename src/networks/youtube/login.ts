import { createHash } from 'node:crypto'
import type { Actor, Grant, Secret, TokenFacts } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { networkScopes, scopesOf } from '../connector/manifest.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import type { Channel } from './client.ts'
import { authorization, requestList, type YouTubeClient } from './client.ts'
import { manifest } from './manifest.ts'

interface Login {
  redirectUri: string
  verifier: string
}

export function authorizeUrl(app: NetworkApp, login: Login & { state: string }): string {
  const { hosts, clientId } = app
  const url = new URL(`${hosts.login}/o/oauth2/v2/auth`)
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: login.redirectUri,
    response_type: 'code',
    scope: networkScopes(manifest, scopesOf(manifest, app)).join(' '),
    state: login.state,
    code_challenge: createHash('sha256').update(login.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // Only an offline login with a new consent returns a refresh token.
    access_type: 'offline',
    prompt: 'consent',
  }).toString()
  return url.href
}

export async function exchangeCode(client: YouTubeClient, login: Login & { code: string }): Promise<Grant[]> {
  const { code, redirectUri, verifier } = login
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const secret = await tokens(client, form)
  const unknownActor: Actor = { network: 'YouTube', kind: 'channel', remoteId: '', username: '', secret }
  const query = { part: 'snippet', mine: 'true' }
  const { items } = await requestList<Channel>(client, unknownActor, 'channels.list', query)
  const grants = items.map((channel) => grantOf(channel, secret))
  if (!grants.length) throw reconnect('This Google account has no YouTube channel; choose one that has.')
  return grants
}

export async function refreshToken(client: YouTubeClient, { secret }: Actor): Promise<Secret> {
  if (!secret.refreshToken) throw reconnect('YouTube gave no refresh token; connect the channel again.')
  return tokens(client, { grant_type: 'refresh_token', refresh_token: secret.refreshToken }, secret)
}

/** In a header, since URLs are logged. */
export async function inspectToken({ app, http }: YouTubeClient, actor: Actor): Promise<TokenFacts> {
  const call = { method: 'POST', url: `${app.hosts.token}/tokeninfo`, headers: authorization(actor), form: {} } as const
  const { body } = await http(call)
  const { aud, scope } = (body ?? {}) as { aud?: string; scope?: string }
  const isOwnApp = aud === app.clientId
  const reason = isOwnApp ? undefined : 'The token belongs to another app; connect the channel again.'
  return { isValid: isOwnApp, scopes: scope?.split(' ').filter(Boolean), reason }
}

interface Tokens {
  access_token?: string
  refresh_token?: string
  expires_in?: number
  refresh_token_expires_in?: number
  scope?: string
}

/** A refresh returns no refresh token: the previous one stays valid. */
async function tokens(
  { app, installation, http }: YouTubeClient,
  parameters: Record<string, string>,
  before?: Secret,
): Promise<Secret> {
  const form = { ...parameters, client_id: app.clientId, client_secret: app.clientSecret }
  const { body } = await http({ method: 'POST', url: `${app.hosts.token}/token`, form })
  const { access_token, refresh_token, expires_in, refresh_token_expires_in, scope } = (body ?? {}) as Tokens
  if (!access_token) throw new NetworkError('YouTube', { kind: 'retryable' }, 'YouTube answered without a token.')
  const after = (seconds?: number) => seconds && new Date(installation.clock.now().getTime() + seconds * 1000)
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? before?.refreshToken,
    expiresAt: after(expires_in) || undefined,
    refreshExpiresAt: after(refresh_token_expires_in) || before?.refreshExpiresAt,
    scopes: scope?.split(' ').filter(Boolean) ?? before?.scopes ?? [],
  }
}

const grantOf = ({ id = '', snippet }: Channel, secret: Secret): Grant => ({
  network: 'YouTube',
  kind: 'channel',
  remoteId: id,
  username: handleOf(snippet?.customUrl) ?? id,
  name: snippet?.title ?? '',
  picture: snippet?.thumbnails?.default?.url,
  secret,
})

/** Handles are displayed with a leading sign that isn't part of them. */
export const handleOf = (name?: string) => name?.replace(/^@/, '') || undefined

const reconnect = (message: string) => new NetworkError('YouTube', { kind: 'token', remedy: 'reconnect' }, message)
