import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

const account = '17841400000000501'
const token = `sandbox-instagram-${account}-access`
const day = 86_400_000
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await testReceiver({ 'a.jpg': samples.jpeg, 'a.png': samples.png, 'a.mp4': samples.mp4 })
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const graph = (path: string, json?: unknown, method?: string) =>
  sandbox.call(`/instagram/v26.0${path}`, { token, ...(json ? { json } : {}), ...(method ? { method } : {}) })
const container = async (json: object) => (await graph(`/${account}/media`, json)).body.id
const publish = (creation_id: string) => graph(`/${account}/media_publish`, { creation_id })
const picture = () => container({ image_url: `${receiver.url}/a.jpg`, caption: 'Sunrise', alt_text: 'A sun' })

test('an image is downloaded, published once, and its container reports it', async () => {
  const id = await picture()
  expect((await graph(`/${id}?fields=status_code`)).body.status_code).toBe('FINISHED')
  const post = (await publish(id)).body.id
  expect((await graph(`/${id}?fields=status_code`)).body.status_code).toBe('PUBLISHED')
  expect((await publish(id)).status).toBe(400)
  const shown = await graph(`/${post}?fields=permalink,timestamp`)
  expect((await sandbox.call(shown.body.permalink)).body).toContain('Sunrise')
  const entries = await sandbox.ledger('network=Instagram&kind=post')
  expect(entries).toMatchObject([{ remoteId: post, text: 'Sunrise', media: [{ mime: 'image/jpeg', alt: 'A sun' }] }])
})

test('a reel is processed first, and a carousel accepts several items', async () => {
  const reel = await container({ media_type: 'REELS', video_url: `${receiver.url}/a.mp4`, caption: 'Reel' })
  const early = await publish(reel)
  expect(early.body.error).toMatchObject({ code: 9007, error_subcode: 2207027 })
  await sandbox.advance(2000)
  expect((await publish(reel)).status).toBe(200)
  const item = () => container({ is_carousel_item: true, image_url: `${receiver.url}/a.jpg` })
  const children = [await item(), await item()].join(',')
  const album = await container({ media_type: 'CAROUSEL', children, caption: 'Both' })
  const post = (await publish(album)).body.id
  expect((await graph(`/${post}?fields=media_type,children`)).body).toMatchObject({ media_type: 'CAROUSEL_ALBUM' })
  const limit = await graph(`/${account}/content_publishing_limit?fields=quota_usage,config`)
  expect(limit.body.data[0].quota_usage).toBe(3)
})

test('images in an unsupported format and unreachable URLs are rejected', async () => {
  const png = await graph(`/${account}/media`, { image_url: `${receiver.url}/a.png` })
  expect(png.body.error).toMatchObject({ code: 36001, error_subcode: 2207005 })
  const missing = await graph(`/${account}/media`, { image_url: `${receiver.url}/missing` })
  expect(missing.body.error).toMatchObject({ code: 9004, error_subcode: 2207052 })
  const longCaption = await graph(`/${account}/media`, {
    image_url: `${receiver.url}/a.jpg`,
    caption: 'x'.repeat(2201),
  })
  expect(longCaption.body.error.error_subcode).toBe(2207010)
})

test('accepts comments, replies and messages', async () => {
  const post = (await publish(await picture())).body.id
  await graph(`/${post}/comments`, { message: 'First' })
  const activity = { network: 'Instagram', profile: account, from: simulatedUser }
  const { remoteId } = await sandbox.inject({ ...activity, kind: 'comment', postRemoteId: post, text: 'Lovely' })
  const reply = await graph(`/${remoteId}/replies`, { message: 'Thanks' })
  const read = await graph(`/${post}/comments?fields=id,text,from,replies{id,text}`)
  expect(read.body.data[0]).toMatchObject({ text: 'Lovely', from: { id: simulatedUser.id } })
  expect(read.body.data[0].replies.data).toEqual([{ id: reply.body.id, text: 'Thanks' }])
  await sandbox.inject({ ...activity, kind: 'message', text: 'Hi' })
  const sent = await graph(`/${account}/messages`, { recipient: { id: simulatedUser.id }, message: { text: 'Hello' } })
  expect(sent.status).toBe(200)
  await sandbox.inject({ ...activity, kind: 'mention', text: 'Seen @acme' })
  expect((await graph(`/${account}/tags?fields=id,caption`)).body.data[0].caption).toBe('Seen @acme')
  const recorded = await sandbox.ledger('network=Instagram')
  expect(recorded.slice(-3)).toMatchObject([
    { kind: 'comment', parentId: post },
    { kind: 'comment', parentId: remoteId },
    { kind: 'message', text: 'Hello' },
  ])
})

test('metrics grow', async () => {
  const post = (await publish(await picture())).body.id
  const reach = async () => (await graph(`/${post}/insights?metric=reach,saved`)).body.data[0].values[0].value
  const before = await reach()
  await sandbox.advance(day)
  expect(await reach()).toBeGreaterThan(before)
  expect(
    (await graph(`/${account}/insights?metric=views&period=day&metric_type=total_value`)).body.data[0].total_value
      .value,
  ).toBeGreaterThan(0)
})

test('a short-lived token becomes a long-lived one, which can be refreshed after a day', async () => {
  const redirect_uri = 'http://127.0.0.1:1/back'
  const app = { client_id: '900000000000002', client_secret: 'sandbox-instagram-secret' }
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'instagram_business_basic',
    auto: '1',
  })
  const allowed = await sandbox.call(`/instagram/oauth/authorize?${query}`)
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const form = { ...app, code, redirect_uri, grant_type: 'authorization_code' }
  const short = await sandbox.call('/instagram/oauth/access_token', { form })
  expect(short.body.user_id).toBe(account)
  const secret = `client_secret=${app.client_secret}`
  const long = await sandbox.call(
    `/instagram/access_token?grant_type=ig_exchange_token&${secret}&access_token=${short.body.access_token}`,
  )
  const renew = () =>
    sandbox.call(`/instagram/refresh_access_token?grant_type=ig_refresh_token&access_token=${long.body.access_token}`)
  expect((await renew()).status).toBe(400)
  await sandbox.advance(day)
  expect((await renew()).body.expires_in).toBe(5_184_000)
  await sandbox.advance(70 * day)
  expect((await renew()).body.error).toMatchObject({ code: 190, error_subcode: 463 })
})

test('with the Facebook login the account is served by the other host, where posts can be deleted', async () => {
  const post = (await publish(await picture())).body.id
  expect((await graph(`/${post}`, undefined, 'DELETE')).body.error.code).toBe(10)
  const facebook = { token: 'sandbox-facebook-100200300400501-access' }
  const read = await sandbox.call(`/facebook/v26.0/${account}?fields=username,followers_count`, facebook)
  expect(read.body.username).toBe('northwind.outdoor')
  const removed = await sandbox.call(`/facebook/v26.0/${post}`, { ...facebook, method: 'DELETE' })
  expect(removed.body).toEqual({ success: true })
})

test('comments are pushed, signed with the secret of the Instagram app', async () => {
  receiver.answer = ({ method, query }) => ({
    status: 200,
    body: method === 'GET' ? (query.get('hub.challenge') ?? '') : '',
  })
  const form = { object: 'instagram', callback_url: `${receiver.url}/push`, verify_token: 'v', fields: 'comments' }
  for (const [host, id, secret] of [
    ['graph.instagram.com', '900000000000002', 'sandbox-instagram-secret'],
    ['graph.facebook.com', '900000000000001', 'sandbox-facebook-secret'],
  ]) {
    const path = `/${host}/v26.0/${id}/subscriptions`
    expect((await sandbox.call(path, { token: `${id}|${secret}`, form })).status).toBe(400)
  }
  const callback = `${receiver.url}/push`
  const entered = { network: 'Instagram', callback, verifyToken: 'v', fields: ['comments'] }
  expect((await sandbox.control('/dashboard', entered)).status).toBe(200)
  receiver.pushes.length = 0
  await graph(`/${account}/subscribed_apps`, { subscribed_fields: 'comments,messages' })
  const post = (await publish(await picture())).body.id
  await sandbox.inject({
    network: 'Instagram',
    profile: account,
    kind: 'comment',
    postRemoteId: post,
    from: simulatedUser,
    text: 'Wow',
  })
  const push = await receiver.next()
  const expected = createHmac('sha256', 'sandbox-instagram-secret')
    .update(push?.raw ?? '')
    .digest('hex')
  expect(push?.headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
  const { object, entry } = JSON.parse(push?.raw ?? '')
  expect(object).toBe('instagram')
  expect(entry[0].changes[0]).toMatchObject({ field: 'comments', value: { text: 'Wow', media: { id: post } } })
})
