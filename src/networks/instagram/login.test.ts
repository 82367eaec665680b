import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openInstagram } from './instagram.ts'

const day = 86_400_000
const redirectUri = 'http://127.0.0.1:1/back'
let sandbox: MetaSandbox
beforeAll(async () => {
  sandbox = await metaSandbox()
})
afterAll(() => sandbox.close())

const open = (app: NetworkApp = sandbox.app('Instagram')) => openInstagram(app, sandbox.world)
const throughFacebook = () => open({ ...sandbox.app('Facebook'), options: { login: 'facebook' } })

async function login(instagram: Connector, suffix = '') {
  const url = instagram.authorizeUrl({ state: 's', redirectUri, verifier: 'v' })
  const back = new URL((await sandbox.call(`${url}&auto=1`)).headers.get('location') ?? '').searchParams
  const code = `${back.get('code')}${suffix}`
  const [grant, ...others] = await instagram.exchangeCode({ code, redirectUri, verifier: 'v' })
  if (!grant || others.length) throw new Error('A login opens one account.')
  return { code, grant }
}

test("Instagram's own login opens one account for sixty days, and a day later for sixty more", async () => {
  const instagram = open()
  const { grant } = await login(instagram, '#_')
  expect(grant).toMatchObject({
    network: 'Instagram',
    kind: 'account',
    remoteId: '17841400000000501',
    name: 'Northwind Outdoor',
    picture: expect.stringContaining('/picture'),
  })
  expect(grant.secret.scopes).toContain('instagram_business_content_publish')
  const daysLeft = (until?: Date) => Math.round(((until?.getTime() ?? 0) - sandbox.clock.now().getTime()) / day)
  expect(daysLeft(grant.secret.expiresAt)).toBe(60)
  expect(await faultOf(instagram.refreshToken(grant))).toEqual({ kind: 'retryable', afterMs: day })
  sandbox.move(30 * day)
  const secret = await instagram.refreshToken(grant)
  expect(daysLeft(secret.expiresAt)).toBe(60)
  expect(secret.scopes).toEqual(grant.secret.scopes)
  await publishAll(sandbox, instagram, { ...grant, secret }, { text: 'Fresh', media: [sandbox.media('jpeg')] })
  expect(await sandbox.ledger('network=Instagram&kind=post')).toHaveLength(1)
  sandbox.move(61 * day)
  expect(await faultOf(instagram.refreshToken({ ...grant, secret }))).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test('a code that was used is refused, in the words of the login', async () => {
  const instagram = open()
  const { code } = await login(instagram)
  const again = instagram.exchangeCode({ code, redirectUri, verifier: 'v' })
  await expect(again).rejects.toThrow(/authorization code is not valid/)
  expect(await faultOf(instagram.exchangeCode({ code, redirectUri, verifier: 'v' }))).toMatchObject({ why: 'input' })
})

test("through Facebook's login the accounts behind the pages are opened, and their posts can be removed", async () => {
  const instagram = throughFacebook()
  const { grant } = await login(instagram)
  expect(grant).toMatchObject({
    network: 'Instagram',
    remoteId: '17841400000000501',
    parentRemoteId: '100200300400900',
  })
  expect(instagram.capabilities(grant).remove).toBe('yes')
  const { remoteId } = await publishAll(sandbox, instagram, grant, { text: 'By page', media: [sandbox.media('jpeg')] })
  await instagram.remove(grant, remoteId)
  expect((await sandbox.ledger('network=Instagram&kind=post')).at(-1)).toMatchObject({
    remoteId,
    removedAt: expect.any(String),
  })
  expect(await faultOf(instagram.refreshToken(grant))).toEqual({ kind: 'token', remedy: 'reconnect' })
})

test('where the operator enters the push address by hand, only the account is switched on', async () => {
  const app = sandbox.app('Instagram')
  const byHand = open({ ...app, options: { ...app.options, pushAddress: 'dashboard' } })
  await byHand.subscribePush(sandboxActor('Instagram'), 'http://127.0.0.1:1/nobody-is-there')
  const refused = open().subscribePush(sandboxActor('Instagram'), 'http://127.0.0.1:1/nobody-is-there')
  expect(await faultOf(refused)).toMatchObject({ kind: 'permanent' })
})
