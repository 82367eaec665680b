import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await testReceiver({ 'a.jpg': samples.jpeg, 'a.mp4': samples.mp4 })
})
beforeEach(() => sandbox.control('/reset', {}))
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const lose = (network: string, operation: string) =>
  sandbox.control('/fault', { network, operation, fault: 'lost-answer', count: 1 })

test('Instagram: the container reports that it was published', async () => {
  const own = { token: 'sandbox-instagram-17841400000000501-access' }
  const media = { ...own, json: { image_url: `${receiver.url}/a.jpg` } }
  const { id } = (await sandbox.call('/instagram/v26.0/me/media', media)).body
  await lose('Instagram', 'publish')
  const publish = () => sandbox.call('/instagram/v26.0/me/media_publish', { ...own, json: { creation_id: id } })
  await expect(publish()).rejects.toThrow('ECONNRESET')
  expect((await sandbox.call(`/instagram/v26.0/${id}?fields=status_code`, own)).body.status_code).toBe('PUBLISHED')
  expect((await publish()).status).toBe(400)
  expect((await sandbox.ledger('network=Instagram')).length).toBe(1)
})

test('YouTube: the upload session returns the video when requested again', async () => {
  const own = { token: 'sandbox-youtube-UCsandboxNorthwindOut501-access' }
  const json = { snippet: { title: 'Lost' } }
  const opened = await sandbox.call('/youtube/upload/youtube/v3/videos?uploadType=resumable&part=snippet', {
    ...own,
    json,
  })
  const location = opened.headers.get('location') ?? ''
  await lose('YouTube', 'publish')
  await expect(sandbox.call(location, { method: 'PUT', bytes: samples.mp4 })).rejects.toThrow('ECONNRESET')
  const probe = await sandbox.call(location, {
    method: 'PUT',
    headers: { 'content-range': `bytes */${samples.mp4.length}` },
  })
  const entries = await sandbox.ledger('network=YouTube')
  expect(entries.map(({ remoteId }: { remoteId: string }) => remoteId)).toEqual([probe.body.id])
})

test('TikTok: the list of videos contains the post', async () => {
  const account = '7100000000000000501'
  const headers = { 'access-token': `sandbox-tiktok-${account}-access` }
  const json = { business_id: account, video_url: `${receiver.url}/a.mp4`, post_info: { caption: 'Lost' } }
  await lose('TikTok', 'publish')
  const base = '/tiktok/open_api/v1.3/business'
  await expect(sandbox.call(`${base}/video/publish/`, { headers, json })).rejects.toThrow('ECONNRESET')
  const listed = await sandbox.call(
    `${base}/video/list/?business_id=${account}&fields=${encodeURIComponent('["item_id","caption"]')}`,
    { headers },
  )
  expect(listed.body.data.videos.map(({ caption }: { caption: string }) => caption)).toEqual(['Lost'])
})

test('any response can be scripted, also after the effect', async () => {
  const own = { token: 'sandbox-twitter-1500000000000000501-access' }
  const answer = { status: 500, headers: { 'x-trace': '1' }, body: { title: 'Internal' } }
  await sandbox.control('/fault', {
    network: 'Twitter',
    operation: 'publish',
    fault: 'answer',
    answer,
    afterEffect: true,
  })
  const reply = await sandbox.call('/x/2/tweets', { ...own, json: { text: 'Did it?' } })
  expect(reply).toMatchObject({ status: 500, body: { title: 'Internal' } })
  const listed = await sandbox.call('/x/2/users/1500000000000000501/tweets', own)
  expect(listed.body.data.map(({ text }: { text: string }) => text)).toEqual(['Did it?'])
})

test('each network has its own response to a rejected token refresh', async () => {
  const token = async (network: string, path: string, form: Record<string, string>) => {
    await sandbox.control('/fault', { network, operation: 'token', fault: 'token-revoked' })
    return (await sandbox.call(path, { form })).body
  }
  const invalid = { error: 'invalid_grant' }
  expect(await token('LinkedIn', '/linkedin/oauth/v2/accessToken', { a: '1' })).toMatchObject(invalid)
  expect(await token('YouTube', '/youtube/token', { a: '1' })).toMatchObject(invalid)
  expect(await token('TikTok', '/tiktok/v2/oauth/token/', { a: '1' })).toMatchObject(invalid)
  expect(await token('Twitter', '/x/2/oauth2/token', { a: '1' })).toMatchObject({ error: 'invalid_request' })
  const path = '/tiktok/open_api/v1.3/tt_user/oauth2/refresh_token/'
  expect(await token('TikTok', path, { a: '1' })).toMatchObject({ code: 40107 })
})

test('a planned not-ready fault affects status requests once', async () => {
  const own = { token: 'sandbox-instagram-17841400000000501-access' }
  const media = { ...own, json: { image_url: `${receiver.url}/a.jpg` } }
  const { id } = (await sandbox.call('/instagram/v26.0/me/media', media)).body
  await sandbox.control('/fault', { network: 'Instagram', operation: 'status', fault: 'not-ready', count: 2 })
  const state = async () => (await sandbox.call(`/instagram/v26.0/${id}?fields=status_code`, own)).body.status_code
  expect([await state(), await state(), await state()]).toEqual(['IN_PROGRESS', 'IN_PROGRESS', 'FINISHED'])
})

test('processing can be delayed or made to fail', async () => {
  const own = { token: 'sandbox-twitter-1500000000000000501-access' }
  const upload = async () => {
    const json = { media_type: 'video/mp4', total_bytes: samples.mp4.length }
    const { id } = (await sandbox.call('/x/2/media/upload/initialize', { ...own, json })).body.data
    await sandbox.call(`/x/2/media/upload/${id}/append`, {
      ...own,
      multipart: { segment_index: '0', media: samples.mp4 },
    })
    await sandbox.call(`/x/2/media/upload/${id}/finalize`, { ...own, json: {} })
    return async () =>
      (await sandbox.call(`/x/2/media/upload?command=STATUS&media_id=${id}`, own)).body.data.processing_info.state
  }
  await sandbox.control('/processing', { network: 'Twitter', delayMs: 60_000, failure: 'InvalidMedia' })
  const state = await upload()
  expect(await state()).toBe('in_progress')
  await sandbox.advance(61_000)
  expect(await state()).toBe('failed')
})

test('pushes can be duplicated, forged or suppressed, while polling still works', async () => {
  const page = '100200300400501'
  receiver.answer = ({ method, query }) => ({
    status: 200,
    body: method === 'GET' ? (query.get('hub.challenge') ?? '') : '',
  })
  const form = {
    access_token: '900000000000001|sandbox-facebook-secret',
    object: 'page',
    callback_url: `${receiver.url}/p`,
    verify_token: '',
  }
  await sandbox.call('/facebook/v26.0/900000000000001/subscriptions', { form })
  const own = { token: `sandbox-facebook-${page}-access` }
  await sandbox.call(`/facebook/v26.0/${page}/subscribed_apps`, { ...own, json: { subscribed_fields: 'messages' } })
  const write = (text: string) =>
    sandbox.inject({ network: 'Facebook', profile: page, kind: 'message', from: simulatedUser, text })
  await sandbox.control('/push', { behaviour: 'twice' })
  await write('a')
  expect((await receiver.next(2))?.raw).toBe((await receiver.next(1))?.raw)
  await sandbox.control('/push', { behaviour: 'forged' })
  await write('b')
  const forged = await receiver.next(3)
  const genuine = await receiver.next(1)
  expect(forged?.headers['x-hub-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect(forged?.headers['x-hub-signature-256']).not.toBe(genuine?.headers['x-hub-signature-256'])
  await sandbox.control('/push', { behaviour: 'silent' })
  await write('c')
  const read = await sandbox.call(`/facebook/v26.0/${page}/conversations?fields=messages{message}`, own)
  const texts = read.body.data[0].messages.data.map(({ message }: { message: string }) => message)
  expect(texts).toEqual(['c', 'b', 'a'])
  expect((await sandbox.control('/push')).body.deliveries.length).toBe(3)
})
