import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedUser, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
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
const throughFacebook = () => {
  const { clientId, clientSecret } = sandbox.app('Facebook')
  return open(
    sandbox.appOf('Instagram', {
      CHORUS_INSTAGRAM_LOGIN: 'facebook',
      CHORUS_INSTAGRAM_CLIENT_ID: clientId,
      CHORUS_INSTAGRAM_CLIENT_SECRET: clientSecret,
    }),
  )
}

async function login(instagram: Connector, suffix = '') {
  const url = instagram.authorizeUrl({ state: 's', redirectUri, verifier: 'v' })
  const back = new URL((await sandbox.call(`${url}&auto=1`)).headers.get('location') ?? '').searchParams
  const code = `${back.get('code')}${suffix}`
  const [grant, ...others] = await instagram.exchangeCode({ code, redirectUri, verifier: 'v' })
  if (!grant || others.length) throw new Error('A login opens one account.')
  return { code, grant }
}

test('Instagram Login connects one account for sixty days, and the token can be extended after a day', async () => {
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

test('a used code is rejected with the message of the login', async () => {
  const instagram = open()
  const { code } = await login(instagram)
  const again = instagram.exchangeCode({ code, redirectUri, verifier: 'v' })
  await expect(again).rejects.toThrow(/authorization code is not valid/)
  expect(await faultOf(instagram.exchangeCode({ code, redirectUri, verifier: 'v' }))).toMatchObject({ why: 'input' })
})

test('Facebook Login connects the accounts linked to the pages, and their posts can be removed', async () => {
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

test('Facebook Login subscribes the page, also for profiles connected before its id was stored', async () => {
  const instagram = throughFacebook()
  const { grant } = await login(instagram)
  expect(grant.secret.pageId).toBe('100200300400501')
  const receiver = await testReceiver()
  receiver.answer = ({ query }) => ({ status: 200, body: query.get('hub.challenge') ?? '' })
  for (const pageId of [grant.secret.pageId, undefined]) {
    await sandbox.call('/facebook/v26.0/100200300400501/subscribed_apps', {
      method: 'DELETE',
      token: 'sandbox-facebook-100200300400501-access',
    })
    receiver.pushes.length = 0
    await sandbox.enterWebhook(instagram, `${receiver.url}/push`, 'Facebook')
    await instagram.subscribePush({ ...grant, secret: { ...grant.secret, pageId } }, `${receiver.url}/push`)
    const post = await publishAll(sandbox, instagram, grant, { text: `${pageId}`, media: [sandbox.media('jpeg')] })
    const said = { network: 'Instagram', profile: grant.remoteId, kind: 'comment', postRemoteId: post.remoteId }
    await sandbox.inject({ ...said, from: simulatedUser, text: 'Nice' })
    await expect.poll(() => receiver.pushes.some(({ raw }) => raw.includes('Nice'))).toBe(true)
  }
  await receiver.close()
})

test('a page that is also connected directly keeps its subscription', async () => {
  const instagram = throughFacebook()
  const { grant } = await login(instagram)
  const token = 'sandbox-facebook-100200300400501-access'
  const path = '/facebook/v26.0/100200300400501/subscribed_apps'
  await sandbox.call(path, { token, json: { subscribed_fields: 'feed,messages' } })
  await instagram.subscribePush(grant, 'http://127.0.0.1:1/push')
  expect((await sandbox.call(path, { token })).body.data[0].subscribed_fields).toEqual(['feed', 'messages'])
})

test('the account is subscribed, and the callback URL must be entered in the app dashboard', async () => {
  const instagram = open()
  const account = sandboxActor('Instagram')
  const callback = 'http://127.0.0.1:1/nobody-is-there'
  await instagram.subscribePush(account, callback)
  const subscribed = await sandbox.call(`/graph.instagram.com/v26.0/${account.remoteId}/subscribed_apps`, {
    token: account.secret.accessToken,
  })
  expect(subscribed.body.data[0].subscribed_fields).toEqual(['comments', 'mentions'])
  expect(instagram.webhookSetup?.(callback)).toEqual({
    callback,
    verifyToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    fields: ['comments', 'mentions'],
    isEntered: true,
  })
})
