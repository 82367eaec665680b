import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samples, simulatedUser, testReceiver, testSandbox } from '../sandbox.fixture.ts'
import { weightedLength } from './posts.ts'

const account = '1500000000000000501'
const token = `sandbox-twitter-${account}-access`
const secret = 'sandbox-x-secret'
let sandbox: Awaited<ReturnType<typeof testSandbox>>
let receiver: Awaited<ReturnType<typeof testReceiver>>

beforeAll(async () => {
  sandbox = await testSandbox()
  receiver = await testReceiver()
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

const x = (path: string, json?: unknown, method?: string) =>
  sandbox.call(`/x/2${path}`, { token, ...(json ? { json } : {}), ...(method ? { method } : {}) })
const tweet = async (text: string, more: object = {}) => (await x('/tweets', { text, ...more })).body.data.id

test('accepts a text, and rejects duplicates and texts above the weighted length', async () => {
  const made = await x('/tweets', { text: 'Hello X' })
  expect(made.status).toBe(201)
  expect(made.headers.get('x-rate-limit-limit')).toBe('100')
  const again = await x('/tweets', { text: 'Hello X' })
  expect(again.status).toBe(403)
  expect(again.body.detail).toBe('You are not allowed to create a Tweet with duplicate content.')
  expect((await x('/tweets', { text: 'x'.repeat(281) })).status).toBe(403)
  expect((await x('/tweets', { text: `https://acme.example/${'y'.repeat(400)}` })).status).toBe(201)
})

test('a text is counted by its weighted length', () => {
  expect(weightedLength('abc')).toBe(3)
  expect(weightedLength('日本')).toBe(4)
  expect(weightedLength('👨‍👩‍👧‍👦!')).toBe(3)
  expect(weightedLength('see https://example.com/very/long now')).toBe(4 + 23 + 4)
})

test('URLs are returned as t.co URLs with their expanded form', async () => {
  const id = await tweet('R&D at https://acme.example/a?b=1 <now>')
  const { text, entities } = (await x(`/tweets/${id}?tweet.fields=entities`)).body.data
  expect(text).toMatch(/^R&amp;D at https:\/\/t\.co\/[\w-]{10} &lt;now&gt;$/)
  expect(entities.urls).toMatchObject([{ expanded_url: 'https://acme.example/a?b=1' }])
  expect(text.slice(entities.urls[0].start, entities.urls[0].end)).toBe(entities.urls[0].url)
})

test('images are uploaded in one request and videos in segments, and can be posted once processed', async () => {
  const picture = await sandbox.call('/x/2/media/upload', {
    token,
    multipart: { media: samples.png, media_category: 'tweet_image' },
  })
  await x('/media/metadata', { id: picture.body.data.id, metadata: { alt_text: { text: 'A robot' } } })
  await tweet('Picture', { media: { media_ids: [picture.body.data.id] } })
  const opened = await x('/media/upload/initialize', {
    media_type: 'video/mp4',
    total_bytes: samples.mp4.length,
    media_category: 'tweet_video',
  })
  const { id } = opened.body.data
  const half = Math.floor(samples.mp4.length / 2)
  for (const [index, media] of [samples.mp4.subarray(0, half), samples.mp4.subarray(half)].entries()) {
    await sandbox.call(`/x/2/media/upload/${id}/append`, { token, multipart: { segment_index: String(index), media } })
  }
  const finalized = await x(`/media/upload/${id}/finalize`, {})
  expect(finalized.body.data.processing_info.state).toBe('in_progress')
  expect((await x('/tweets', { text: 'Film', media: { media_ids: [id] } })).status).toBe(400)
  await sandbox.advance(2000)
  expect((await x(`/media/upload?command=STATUS&media_id=${id}`)).body.data.processing_info.state).toBe('succeeded')
  await tweet('Film', { media: { media_ids: [id] } })
  const [first, second] = (await sandbox.ledger('network=Twitter&kind=post')).slice(-2)
  expect(first.media).toMatchObject([{ mime: 'image/png', alt: 'A robot' }])
  expect(second.media).toMatchObject([
    { mime: 'video/mp4', sha256: createHash('sha256').update(samples.mp4).digest('hex') },
  ])
})

test('accepts first comments, threads, replies to other users, and likes', async () => {
  const post = await tweet('Start')
  const second = await tweet('Next', { reply: { in_reply_to_tweet_id: post } })
  const activity = { network: 'Twitter', profile: account, from: simulatedUser }
  const { remoteId } = await sandbox.inject({
    ...activity,
    kind: 'reply',
    postRemoteId: post,
    text: '@northwindoutdoor how?',
  })
  await sandbox.inject({ ...activity, kind: 'mention', text: 'I like @northwindoutdoor' })
  const mentions = await x(
    `/users/${account}/mentions?tweet.fields=conversation_id,author_id&expansions=author_id&since_id=${second}`,
  )
  expect(mentions.body.data.map(({ text }: { text: string }) => text)).toEqual([
    'I like @northwindoutdoor',
    '@northwindoutdoor how?',
  ])
  expect(mentions.body.data[1]).toMatchObject({ conversation_id: post, author_id: simulatedUser.id })
  expect(mentions.body.includes.users[0].username).toBe('robinreads')
  await tweet('So', { reply: { in_reply_to_tweet_id: remoteId } })
  expect((await x(`/users/${account}/likes`, { tweet_id: remoteId })).body.data.liked).toBe(true)
  const thread = await x(`/tweets/search/recent?query=conversation_id:${post}&max_results=100`)
  expect(thread.body.meta.result_count).toBe(4)
  const answers = await sandbox.ledger('network=Twitter&kind=reply')
  expect(answers).toMatchObject([
    { remoteId: second, parentId: post },
    { parentId: remoteId, text: 'So' },
  ])
})

test('self-serve apps may not reply without a mention, nor like', async () => {
  const small = (
    await sandbox.control('/profile', { network: 'Twitter', kind: 'account', name: 'Small Shop', tier: 'self-serve' })
  ).body
  const own = { token: small.accessToken }
  const post = (await sandbox.call('/x/2/tweets', { ...own, json: { text: 'Open' } })).body.data.id
  const { remoteId } = await sandbox.inject({
    network: 'Twitter',
    profile: small.id,
    kind: 'reply',
    postRemoteId: post,
    from: simulatedUser,
    text: 'Nice',
  })
  const answer = await sandbox.call('/x/2/tweets', {
    ...own,
    json: { text: 'Ta', reply: { in_reply_to_tweet_id: remoteId } },
  })
  expect(answer.status).toBe(403)
  expect((await sandbox.call(`/x/2/users/${small.id}/likes`, { ...own, json: { tweet_id: remoteId } })).status).toBe(
    403,
  )
  expect(
    (await sandbox.call('/x/2/tweets', { ...own, json: { text: 'PS', reply: { in_reply_to_tweet_id: post } } })).status,
  ).toBe(201)
})

test('messages are read and replied to', async () => {
  const { threadId } = await sandbox.inject({
    network: 'Twitter',
    profile: account,
    kind: 'message',
    from: simulatedUser,
    text: 'Hi',
  })
  const events = await x('/dm_events?dm_event.fields=sender_id,dm_conversation_id,created_at&event_types=MessageCreate')
  expect(events.body.data[0]).toMatchObject({ text: 'Hi', sender_id: simulatedUser.id, dm_conversation_id: threadId })
  const sent = await x(`/dm_conversations/with/${simulatedUser.id}/messages`, { text: 'Hello' })
  expect(sent.body.data.dm_conversation_id).toBe(threadId)
  expect((await sandbox.ledger('network=Twitter&kind=message'))[0]).toMatchObject({
    text: 'Hello',
    to: { id: simulatedUser.id },
  })
})

test('metrics grow; unknown posts are reported as errors; deletion', async () => {
  const post = await tweet('Count')
  const read = async () => (await x(`/tweets?ids=${post},1&tweet.fields=public_metrics`)).body
  const before = await read()
  expect(before.errors[0].resource_id).toBe('1')
  await sandbox.advance(86_400_000)
  expect((await read()).data[0].public_metrics.impression_count).toBeGreaterThan(
    before.data[0].public_metrics.impression_count,
  )
  expect((await x('/users/me?user.fields=public_metrics')).body.data.public_metrics.followers_count).toBeGreaterThan(
    15_000,
  )
  expect((await x(`/tweets/${post}`, undefined, 'DELETE')).body.data.deleted).toBe(true)
  expect((await x(`/tweets/${post}`)).status).toBe(404)
})

test('login with PKCE; every refresh invalidates the previous refresh token', async () => {
  const verifier = 'v'.repeat(50)
  const redirect_uri = 'http://127.0.0.1:1/back'
  const basic = { authorization: `Basic ${Buffer.from(`sandbox-x-client:${secret}`).toString('base64')}` }
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'sandbox-x-client',
    redirect_uri,
    state: 's',
    scope: 'tweet.read users.read offline.access',
    code_challenge,
    code_challenge_method: 'S256',
    auto: '1',
  })
  const code = async () => {
    const allowed = await sandbox.call(`/x/i/oauth2/authorize?${query}`)
    return new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }
  const trade = (form: Record<string, string>) => sandbox.call('/x/2/oauth2/token', { headers: basic, form })
  const exchange = { grant_type: 'authorization_code', redirect_uri }
  expect((await trade({ ...exchange, code: await code(), code_verifier: 'wrong' })).status).toBe(400)
  const late = await code()
  await sandbox.advance(31_000)
  expect((await trade({ ...exchange, code: late, code_verifier: verifier })).status).toBe(400)
  const first = (await trade({ ...exchange, code: await code(), code_verifier: verifier })).body
  const second = (await trade({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).body
  expect((await trade({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).body.error).toBe(
    'invalid_request',
  )
  expect((await sandbox.call('/x/2/users/me', { token: first.access_token })).status).toBe(401)
  expect((await sandbox.call('/x/2/users/me', { token: second.access_token })).status).toBe(200)
  expect((await sandbox.call('/x/2/tweets', { token: second.access_token, json: { text: 'no scope' } })).status).toBe(
    403,
  )
  await sandbox.advance(3 * 3_600_000)
  expect((await sandbox.call('/x/2/users/me', { token: second.access_token })).status).toBe(401)
})

test('at most 100 posts are accepted in 15 minutes', async () => {
  await sandbox.control('/limits', { limits: { 'POST /2/tweets': 1 } })
  await sandbox.advance(900_000)
  expect((await x('/tweets', { text: 'in' })).headers.get('x-rate-limit-remaining')).toBe('0')
  const over = await x('/tweets', { text: 'out' })
  expect(over.status).toBe(429)
  const now = (await sandbox.control('/clock')).body.now
  expect(Number(over.headers.get('x-rate-limit-reset')) * 1000).toBeGreaterThan(now)
  await sandbox.advance(900_000)
  expect((await x('/tweets', { text: 'in again' })).status).toBe(201)
  await sandbox.control('/limits', { clear: true })
})

test('events are pushed with a base64 signature after the challenge', async () => {
  const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`
  const app = { token: 'sandbox-x-app-bearer' }
  receiver.answer = () => ({ status: 200, body: '{}' })
  const refused = await sandbox.call('/x/2/webhooks', { ...app, json: { url: `${receiver.url}/push` } })
  expect(refused.body.errors[0].message).toContain('CrcValidationFailed')
  receiver.answer = ({ query }) => ({
    status: 200,
    body: JSON.stringify({ response_token: sign(query.get('crc_token') ?? '') }),
  })
  const webhook = await sandbox.call('/x/2/webhooks', { ...app, json: { url: `${receiver.url}/push` } })
  const subscribe = (event_type: string, who: { token: string }) => {
    const json = { event_type, filter: { user_id: account }, tag: 't', webhook_id: webhook.body.data.id }
    return sandbox.call('/x/2/activity/subscriptions', { ...who, json })
  }
  expect((await subscribe('post.create', app)).status).toBe(200)
  expect((await subscribe('dm.received', app)).status).toBe(403)
  for (const event of ['dm.received', 'post.mention.create'])
    expect((await subscribe(event, { token })).status).toBe(200)
  await sandbox.inject({
    network: 'Twitter',
    profile: account,
    kind: 'mention',
    from: simulatedUser,
    text: 'Hey @northwindoutdoor',
  })
  const push = await receiver.next()
  expect(push?.headers['x-twitter-webhooks-signature']).toBe(sign(push?.raw ?? ''))
  expect(JSON.parse(push?.raw ?? '').data).toMatchObject({
    event_type: 'post.mention.create',
    payload: { text: 'Hey @northwindoutdoor' },
  })
  await sandbox.inject({ network: 'Twitter', profile: account, kind: 'message', from: simulatedUser, text: 'Psst' })
  const message = JSON.parse((await receiver.next(2))?.raw ?? '').data.payload.direct_message_events[0]
  expect(message.message_create).toMatchObject({ sender_id: simulatedUser.id, message_data: { text: 'Psst' } })
})

test('reads are charged per resource once a day, actions per request, and requests without credits are rejected', async () => {
  await sandbox.control('/limits', { clear: true })
  const bill = async () => (await sandbox.control('/usage')).body.usage.Twitter
  const id = await tweet('Priced')
  const read = () => x(`/tweets?ids=${id}&expansions=author_id`)
  await read()
  await read()
  expect(await bill()).toMatchObject({
    items: { 'Post: Create': 1, 'Posts: Read': 1, 'User: Read': 1 },
    micros: 30_000,
  })
  await sandbox.advance(86_400_000)
  await read()
  expect((await bill()).items['Posts: Read']).toBe(2)
  await sandbox.control('/limits', { limits: { 'X credits': 1 } })
  expect(await read()).toMatchObject({ status: 402, body: { type: expect.stringContaining('credits') } })
  await sandbox.control('/limits', { clear: true })
})
