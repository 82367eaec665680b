import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { film, problemOf, reader, youtubeChannel } from './youtube.fixture.ts'

let channel: Awaited<ReturnType<typeof youtubeChannel>>
let postId: string
beforeAll(async () => {
  channel = await youtubeChannel()
})
beforeEach(async () => {
  await channel.control('/reset', {})
  postId = (await channel.publish({ text: 'About robots', media: [film()] })).remoteId
})
afterAll(() => channel.close())

const said = () => channel.ledger('network=YouTube&kind=comment')

test('a first comment appears under the video, a reply in its thread, and images are dropped', async () => {
  const { connector, actor } = channel
  const first = await connector.reply(actor, { postId }, 'First!', [])
  const { remoteId: commentId } = await channel.inject({ postRemoteId: postId, text: 'Nice' })
  const response = await connector.reply(actor, { postId, commentId }, 'Thanks', [{ ...film(), mime: 'image/png' }])
  const deep = { postId, commentId: response.remoteId }
  const nestedReply = await connector.reply(actor, deep, 'Indeed', [])
  const named = { postId, commentId: 'elsewhere', rootCommentId: commentId }
  const last = await connector.reply(actor, named, 'Again', [])
  expect(await said()).toMatchObject([
    { remoteId: first.remoteId, parentId: postId, text: 'First!', media: [] },
    { remoteId: response.remoteId, parentId: commentId, text: 'Thanks', media: [] },
    { remoteId: nestedReply.remoteId, parentId: commentId, text: 'Indeed' },
    { remoteId: last.remoteId, parentId: commentId, text: 'Again' },
  ])
  expect(first.remoteUrl).toBe(`${channel.url}/www.youtube.com/watch?v=${postId}&lc=${first.remoteId}`)
  expect(first.at.getTime()).toBeGreaterThan(0)
})

test.each([
  ['', /needs a text/],
  ['x'.repeat(10_001), /10001 characters on YouTube; 10000 is the most/],
])('an invalid comment is rejected before any request', async (text, words) => {
  const { fault, message } = await problemOf(channel.connector.reply(channel.actor, { postId }, text, []))
  expect(fault).toEqual({ kind: 'permanent', why: 'input', field: 'text' })
  expect(message).toMatch(words)
})

test('liking a video is idempotent, and comments cannot be liked', async () => {
  const { connector, actor } = channel
  await connector.like(actor, { postId })
  await connector.like(actor, { postId })
  expect(await channel.ledger('network=YouTube&kind=like')).toMatchObject([{ parentId: postId }])
  const { fault } = await problemOf(connector.like(actor, { postId, commentId: 'Ug1' }))
  expect(fault).toEqual({ kind: 'permanent', why: 'unsupported' })
})

test('removing videos and comments is idempotent', async () => {
  const { connector, actor } = channel
  const { remoteId } = await connector.reply(actor, { postId }, 'First!', [])
  for (const id of [remoteId, remoteId, postId, postId]) await connector.remove(actor, id)
  expect((await said())[0].removedAt).toBeTruthy()
  expect((await channel.posts())[0].removedAt).toBeTruthy()
})

test('messages and streams are not supported', async () => {
  const { connector, actor } = channel
  const client = [
    connector.message(actor, { personId: reader.id }, 'Hello', []),
    connector.findMessage(actor, { personId: reader.id }, 'Hello', new Date(0)),
    connector.fetchStream(actor, { type: 'mention' }),
  ]
  for (const call of client) expect((await problemOf(call)).fault).toEqual({ kind: 'permanent', why: 'unsupported' })
})

test('metrics of videos are read in bulk, unknown ones are omitted', async () => {
  const { connector, actor } = channel
  await channel.inject({ postRemoteId: postId, text: 'Nice' })
  await channel.advance(86_400_000)
  const unknown = Array.from({ length: 60 }, (_, index) => `unknown${1000 + index}`)
  const numbers = await connector.metrics(actor, [...unknown, postId])
  expect([...numbers.keys()]).toEqual([postId])
  expect(numbers.get(postId)).toMatchObject({ comments: 1, views: expect.any(Number), likes: expect.any(Number) })
  expect(numbers.get(postId)?.views).toBeGreaterThan(0)
  expect(numbers.get(postId)?.shares).toBeUndefined()
})

test('shares are returned if reports may be read', async () => {
  const scopes = ['https://www.googleapis.com/auth/yt-analytics.readonly']
  const actor = { ...channel.actor, secret: { ...channel.actor.secret, scopes } }
  const numbers = await channel.connector.metrics(actor, [postId])
  expect(numbers.get(postId)?.shares).toEqual(expect.any(Number))
})

test('the profile has its name, picture and followers, unless hidden', async () => {
  const { connector, actor } = channel
  const person = await connector.profile(actor)
  expect(person).toMatchObject({ id: actor.remoteId, name: 'Northwind Outdoor', username: 'northwindoutdoor' })
  expect(person.picture).toContain(actor.remoteId)
  expect(person.followers).toBeGreaterThan(1000)
  const statistics = { subscriberCount: '12', hiddenSubscriberCount: true }
  await channel.fault('profile', 'answer', { answer: { status: 200, body: { items: [{ id: 'UC1', statistics }] } } })
  expect((await connector.profile(actor)).followers).toBeUndefined()
})

const withCall = (uses: object) => ({ calls: 1, ...uses })

test('every request is charged to its quota, rejected ones too', async () => {
  channel.spent.length = 0
  await channel.connector.profile(channel.actor)
  await channel.connector.like(channel.actor, { postId })
  await problemOf(channel.connector.like(channel.actor, { postId: 'nothing' }))
  await channel.connector.metrics(channel.actor, [postId])
  expect(channel.spent).toEqual([{ units: 1 }, { units: 50 }, { units: 50 }, { stats: 1 }].map(withCall))
  channel.spent.length = 0
  await channel.publish({ text: 'Once more', media: [film()] })
  expect(channel.spent[0]).toEqual(withCall({ uploads: 1 }))
  expect(channel.spent.filter(({ uploads }) => uploads)).toHaveLength(1)
})

test('metrics use a separate quota that other requests cannot exhaust', async () => {
  await channel.control('/limits', { limits: { 'YouTube units': 0 } })
  const { connector, actor } = channel
  expect((await connector.metrics(actor, [postId])).get(postId)).toMatchObject({ views: expect.any(Number) })
  expect((await problemOf(connector.fetchInbox(actor))).fault).toMatchObject({ kind: 'throttled', scope: 'endpoint' })
  expect(channel.usages.at(-1)).toMatchObject({ scope: 'endpoint', of: 'units', used: 1 })
})

test('a project without access to the new method reads metrics with the previous one', async () => {
  const body = { error: { code: 404, message: 'Unknown method', errors: [{ reason: 'notFound', message: 'Unknown' }] } }
  await channel.fault('metrics', 'answer', { answer: { status: 404, body } })
  const numbers = await channel.connector.metrics(channel.actor, [postId])
  expect(numbers.get(postId)).toMatchObject({ views: expect.any(Number), likes: expect.any(Number) })
})

test('failing reports affect shares only', async () => {
  const actor = {
    ...channel.actor,
    secret: { ...channel.actor.secret, scopes: ['https://www.googleapis.com/auth/yt-analytics.readonly'] },
  }
  const { connector } = channel
  expect((await connector.metrics(actor, [postId])).get(postId)).toHaveProperty('shares', expect.any(Number))
  const rejection = {
    error: { code: 403, message: 'Off', errors: [{ reason: 'accessNotConfigured', message: 'Off' }] },
  }
  await channel.fault('metrics', 'delay', { delayMs: 1 })
  await channel.fault('metrics', 'answer', { answer: { status: 403, body: rejection } })
  const numbers = (await connector.metrics(actor, [postId])).get(postId)
  expect(numbers).toMatchObject({ views: expect.any(Number), shares: undefined })
})

test('an exhausted upload limit does not block reads and replies', async () => {
  await channel.control('/limits', { limits: { 'YouTube uploads': 1 } })
  const { connector, actor, save } = channel
  const draft = { text: 'Too many', media: [film()] }
  expect((await problemOf(connector.publish(actor, draft, save))).fault).toMatchObject({ scope: 'endpoint' })
  expect((await connector.reply(actor, { postId }, 'Still here', [])).remoteId).toBeTruthy()
})

test('a video that the channel settings make private is reported as private', async () => {
  expect(await channel.publish({ text: 'Open', media: [film()] })).toMatchObject({ notice: undefined })
  const made = await channel.control('/profile', {
    network: 'YouTube',
    kind: 'channel',
    name: 'Careful',
    tier: 'private-uploads',
  })
  const secret = { accessToken: made.body.accessToken, scopes: [] }
  const actor = { ...channel.actor, remoteId: made.body.id, secret }
  let step = await channel.connector.publish(actor, { text: 'Hidden', media: [film()] }, channel.save)
  while (step.state === 'pending') {
    await channel.advance(step.checkAfterMs)
    step = await channel.connector.publish(actor, { text: 'Hidden', media: [] }, channel.save, step.progress)
  }
  expect(step.notice).toMatch(/is private, not public/)
})
