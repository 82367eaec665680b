import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Connector, Grant } from '../connector/connector.ts'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'
import { scopePresets } from './permissions.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
beforeEach(() => linkedIn.control('/app', { network: 'LinkedIn' }))
afterAll(() => linkedIn.close())

const redirectUri = 'http://127.0.0.1:1/back'
const products = (name: string) => linkedIn.control('/app', { network: 'LinkedIn', products: name })
const comments = () => linkedIn.ledger('network=LinkedIn&kind=comment')

/** Follows the consent page's redirect after everything is granted. */
async function completeConsent(connector: Connector): Promise<URLSearchParams> {
  const url = connector.authorizeUrl({ state: 'state-1', redirectUri, verifier: 'unused' })
  const { headers } = await linkedIn.call(`${url}&auto=1`)
  return new URL(headers.get('location') ?? '').searchParams
}

async function login(connector: Connector): Promise<Grant[]> {
  const code = (await completeConsent(connector)).get('code') ?? ''
  return connector.exchangeCode({ code, redirectUri, verifier: 'unused' })
}

test('an app with Community Management only reads the member’s name and picture without OpenID Connect', async () => {
  const { connector } = linkedIn
  const [member, page] = await login(connector)
  expect(member).toMatchObject({
    remoteId: 'aDaM4demo1',
    name: 'Ada Marsh',
    username: 'ada-marsh',
    picture: expect.stringContaining('aDaM4demo1'),
    secret: { refreshToken: expect.any(String) },
  })
  expect(member?.secret.scopes).not.toContain('openid')
  expect(page).toMatchObject({ kind: 'page', tier: 'ADMINISTRATOR' })
  if (!member || !page) return
  expect(connector.capabilities(member)).toMatchObject({ firstComment: 'yes', reply: 'yes' })
  const { remoteId: postId } = await linkedIn.publish(page, draftOf('By a page'))
  await connector.reply(page, { postId }, 'First', [])
  expect((await comments()).at(-1)).toMatchObject({ text: 'First', parentId: postId })
})

test.each(Object.entries(scopePresets))(
  'an app with the products of %s is granted all scopes of its preset',
  async (presetName, { scopes }) => {
    await products(presetName)
    const connector = linkedIn.open({ scopes })
    const [member] = await login(connector)
    expect(member?.secret.scopes).toEqual(scopes)
  },
)

test('LinkedIn rejects the whole login for one scope that the app does not have', async () => {
  const mixed = linkedIn.open({ scopes: ['openid', 'profile', 'w_member_social', 'w_organization_social'] })
  const back = await completeConsent(mixed)
  expect(back.get('error')).toBe('unauthorized_scope_error')
  expect(back.get('error_description')).toContain('"openid"')
})

test('with Share on LinkedIn members can post, and comments are rejected before any request', async () => {
  await products('share')
  const connector = linkedIn.open({ scopes: scopePresets.share.scopes })
  const [member, ...pages] = await login(connector)
  expect(pages).toEqual([])
  if (!member) throw new Error('No member.')
  expect(member).toMatchObject({ name: 'Ada Marsh', picture: expect.stringContaining('aDaM4demo1') })
  expect(member.secret.refreshToken).toBeUndefined()
  const { remoteId: postId } = await linkedIn.publish(member, draftOf('By a member'))
  const gated = { gated: expect.stringContaining('Community Management') }
  expect(connector.capabilities(member)).toMatchObject({ firstComment: gated, reply: gated, like: gated })
  const before = (await comments()).length
  for (const refused of [
    () => connector.reply(member, { postId }, 'First', []),
    () => connector.like(member, { postId }),
  ]) {
    const error = await errorOf(refused())
    expect(error.fault).toEqual({ kind: 'permanent', why: 'permission' })
    expect(error.message).toContain('Community Management')
    expect(error.remote).toEqual({})
  }
  expect(await comments()).toHaveLength(before)
})

test('with Share and Advertising pages can post, and comments are rejected before any request', async () => {
  await products('share-advertising')
  const connector = linkedIn.open({ scopes: scopePresets['share-advertising'].scopes })
  const [member, page] = await login(connector)
  expect(member?.name).toBe('Ada Marsh')
  if (!page) throw new Error('No page.')
  const { remoteId: postId } = await linkedIn.publish(page, draftOf('By an advertiser'))
  expect(connector.capabilities(page).reply).toEqual({
    gated: expect.stringContaining('w_organization_social_feed'),
  })
  const error = await errorOf(connector.reply(page, { postId }, 'First', []))
  expect([error.fault, error.remote]).toEqual([{ kind: 'permanent', why: 'permission' }, {}])
})

test('a profile without stored scopes is allowed to send requests', () => {
  const { connector, member, page } = linkedIn
  for (const profile of [member, page]) expect(connector.capabilities(profile).reply).toBe('yes')
})

test('a login without identity scopes reports which one is missing', async () => {
  const connector = linkedIn.open({ scopes: ['w_member_social'] })
  const error = await errorOf(login(connector))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
  expect(error.message).toContain('r_basicprofile or openid')
})

test('in the Development tier requests are sent individually instead of in batches', async () => {
  const { connector, member, control } = linkedIn
  await control('/profile', {
    network: 'LinkedIn',
    kind: 'member',
    id: member.remoteId,
    account: member.remoteId,
    name: 'Ada Marsh',
    username: member.username,
    tier: 'development',
    accessToken: member.secret.accessToken,
  })
  const { remoteId } = await linkedIn.publish(member, draftOf('In development'))
  linkedIn.pass(86_400_000)
  expect((await connector.metrics(member, [remoteId, 'urn:li:share:1'])).get(remoteId)).toMatchObject({ comments: 0 })
})
