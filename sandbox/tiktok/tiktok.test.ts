import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

const account = '7100000000000000501'
const token = `sandbox-tiktok-${account}-access`
const secret = 'sandbox-tiktok-secret'
const app = { client_id: 'sandbox-tiktok-client', client_secret: secret }
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await testReceiver({
    'a.mp4': samples.mp4,
    'long.mp4': samples.longMovie,
    'a.jpg': samples.jpeg,
    'a.png': samples.png,
  })
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

/** A GET with the account in the query, or a POST with it in the body. */
const business = (path: string, json?: object, bearer = token) => {
  const headers = { 'access-token': bearer }
  const url = `/tiktok/open_api/v1.3${path}`
  if (json) return sandbox.call(url, { headers, json: { business_id: account, ...json } })
  return sandbox.call(`${url}${path.includes('?') ? '&' : '?'}business_id=${account}`, { headers })
}
const developer = (path: string, json: object) => sandbox.call(`/tiktok/v2${path}`, { token, json })
const state = async (id: string) =>
  (await business(`/business/publish/status/?publish_id=${encodeURIComponent(id)}`)).body.data

async function published(caption: string): Promise<string> {
  const { share_id } = (
    await business('/business/video/publish/', { video_url: `${receiver.url}/a.mp4`, post_info: { caption } })
  ).body.data
  await sandbox.advance(10_000)
  return (await state(share_id)).post_ids[0]
}

test('the business API downloads a video and reports the post id after processing', async () => {
  const order = { video_url: `${receiver.url}/a.mp4`, post_info: { caption: 'Robots #dance' } }
  const { share_id } = (await business('/business/video/publish/', order)).body.data
  expect((await state(share_id)).status).toBe('PROCESSING_DOWNLOAD')
  expect((await business('/business/video/publish/', order)).body.code).toBe(40050)
  await sandbox.advance(2000)
  expect(await state(share_id)).toEqual({ status: 'PUBLISH_COMPLETE' })
  await sandbox.advance(8000)
  const { status, post_ids } = await state(share_id)
  expect(status).toBe('PUBLISH_COMPLETE')
  expect(Number(post_ids[0])).toBeGreaterThan(Number.MAX_SAFE_INTEGER)
  const entries = await sandbox.ledger('network=TikTok')
  expect(entries).toMatchObject([{ remoteId: post_ids[0], text: 'Robots #dance', media: [{ mime: 'video/mp4' }] }])
})

test('media that cannot be downloaded or used fails later with a reason', async () => {
  const fail = async (path: string, json: object) =>
    (await state((await business(path, json)).body.data.share_id)).reason
  const video = (name: string) => ({ video_url: `${receiver.url}/${name}`, post_info: {} })
  expect(await fail('/business/video/publish/', video('missing'))).toBe('video_pull_failed')
  expect(await fail('/business/video/publish/', video('long.mp4'))).toBe('duration_check_failed')
  const post_info = { privacy_level: 'PUBLIC_TO_EVERYONE' }
  const photos = { photo_images: [`${receiver.url}/a.png`], post_info }
  expect(await fail('/business/photo/publish/', photos)).toBe('file_format_check_failed')
})

test('photo posts need an allowed privacy level, and only public posts get an id', async () => {
  const allowed = (await business('/business/video/settings/')).body.data.privacy_level_options
  expect(allowed).toEqual(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'])
  const order = (post_info?: object) =>
    business('/business/photo/publish/', { photo_images: [`${receiver.url}/a.jpg`], post_info })
  for (const refused of [undefined, {}, { privacy_level: 'FOLLOWER_OF_CREATOR' }]) {
    expect((await order(refused)).body.code).toBe(40002)
  }
  const { share_id } = (await order({ privacy_level: 'SELF_ONLY', caption: 'Mine' })).body.data
  await sandbox.advance(86_400_000)
  expect(await state(share_id)).toEqual({ status: 'PUBLISH_COMPLETE' })
  const { videos } = (await business('/business/video/list/?fields=["item_id","caption"]')).body.data
  expect(videos.map(({ caption }: { caption: string }) => caption)).not.toContain('Mine')
})

test('media is downloaded from verified domains only', async () => {
  const property = (verb: string, url: string) => {
    const json = { app_id: app.client_id, url_property_meta: { property_type: 1, url } }
    return sandbox.call(`/tiktok/open_api/v1.3/business/property/${verb}/`, { json })
  }
  const order = (video_url: string) => business('/business/video/publish/', { video_url, post_info: {} })
  expect((await order('https://cdn.example.com/a.mp4')).body.message).toContain('url_ownership_unverified')
  expect((await property('add', 'example.com')).body.data.url_property_info.property_status).toBe(2)
  expect((await order('https://cdn.example.com/a.mp4')).body.code).toBe(40002)
  expect((await property('verify', 'example.com')).body.data.url_property_info.property_status).toBe(1)
  await property('delete', '127.0.0.1')
  expect((await order(`${receiver.url}/a.mp4`)).body.code).toBe(40002)
  await property('verify', '127.0.0.1')
  expect((await order(`${receiver.url}/a.mp4`)).body.code).toBe(0)
})

test('each account field needs its scope, and a login can request only scopes of the app', async () => {
  const login = (change: Record<string, string>) => {
    const usual = { client_key: app.client_id, response_type: 'code', scope: 'user.info.basic', auto: '1' }
    const query = new URLSearchParams({ redirect_uri: 'http://127.0.0.1:1/back/', ...usual, ...change })
    return sandbox.call(`/tiktok/v2/auth/authorize/?${query}`)
  }
  for (const redirect_uri of ['http://127.0.0.1:1/back', 'http://127.0.0.1:1/back/?a=1/']) {
    expect((await login({ redirect_uri })).status).toBe(400)
  }
  expect((await login({ scope: 'user.info.basic,unknown' })).status).toBe(400)
  const auth_code = new URL((await login({})).headers.get('location') ?? '').searchParams.get('code') ?? ''
  const json = { ...app, grant_type: 'authorization_code', auth_code, redirect_uri: 'http://127.0.0.1:1/back/' }
  const { access_token } = (await sandbox.call('/tiktok/open_api/v1.3/tt_user/oauth2/token/', { json })).body.data
  const ask = (fields: string) => business(`/business/get/?fields=${fields}`, undefined, access_token)
  expect((await ask('["display_name"]')).body).toMatchObject({ code: 0, data: { display_name: 'Northwind Outdoor' } })
  expect((await ask('["display_name","username"]')).body.code).toBe(40001)
})

test('the developer API accepts chunked videos and photos', async () => {
  const post_info = { title: 'In parts', privacy_level: 'PUBLIC_TO_EVERYONE' }
  const options = await developer('/post/publish/creator_info/query/', {})
  expect(options.body.data.privacy_level_options).toContain('PUBLIC_TO_EVERYONE')
  const size = samples.mp4.length
  const source_info = { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1 }
  const opened = (await developer('/post/publish/video/init/', { post_info, source_info })).body.data
  const half = Math.floor(size / 2)
  const put = (from: number, to: number) =>
    sandbox.call(opened.upload_url, {
      method: 'PUT',
      bytes: samples.mp4.subarray(from, to),
      headers: { 'content-range': `bytes ${from}-${to - 1}/${size}` },
    })
  expect((await put(0, half)).status).toBe(206)
  expect((await put(half, size)).status).toBe(201)
  await sandbox.advance(2000)
  const status = (publish_id: string) => developer('/post/publish/status/fetch/', { publish_id })
  const done = (await status(opened.publish_id)).body
  expect(done).toMatchObject({ data: { status: 'PUBLISH_COMPLETE' }, error: { code: 'ok' } })
  const photo_images = [`${receiver.url}/a.jpg`, `${receiver.url}/a.jpg`]
  const photos = await developer('/post/publish/content/init/', {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: { title: 'Two', description: 'Photos', privacy_level: 'SELF_ONLY' },
    source_info: { source: 'PULL_FROM_URL', photo_images, photo_cover_index: 0 },
  })
  expect((await status(photos.body.data.publish_id)).body.data.publicaly_available_post_id.length).toBe(1)
  expect((await sandbox.ledger('network=TikTok')).at(-1)).toMatchObject({ title: 'Two', text: 'Photos' })
  const unknown = await developer('/post/publish/video/init/', { post_info: { privacy_level: 'X' }, source_info })
  expect(unknown.body.error.code).toBe('privacy_level_option_mismatch')
})

test('accepts comments, replies, likes and messages', async () => {
  const video_id = await published('Talk')
  await business('/business/comment/create/', { video_id, text: 'First' })
  const activity = { network: 'TikTok', profile: account, from: simulatedUser }
  const { remoteId } = await sandbox.inject({ ...activity, kind: 'comment', postRemoteId: video_id, text: 'Cool' })
  await business('/business/comment/reply/create/', { video_id, comment_id: remoteId, text: 'Thanks' })
  await business('/business/comment/like/', { video_id, comment_id: remoteId, action: 'LIKE' })
  const read = await business(`/business/comment/list/?video_id=${video_id}&include_replies=true`)
  expect(read.body.data.comments[0]).toMatchObject({
    text: 'Cool',
    likes: 1,
    reply_list: [{ text: 'Thanks', parent_comment_id: remoteId }],
  })
  const linked = await business('/business/comment/create/', { video_id, text: 'see https://acme.example' })
  expect(linked).toMatchObject({ status: 200, body: { code: 40002 } })
  const { threadId } = await sandbox.inject({ ...activity, kind: 'message', text: 'Hi' })
  const send = () =>
    business('/business/message/send/', {
      recipient_type: 'CONVERSATION',
      recipient: threadId,
      message_type: 'TEXT',
      text: { body: 'Yes' },
    })
  expect((await send()).body.code).toBe(0)
  await sandbox.advance(49 * 3_600_000)
  expect((await send()).body.code).toBe(40002)
  const recorded = (await sandbox.ledger('network=TikTok')).slice(-4)
  expect(recorded).toMatchObject([
    { kind: 'comment', parentId: video_id },
    { kind: 'comment', parentId: remoteId },
    { kind: 'like', parentId: remoteId },
    { kind: 'message', threadId },
  ])
})

test('metrics grow', async () => {
  const id = await published('Count')
  const views = async () => {
    const { videos } = (await business('/business/video/list/?fields=["item_id","video_views"]')).body.data
    return videos.find(({ item_id }: { item_id: string }) => item_id === id).video_views
  }
  const before = await views()
  await sandbox.advance(86_400_000)
  expect(await views()).toBeGreaterThan(before)
  expect((await business('/business/get/?fields=["followers_count"]')).body.data.followers_count).toBeGreaterThan(9000)
})

test('refresh tokens rotate; revoked and expired tokens have separate error codes', async () => {
  const redirect_uri = 'http://127.0.0.1:1/back/'
  const query = new URLSearchParams({
    client_key: app.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'user.info.basic,video.list',
    auto: '1',
  })
  const allowed = await sandbox.call(`/tiktok/v2/auth/authorize/?${query}`)
  const auth_code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const trade = async (path: string, json: object) =>
    (await sandbox.call(`/tiktok/open_api/v1.3/tt_user/oauth2/${path}/`, { json: { ...app, ...json } })).body
  const first = (await trade('token', { grant_type: 'authorization_code', auth_code, redirect_uri })).data
  expect((await trade('token', { grant_type: 'authorization_code', auth_code, redirect_uri })).code).toBe(40110)
  const refresh = (refresh_token: string) => trade('refresh_token', { grant_type: 'refresh_token', refresh_token })
  const second = (await refresh(first.refresh_token)).data
  expect((await refresh(first.refresh_token)).code).toBe(40107)
  const get = async (bearer: string) => (await business('/business/get/?fields=[]', undefined, bearer)).body.code
  expect(await get(second.access_token)).toBe(0)
  await sandbox.advance(25 * 3_600_000)
  expect(await get(second.access_token)).toBe(40102)
  const third = (await refresh(second.refresh_token)).data
  await trade('revoke', { access_token: third.access_token })
  expect(await get(third.access_token)).toBe(40105)
})

test('events are pushed with a signature over time and body, and JSON-encoded content', async () => {
  const webhook = { app_id: app.client_id, secret, event_type: 'COMMENT', callback_url: `${receiver.url}/push` }
  expect((await sandbox.call('/tiktok/open_api/v1.3/business/webhook/update/', { json: webhook })).body.code).toBe(0)
  const video_id = await published('Pushed')
  await sandbox.inject({
    network: 'TikTok',
    profile: account,
    kind: 'comment',
    postRemoteId: video_id,
    from: simulatedUser,
    text: 'Ja',
  })
  const push = await receiver.next()
  const [, time, signature] = /^t=(\d+),s=([0-9a-f]+)$/.exec(String(push?.headers['tiktok-signature'])) ?? []
  expect(signature).toBe(createHmac('sha256', secret).update(`${time}.${push?.raw}`).digest('hex'))
  const { event, user_openid, content } = JSON.parse(push?.raw ?? '')
  expect({ event, user_openid }).toEqual({ event: 'comment.update', user_openid: account })
  expect(JSON.parse(content)).toMatchObject({ comment_action: 'insert', video_id, text: 'Ja' })
})
