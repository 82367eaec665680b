import type { Actor, Grant, Secret, TokenFacts } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import { redirectUriOf, scopesOf } from '../connector/manifest.ts'
import type { TikTokClient } from './client.ts'
import { numberIn, type Row, textIn } from './client.ts'
import { manifest } from './manifest.ts'
import { fetchProfile } from './metrics.ts'

export function authorizeUrl({ app }: TikTokClient, login: { state: string; redirectUri: string }): string {
  const query = new URLSearchParams({
    client_key: app.clientId,
    scope: scopesOf(manifest, app).join(','),
    response_type: 'code',
    redirect_uri: redirectUriOf(manifest, login.redirectUri),
    state: login.state,
  })
  return `${app.hosts.login}/v2/auth/authorize/?${query}`
}

export async function exchangeCode(
  client: TikTokClient,
  login: { code: string; redirectUri: string },
): Promise<Grant[]> {
  const data = await client.asApp('tt_user/oauth2/token', {
    ...appOf(client),
    grant_type: 'authorization_code',
    auth_code: login.code,
    redirect_uri: redirectUriOf(manifest, login.redirectUri),
  })
  const remoteId = needed(data, 'open_id')
  const secret = secretIn(client, data)
  const actor: Actor = { network: 'TikTok', kind: 'account', remoteId, username: '', secret }
  const { username = '', name = username, picture } = await fetchProfile(client, actor)
  return [{ ...actor, username, name, picture }]
}

export async function refreshToken(client: TikTokClient, { secret }: Actor): Promise<Secret> {
  if (secret.refreshToken === undefined) throw reconnect('There is no refresh token')
  const data = await client.asApp('tt_user/oauth2/refresh_token', {
    ...appOf(client),
    grant_type: 'refresh_token',
    refresh_token: secret.refreshToken,
  })
  const {
    refreshToken = secret.refreshToken,
    refreshExpiresAt = secret.refreshExpiresAt,
    ...made
  } = secretIn(client, data)
  return { ...made, refreshToken, refreshExpiresAt, scopes: made.scopes.length ? made.scopes : secret.scopes }
}

/** TikTok returns webhook settings only for a valid id and secret. */
export async function checkApp({ app, getAsApp }: TikTokClient): Promise<void> {
  await getAsApp('business/webhook/list', { app_id: app.clientId, secret: app.clientSecret, event_type: 'COMMENT' })
}

export async function inspectToken({ app, asApp }: TikTokClient, { secret }: Actor): Promise<TokenFacts> {
  const data = await asApp('tt_user/token_info/get', { app_id: app.clientId, access_token: secret.accessToken })
  return { isValid: true, scopes: scopesIn(data) }
}

const appOf = ({ app }: TikTokClient) => ({ client_id: app.clientId, client_secret: app.clientSecret })

function secretIn({ clock }: TikTokClient, data: Row): Secret {
  const after = (seconds: number | undefined) =>
    seconds === undefined ? undefined : new Date(clock.now().getTime() + seconds * 1000)
  return {
    accessToken: needed(data, 'access_token'),
    refreshToken: textIn(data, 'refresh_token'),
    expiresAt: after(numberIn(data, 'expires_in')),
    refreshExpiresAt: after(numberIn(data, 'refresh_token_expires_in') ?? numberIn(data, 'refresh_expires_in')),
    scopes: scopesIn(data),
  }
}

const scopesIn = (data: Row) => (textIn(data, 'scope') ?? '').split(/[ ,]+/).filter(Boolean)

function needed(data: Row, name: string): string {
  const value = textIn(data, name)
  if (value === undefined) throw reconnect('The login gave no access')
  return value
}

const reconnect = (why: string) =>
  new NetworkError('TikTok', { kind: 'token', remedy: 'reconnect' }, `TikTok: ${why}; connect the account again.`)
