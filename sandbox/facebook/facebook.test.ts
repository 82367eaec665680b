import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'

const page = '100200300400501'
const token = `sandbox-facebook-${page}-access`
const app = { client_id: '900000000000001', client_secret: 'sandbox-facebook-secret' }
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await testReceiver({ 'photo.png': samples.png, 'clip.mp4': samples.mp4 })
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const graph = (path: string, json?: unknown, method?: string) =>
  sandbox.call(`/facebook/v26.0${path}`, { token, ...(json ? { json } : {}), ...(method ? { method } : {}) })

test('text and link posts are in the ledger, with a permalink and an escaped HTML page', async () => {
  const made = await graph(`/${page}/feed`, { message: 'Hello <b>all</b>', link: 'https://acme.example/a' })
  expect(made.body.id).toMatch(new RegExp(`^${page}_\\d{17}$`))
  const { body } = await graph(`/${made.body.id}?fields=message,permalink_url,reactions.summary(true)`)
  expect(body.message).toBe('Hello <b>all</b>')
  expect(Object.keys(body).sort()).toEqual(['id', 'message', 'permalink_url', 'reactions'])
  const shown = await sandbox.call(body.permalink_url)
  expect(shown.body).toContain('Hello &lt;b&gt;all&lt;/b&gt;')
  const [entry] = await sandbox.ledger(`network=Facebook&profile=${page}&kind=post`)
  expect(entry).toMatchObject({
    remoteId: made.body.id,
    text: 'Hello <b>all</b>',
    link: 'https://acme.example/a',
  })
})

test('consecutive posts with the same text are rejected as duplicates', async () => {
  await graph(`/${page}/feed`, { message: 'Once' })
  const again = await graph(`/${page}/feed`, { message: 'Once' })
  expect(again.status).toBe(400)
  expect(again.body.error.code).toBe(506)
})

test('photos are uploaded from a URL or as bytes, then attached', async () => {
  const pulled = await graph(`/${page}/photos`, { url: `${receiver.url}/photo.png`, published: false })
  const sent = await sandbox.call(`/facebook/v26.0/${page}/photos`, {
    token,
    multipart: { published: 'false', source: samples.jpeg },
  })
  const attached_media = [{ media_fbid: pulled.body.id }, { media_fbid: sent.body.id }]
  const post = await graph(`/${page}/feed`, { message: 'Two', attached_media })
  const entry = (await sandbox.ledger('kind=post')).at(-1)
  expect(entry.remoteId).toBe(post.body.id)
  expect(entry.media.map(({ mime }: { mime: string }) => mime)).toEqual(['image/png', 'image/jpeg'])
  const pdf = await sandbox.call(`/facebook/v26.0/${page}/photos`, { token, multipart: { source: samples.pdf } })
  expect(pdf.body.error.error_subcode).toBe(1366046)
})

test('a video is uploaded in chunks, processed, and becomes one post', async () => {
  const started = await graph(`/${page}/videos`, { upload_phase: 'start', file_size: samples.mp4.length })
  const { upload_session_id, video_id } = started.body
  const moved = await sandbox.call(`/facebook/v26.0/${page}/videos`, {
    token,
    multipart: { upload_phase: 'transfer', upload_session_id, start_offset: '0', video_file_chunk: samples.mp4 },
  })
  expect(moved.body.start_offset).toBe(moved.body.end_offset)
  const finished = await graph(`/${page}/videos`, { upload_phase: 'finish', upload_session_id, description: 'Film' })
  expect(finished.body).toEqual({ success: true })
  const state = async () => (await graph(`/${video_id}?fields=status,post_id`)).body
  expect((await state()).status.video_status).toBe('processing')
  await sandbox.advance(2000)
  expect((await state()).status.video_status).toBe('ready')
  const entries = await sandbox.ledger('kind=post')
  expect(entries.filter(({ alias }: { alias: string }) => alias === video_id).length).toBe(1)
})

test('accepts a first comment, a reply to another user, and a like', async () => {
  const post = (await graph(`/${page}/feed`, { message: 'Discuss' })).body.id
  await graph(`/${post}/comments`, { message: 'First' })
  const { remoteId } = await sandbox.inject({
    network: 'Facebook',
    profile: page,
    kind: 'comment',
    postRemoteId: post,
    from: simulatedUser,
    text: 'Why?',
  })
  const answer = await graph(`/${remoteId}/comments`, {
    message: 'Because',
    attachment_url: `${receiver.url}/photo.png`,
  })
  await graph(`/${remoteId}/likes`, {}, 'POST')
  await graph(`/${remoteId}/likes`, {}, 'POST')
  const read = await graph(`/${post}/comments?filter=stream&fields=id,message,from,parent,like_count`)
  expect(read.body.data.map(({ message }: { message: string }) => message)).toEqual(['First', 'Why?', 'Because'])
  expect(read.body.data[1]).toMatchObject({ from: { id: simulatedUser.id }, like_count: 1 })
  expect(read.body.data[2].parent.id).toBe(remoteId)
  const comments = await sandbox.ledger('network=Facebook&kind=comment')
  expect(comments.map(({ parentId }: { parentId: string }) => parentId)).toEqual([post, remoteId])
  expect(comments[1]).toMatchObject({ remoteId: answer.body.id, media: [{ mime: 'image/png' }] })
  expect((await sandbox.ledger('kind=like')).length).toBe(1)
})

test('replies to messages are accepted for 24 hours, and from a human agent for 7 days', async () => {
  const { threadId } = await sandbox.inject({
    network: 'Facebook',
    profile: page,
    kind: 'message',
    from: simulatedUser,
    text: 'Hi',
  })
  const send = (more = {}) =>
    graph(`/${page}/messages`, {
      recipient: { id: simulatedUser.id },
      messaging_type: 'RESPONSE',
      message: { text: 'Yes?' },
      ...more,
    })
  expect((await send()).body.recipient_id).toBe(simulatedUser.id)
  const threads = await graph(
    `/${page}/conversations?platform=messenger&fields=id,participants,messages{id,message,from}`,
  )
  expect(threads.body.data[0].id).toBe(threadId)
  expect(threads.body.data[0].messages.data.map(({ message }: { message: string }) => message)).toEqual(['Yes?', 'Hi'])
  await sandbox.advance(2 * 86_400_000)
  expect((await send()).body.error.error_subcode).toBe(2018278)
  expect((await send({ messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' })).status).toBe(200)
  expect((await sandbox.ledger('network=Facebook&kind=message')).length).toBe(2)
})

test('metrics grow with time, and a removed metric fails the request', async () => {
  const post = (await graph(`/${page}/feed`, { message: 'Count me' })).body.id
  const views = async () => (await graph(`/${post}/insights?metric=post_media_view`)).body.data[0].values[0].value
  const before = await views()
  await sandbox.advance(86_400_000)
  expect(await views()).toBeGreaterThan(before)
  const gone = await graph(`/${post}/insights?metric=post_media_view,post_impressions`)
  expect(gone.body.error.code).toBe(100)
  expect((await graph(`/${page}?fields=followers_count`)).body.followers_count).toBeGreaterThan(12_000)
})

test('a login leads from the consent page to a page token that does not expire', async () => {
  const redirect_uri = 'http://127.0.0.1:1/back'
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    state: 's1',
    scope: 'pages_show_list,pages_manage_posts',
  })
  const dialog = await sandbox.call(`/facebook/v26.0/dialog/oauth?${query}`)
  expect(dialog.body).toContain('Allow')
  const denied = await sandbox.call(`/facebook/v26.0/dialog/oauth?${query}&decision=deny`)
  expect(new URL(denied.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
  const some = await sandbox.call(`/facebook/v26.0/dialog/oauth?${query}&decision=allow&granted=pages_show_list`)
  const partly = new URL(some.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const allowed = await sandbox.call(`/facebook/v26.0/dialog/oauth?${query}&auto=1`)
  const redirect = new URL(allowed.headers.get('location') ?? '').searchParams
  expect(redirect.get('state')).toBe('s1')
  const trade = (form: Record<string, string>) =>
    sandbox.call('/facebook/v26.0/oauth/access_token', { form: { ...app, ...form } })
  const code = redirect.get('code') ?? ''
  const deselected = (await trade({ code: partly, redirect_uri })).body.access_token
  const granted = await sandbox.call('/facebook/v26.0/me/permissions', { token: deselected })
  expect(granted.body.data).toEqual([{ permission: 'pages_show_list', status: 'granted' }])
  expect((await trade({ code, redirect_uri: 'http://127.0.0.1:1/else' })).status).toBe(400)
  const short = await trade({ code, redirect_uri })
  expect((await trade({ code, redirect_uri })).body.error.error_subcode).toBe(36009)
  const long = await trade({ grant_type: 'fb_exchange_token', fb_exchange_token: short.body.access_token })
  expect(long.body.expires_in).toBeGreaterThan(5_000_000)
  const pages = await sandbox.call(
    '/facebook/v26.0/me/accounts?fields=id,name,access_token,instagram_business_account',
    { token: long.body.access_token },
  )
  expect(pages.body.data[0]).toMatchObject({ id: page, instagram_business_account: { id: '17841400000000501' } })
  const pageToken = pages.body.data[0].access_token
  await sandbox.advance(70 * 86_400_000)
  const posted = await sandbox.call(`/facebook/v26.0/${page}/feed`, {
    token: pageToken,
    json: { message: 'Long after' },
  })
  expect(posted.status).toBe(200)
  const comment = await sandbox.call(`/facebook/v26.0/${posted.body.id}/comments`, {
    token: pageToken,
    json: { message: 'x' },
  })
  expect(comment.body.error.code).toBe(200)
})

test('pushes are signed, start after the handshake and include echoes of own messages', async () => {
  receiver.answer = ({ method, query }) => ({
    status: 200,
    body: method === 'GET' ? (query.get('hub.challenge') ?? '') : '',
  })
  const appToken = `${app.client_id}|${app.client_secret}`
  const registered = await sandbox.call(`/facebook/v26.0/${app.client_id}/subscriptions`, {
    form: {
      access_token: appToken,
      object: 'page',
      callback_url: `${receiver.url}/push`,
      verify_token: 'v',
      fields: 'feed,messages',
    },
  })
  expect(registered.body).toEqual({ success: true })
  expect(receiver.pushes[0]?.query.get('hub.verify_token')).toBe('v')
  await graph(`/${page}/subscribed_apps`, { subscribed_fields: 'feed,mention,messages,message_echoes' })
  await sandbox.inject({ network: 'Facebook', profile: page, kind: 'message', from: simulatedUser, text: 'Grüße' })
  const push = await receiver.next()
  const expected = createHmac('sha256', app.client_secret)
    .update(push?.raw ?? '')
    .digest('hex')
  expect(push?.headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
  expect(JSON.parse(push?.raw ?? '').entry[0].messaging[0].message.text).toBe('Grüße')
  await graph(`/${page}/messages`, { recipient: { id: simulatedUser.id }, message: { text: 'Back' } })
  expect(JSON.parse((await receiver.next(2))?.raw ?? '').entry[0].messaging[0].message.is_echo).toBe(true)
  await sandbox.inject({
    network: 'Facebook',
    profile: page,
    kind: 'mention',
    from: simulatedUser,
    text: 'Look',
    push: false,
  })
  expect((await graph(`/${page}/tagged?fields=id,message`)).body.data[0].message).toBe('Look')
})

test('unknown versions are rejected, expired ones are served as the oldest supported', async () => {
  const unknown = await sandbox.call(`/facebook/v99.0/${page}`, { token })
  expect(unknown.body.error.code).toBe(2500)
  const dead = await sandbox.call(`/facebook/v20.0/${page}`, { token })
  expect(dead.headers.get('facebook-api-version')).toBe('v21.0')
  expect(JSON.parse(dead.headers.get('x-app-usage') ?? '{}')).toHaveProperty('call_count')
})

test('a removed post is not found on the network and marked in the ledger', async () => {
  const post = (await graph(`/${page}/feed`, { message: 'Short-lived' })).body.id
  expect((await graph(`/${post}`, undefined, 'DELETE')).body).toEqual({ success: true })
  expect((await graph(`/${post}`)).body.error.error_subcode).toBe(33)
  expect((await sandbox.ledger()).at(-1).removedAt).not.toBeNull()
})
