import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(() => sandbox.control('/reset', {}))
afterAll(() => sandbox.close())

const verifier = 'not-used'

/** Completes the consent page. */
async function consent(redirectUri: string, decision = 'auto=1', tiktok = sandbox.tiktok) {
  const url = tiktok.authorizeUrl({ state: 's', redirectUri, verifier })
  const { headers } = await sandbox.call(`${url}&${decision}`)
  return new URL(headers.get('location') ?? '')
}

test.each(['https://chorus.example/back', 'https://chorus.example/back/'])(
  'a login that returns to %s opens the account',
  async (redirectUri) => {
    const { tiktok, actor } = sandbox
    const back = await consent(redirectUri)
    expect(back.pathname).toBe('/back/')
    expect(back.searchParams.get('state')).toBe('s')
    const code = back.searchParams.get('code') ?? ''
    const [grant, ...more] = await tiktok.exchangeCode({ code, redirectUri, verifier })
    expect(more).toEqual([])
    expect(grant).toMatchObject({
      network: 'TikTok',
      kind: 'account',
      remoteId: actor.remoteId,
      username: actor.username,
      name: 'Northwind Outdoor',
      picture: expect.stringMatching(/^http/),
    })
    const day = 86_400_000
    expect(Math.abs((grant?.secret.expiresAt?.getTime() ?? 0) - Date.now() - day)).toBeLessThan(60_000)
    expect(grant?.secret.refreshExpiresAt?.getTime()).toBeGreaterThan(Date.now() + 300 * day)
    expect(grant?.secret.scopes).toContain('comment.list.manage')
    expect(grant?.secret.scopes).toContain('user.info.username')
    expect(grant?.secret.scopes).not.toContain('message.list.send')
    if (grant) expect(await tiktok.profile(grant)).toMatchObject({ name: 'Northwind Outdoor' })
  },
)

test('an account with a hidden name or hidden metrics can be connected', async () => {
  const { tiktok } = sandbox
  const redirectUri = 'https://chorus.example/back/'
  const granted = ['user.info.basic', 'video.publish', 'video.list'].map((scope) => `&granted=${scope}`).join('')
  const code = (await consent(redirectUri, `decision=allow${granted}`)).searchParams.get('code') ?? ''
  const [grant] = await tiktok.exchangeCode({ code, redirectUri, verifier })
  expect(grant).toMatchObject({ username: '', name: 'Northwind Outdoor' })
  if (grant) expect(await tiktok.profile(grant)).toMatchObject({ followers: undefined })
})

test('a profile with unknown scopes falls back to basic fields when others are rejected', async () => {
  const { tiktok, actor, fault } = sandbox
  await fault('profile', 'answer', { answer: { status: 200, body: JSON.stringify({ code: 40001, message: 'No.' }) } })
  expect(await tiktok.profile(actor)).toMatchObject({ name: 'Northwind Outdoor', followers: undefined })
})

test('the requested scopes can be configured, and TikTok rejects one that the app does not have', async () => {
  const authorizeUrlFor = (...scopes: string[]) => {
    const url = sandbox.open({ scopes }).authorizeUrl({ state: 's', redirectUri: 'https://chorus.example/', verifier })
    return new URL(url)
  }
  expect(authorizeUrlFor('user.info.basic', 'video.publish').searchParams.get('scope')).toBe(
    'user.info.basic,video.publish',
  )
  expect((await sandbox.call(`${authorizeUrlFor('user.info.basic', 'biz.unknown').href}&auto=1`)).status).toBe(400)
})

test('a code works once, and only with its redirect URI', async () => {
  const { tiktok } = sandbox
  const redirectUri = 'https://chorus.example/back'
  const code = (await consent(redirectUri)).searchParams.get('code') ?? ''
  const reconnect = { kind: 'token', remedy: 'reconnect' }
  const elsewhere = tiktok.exchangeCode({ code, redirectUri: 'https://chorus.example/other', verifier })
  expect((await faultOf(elsewhere)).fault).toEqual(reconnect)
  await tiktok.exchangeCode({ code, redirectUri, verifier })
  expect((await faultOf(tiktok.exchangeCode({ code, redirectUri, verifier }))).fault).toEqual(reconnect)
})

test('a refresh issues new tokens and invalidates the old ones', async () => {
  const { tiktok, actor, advance } = sandbox
  const secret = await tiktok.refreshToken(actor)
  expect(secret.accessToken).not.toBe(actor.secret.accessToken)
  expect(secret.refreshToken).not.toBe(actor.secret.refreshToken)
  expect(await tiktok.profile({ ...actor, secret })).toMatchObject({ id: actor.remoteId })
  const again = await faultOf(tiktok.refreshToken(actor))
  expect(again.fault).toEqual({ kind: 'token', remedy: 'reconnect' })
  await advance(25 * 3_600_000)
  const late = await faultOf(tiktok.profile({ ...actor, secret }))
  expect(late.fault).toEqual({ kind: 'token', remedy: 'refresh' })
  const renewed = await tiktok.refreshToken({ ...actor, secret })
  expect(await tiktok.profile({ ...actor, secret: renewed })).toMatchObject({ id: actor.remoteId })
})

test('a refresh keeps values missing in the response, and needs a refresh token', async () => {
  const { tiktok, actor, fault } = sandbox
  const response = { status: 200, body: JSON.stringify({ code: 0, data: { access_token: 'new', expires_in: 60 } }) }
  await fault('token', 'answer', { answer: response })
  const refreshExpiresAt = new Date('2027-01-01')
  const kept = { ...actor.secret, refreshExpiresAt, scopes: ['video.list'] }
  const secret = await tiktok.refreshToken({ ...actor, secret: kept })
  expect(secret).toEqual({ ...kept, accessToken: 'new', expiresAt: expect.any(Date) })
  const none = await faultOf(tiktok.refreshToken({ ...actor, secret: { accessToken: 'a', scopes: [] } }))
  expect(none.fault).toEqual({ kind: 'token', remedy: 'reconnect' })
})
