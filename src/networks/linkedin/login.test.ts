import { afterAll, beforeAll, expect, test } from 'vitest'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
afterAll(() => linkedIn.close())

const redirectUri = 'http://127.0.0.1:1/back'

async function consent(connector = linkedIn.connector) {
  const url = connector.authorizeUrl({ state: 'state-1', redirectUri, verifier: 'unused' })
  const allowed = await linkedIn.call(`${url}&auto=1`)
  const back = new URL(allowed.headers.get('location') ?? '')
  expect(back.searchParams.get('state')).toBe('state-1')
  return { code: back.searchParams.get('code') ?? '', redirectUri, verifier: 'unused' }
}

test('a login opens the member and every page the member manages', async () => {
  const grants = await linkedIn.connector.exchangeCode(await consent())
  expect(grants.map(({ kind, remoteId, name, username }) => [kind, remoteId, name, username])).toEqual([
    ['member', 'aDaM4demo1', 'Ada Marsh', 'ada-marsh'],
    ['page', '2414183', 'Northwind Outdoor', 'northwind-outdoor'],
    ['page', '2414184', 'Northwind Careers', 'northwind-careers'],
  ])
  const [member, page] = grants
  expect(page).toMatchObject({ parentRemoteId: 'aDaM4demo1', picture: expect.stringContaining('2414183') })
  expect(member?.picture).toContain('aDaM4demo1')
  const secret = member?.secret
  expect(secret?.expiresAt).toEqual(new Date(linkedIn.world.clock.now().getTime() + 60 * 86_400_000))
  expect(secret?.refreshExpiresAt).toEqual(new Date(linkedIn.world.clock.now().getTime() + 365 * 86_400_000))
  expect(secret?.scopes).toContain('w_organization_social')
  if (page) await linkedIn.publish(page, draftOf('With the new token'))
  expect((await linkedIn.posts()).at(-1)).toMatchObject({ profile: '2414183', text: 'With the new token' })
})

test('a login for members only opens no pages and works with its scopes', async () => {
  await linkedIn.control('/app', { network: 'LinkedIn', products: 'share' })
  const connector = linkedIn.open({ scopes: ['openid', 'profile', 'w_member_social'] })
  const grants = await connector.exchangeCode(await consent(connector))
  expect(grants.map(({ kind }) => kind)).toEqual(['member'])
  const [member] = grants
  if (!member) return
  const { id, followers } = await connector.profile(member)
  expect([id, followers]).toEqual(['aDaM4demo1', undefined])
  const { remoteId: postId } = await linkedIn.publish(
    member,
    draftOf('By few rights', { media: [linkedIn.media('mp4')] }),
  )
  const since = linkedIn.world.clock.now()
  expect(await connector.findReply(member, { postId }, 'First', since)).toMatchObject({ state: 'undecidable' })
  await linkedIn.control('/app', { network: 'LinkedIn' })
})

test('a new token that is briefly reported as revoked does not fail the login', async () => {
  const login = await consent()
  await linkedIn.fault('profile', 'token-revoked')
  expect((await linkedIn.connector.exchangeCode(login)).length).toBe(3)
})

test('a code works once', async () => {
  const login = await consent()
  await linkedIn.connector.exchangeCode(login)
  const error = await errorOf(linkedIn.connector.exchangeCode(login))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'input' })
  expect(error.message).toContain('authorization code')
})

test('a wrong client secret is a configuration error', async () => {
  const login = await consent()
  const error = await errorOf(linkedIn.open({ clientSecret: 'wrong' }).exchangeCode(login))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
})

test('a refresh returns a new token and keeps the refresh token with its expiry', async () => {
  const [member] = await linkedIn.connector.exchangeCode(await consent())
  if (!member) throw new Error('No member.')
  linkedIn.pass(30 * 86_400_000)
  const renewed = await linkedIn.connector.refreshToken(member)
  expect(renewed.accessToken).not.toBe(member.secret.accessToken)
  expect(renewed).toMatchObject({
    refreshToken: member.secret.refreshToken,
    refreshExpiresAt: member.secret.refreshExpiresAt,
    scopes: member.secret.scopes,
    expiresAt: new Date(linkedIn.world.clock.now().getTime() + 60 * 86_400_000),
  })
  expect((await linkedIn.connector.profile({ ...member, secret: renewed })).id).toBe('aDaM4demo1')
})

test('a response without a refresh token keeps the old one', async () => {
  await linkedIn.answer('token', 200, { access_token: 'new', expires_in: 60 })
  const before = { ...linkedIn.member.secret, refreshExpiresAt: new Date('2027-01-01'), scopes: ['profile'] }
  expect(await linkedIn.connector.refreshToken({ ...linkedIn.member, secret: before })).toEqual({
    ...before,
    accessToken: 'new',
    expiresAt: new Date(linkedIn.world.clock.now().getTime() + 60_000),
  })
})

test.each([
  ['is dead', 'token-revoked', 'a-refresh-token'],
  ['is missing', undefined, undefined],
])('if the refresh token %s, a reconnect is required', async (_, fault, refreshToken) => {
  if (fault) await linkedIn.fault('token', fault)
  const secret = { ...linkedIn.member.secret, refreshToken }
  const error = await errorOf(linkedIn.connector.refreshToken({ ...linkedIn.member, secret }))
  expect(error.fault).toEqual({ kind: 'token', remedy: 'reconnect' })
})
