import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemOf, youtubeChannel } from './youtube.fixture.ts'

const now = new Date('2026-11-20T10:00:00Z')
const redirectUri = 'http://127.0.0.1:1/back'
const verifier = 'a-verifier-of-forty-three-characters-or-more-x'
let channel: Awaited<ReturnType<typeof youtubeChannel>>
beforeAll(async () => {
  channel = await youtubeChannel({ clock: { now: () => now } })
})
afterAll(() => channel.close())

async function consented() {
  const url = channel.connector.authorizeUrl({ state: 'the state', redirectUri, verifier })
  const { headers } = await channel.call(`${url}&auto=1`)
  const back = new URL(headers.get('location') ?? '')
  expect(back.searchParams.get('state')).toBe('the state')
  return { code: back.searchParams.get('code') ?? '', redirectUri, verifier }
}

test('a login opens the channel with its name, picture and tokens', async () => {
  const grants = await channel.connector.exchangeCode(await consented())
  expect(grants).toMatchObject([
    {
      network: 'YouTube',
      kind: 'channel',
      remoteId: channel.actor.remoteId,
      username: 'northwindoutdoor',
      name: 'Northwind Outdoor',
      picture: expect.stringContaining('http'),
      secret: { accessToken: expect.any(String), refreshToken: expect.any(String) },
    },
  ])
  expect(grants[0]?.secret.expiresAt).toEqual(new Date('2026-11-20T11:00:00Z'))
  expect(grants[0]?.secret.scopes).toContain('https://www.googleapis.com/auth/youtube.force-ssl')
})

test('the login requests offline access and uses PKCE', async () => {
  const query = new URL(channel.connector.authorizeUrl({ state: 's', redirectUri, verifier })).searchParams
  expect(Object.fromEntries(query)).toMatchObject({
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
    response_type: 'code',
  })
  const login = await consented()
  const { fault } = await problemOf(channel.connector.exchangeCode({ ...login, verifier: 'somebody else’s' }))
  expect(fault).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test('a code works once', async () => {
  const login = await consented()
  await channel.connector.exchangeCode(login)
  const { fault, remote } = await problemOf(channel.connector.exchangeCode(login))
  expect(fault).toEqual({ kind: 'token', remedy: 'reconnect' })
  expect(remote).toMatchObject({ status: 400, code: 'invalid_grant' })
})

test('an account without a channel gets a clear error', async () => {
  await channel.fault('profile', 'answer', { answer: { status: 200, body: { kind: 'youtube#channelListResponse' } } })
  const { fault, message } = await problemOf(channel.connector.exchangeCode(await consented()))
  expect(fault).toEqual({ kind: 'token', remedy: 'reconnect' })
  expect(message).toContain('no YouTube channel')
})

test('a refresh returns a new token and keeps the refresh token', async () => {
  const [grant] = await channel.connector.exchangeCode(await consented())
  if (!grant) throw new Error('Nothing was granted.')
  const secret = await channel.connector.refreshToken(grant)
  expect(secret).toMatchObject({ refreshToken: grant.secret.refreshToken, scopes: grant.secret.scopes })
  expect(secret.accessToken).not.toBe(grant.secret.accessToken)
  expect(secret.expiresAt).toEqual(new Date('2026-11-20T11:00:00Z'))
  expect((await channel.connector.profile({ ...grant, secret })).id).toBe(grant.remoteId)
})

test.each(['token-revoked', 'no refresh token'])('with %s a reconnect is required', async (fault) => {
  const { actor } = channel
  const without = { ...actor, secret: { ...actor.secret, refreshToken: undefined } }
  if (fault === 'token-revoked') await channel.fault('token', fault)
  const refresh = channel.connector.refreshToken(fault === 'token-revoked' ? actor : without)
  expect((await problemOf(refresh)).fault).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test('a token response without a token is retried', async () => {
  await channel.fault('token', 'answer', { answer: { status: 200, body: 'Sorry' } })
  expect((await problemOf(channel.connector.refreshToken(channel.actor))).fault).toEqual({ kind: 'retryable' })
})

test('a token of an app in testing mode has the expiry of its refresh token', async () => {
  const body = { access_token: 'new', expires_in: 60, refresh_token_expires_in: 604_800 }
  await channel.fault('token', 'answer', { answer: { status: 200, body } })
  const secret = await channel.connector.refreshToken(channel.actor)
  expect(secret.refreshExpiresAt).toEqual(new Date('2026-11-27T10:00:00Z'))
})
