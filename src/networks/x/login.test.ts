import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultOf, testX } from './x.fixture.ts'
import { openX } from './x.ts'

let t: Awaited<ReturnType<typeof testX>>
beforeAll(async () => {
  t = await testX()
})
afterAll(() => t.sandbox.close())

const verifier = 'v'.repeat(64)
const redirectUri = 'http://127.0.0.1:1/back'

async function consent() {
  const url = t.x.authorizeUrl({ state: 'state-1', redirectUri, verifier })
  const response = await t.sandbox.call(`${url}&auto=1`)
  return new URL(response.headers.get('location') ?? '').searchParams
}

test('a login opens the account with all requested scopes', async () => {
  const back = await consent()
  expect(back.get('state')).toBe('state-1')
  const [grant, ...more] = await t.x.exchangeCode({ code: back.get('code') ?? '', redirectUri, verifier })
  expect(more).toEqual([])
  expect(grant).toMatchObject({
    network: 'Twitter',
    kind: 'account',
    remoteId: t.actor.remoteId,
    username: 'northwindoutdoor',
    name: 'Northwind Outdoor',
    picture: expect.stringContaining('http'),
    secret: { refreshToken: expect.any(String), scopes: expect.arrayContaining(['tweet.write', 'dm.read']) },
  })
  const hours = ((grant?.secret.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000
  expect(hours).toBeCloseTo(2, 1)
})

test('a different verifier is rejected', async () => {
  const code = (await consent()).get('code') ?? ''
  const call = t.x.exchangeCode({ code, redirectUri, verifier: 'w'.repeat(64) })
  expect(await faultOf(call)).toEqual({ kind: 'permanent', why: 'input' })
})

test('a refresh issues a new pair of tokens, and the previous one is invalid', async () => {
  const [grant] = await t.x.exchangeCode({ code: (await consent()).get('code') ?? '', redirectUri, verifier })
  if (!grant) throw new Error('no grant')
  const secret = await t.x.refreshToken(grant)
  expect(secret.refreshToken).not.toBe(grant.secret.refreshToken)
  expect(await faultOf(t.x.profile(grant))).toEqual({ kind: 'token', remedy: 'refresh' })
  expect((await t.x.profile({ ...grant, secret })).id).toBe(t.actor.remoteId)
  expect(await faultOf(t.x.refreshToken(grant))).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test('a missing refresh token requires a reconnect, and a response without one keeps the previous one', async () => {
  const bare = { ...t.actor, secret: { accessToken: 'a', scopes: [] } }
  expect(await faultOf(t.x.refreshToken(bare))).toEqual({ kind: 'token', remedy: 'reconnect' })
  const body = { access_token: 'new', expires_in: 7200, token_type: 'bearer' }
  await t.fault({ operation: 'token', fault: 'answer', answer: { status: 200, body } })
  const { accessToken, refreshToken } = await t.x.refreshToken(t.actor)
  expect({ accessToken, refreshToken }).toEqual({ accessToken: 'new', refreshToken: t.actor.secret.refreshToken })
})

test('invalid app credentials are a configuration error', async () => {
  const response = {
    status: 401,
    body: { error: 'unauthorized_client', error_description: 'Missing valid authorization' },
  }
  await t.fault({ operation: 'token', fault: 'answer', answer: response })
  expect(await faultOf(t.x.refreshToken(t.actor))).toEqual({ kind: 'permanent', why: 'config' })
})

test.each([
  ['Premium', 'premium'],
  ['PremiumPlus', 'premium'],
  ['Basic', 'premium'],
  ['None', undefined],
  [undefined, undefined],
])('an account with the subscription %s may post within its limits', async (subscription_type, tier) => {
  const code = (await consent()).get('code') ?? ''
  const data = { id: t.actor.remoteId, name: 'Northwind', username: 'northwindoutdoor', subscription_type }
  await t.fault({ operation: 'profile', fault: 'answer', answer: { status: 200, body: { data } } })
  const [grant] = await t.x.exchangeCode({ code, redirectUri, verifier })
  if (!grant) throw new Error('no grant')
  expect(grant.tier).toBe(tier)
  expect(t.x.limits(grant).text.max).toBe(tier ? 25_000 : 280)
  const small = openX({ ...t.app, options: { tier: 'self-serve' } }, t.sandbox.world)
  expect(small.capabilities(grant).like, 'the plan of the app does not change').toHaveProperty('gated')
})
