import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Activity } from '../connector/connector.ts'
import { errorOf, faultOf, robin, testX } from './x.fixture.ts'

let t: Awaited<ReturnType<typeof testX>>
beforeAll(async () => {
  t = await testX()
})
beforeEach(() => t.sandbox.control('/reset', {}))
afterAll(() => t.sandbox.close())

const texts = (items: Activity[]) => items.map(({ text }) => text)

test('a first comment, a thread under it and a reply to another user are posts that reply to posts', async () => {
  const post = await t.post({ text: 'Start' })
  const first = await t.x.reply(t.actor, { postId: post }, 'First', [])
  const second = await t.x.reply(t.actor, { postId: post, commentId: first.remoteId }, 'Second', [])
  const { remoteId } = await t.inject({ kind: 'reply', postRemoteId: post, text: '@northwindoutdoor how?' })
  await t.x.reply(t.actor, { postId: post, commentId: remoteId }, 'So', [t.sandbox.media('png', 'A plan')])
  expect(await t.replies()).toMatchObject([
    { remoteId: first.remoteId, parentId: post, text: 'First' },
    { remoteId: second.remoteId, parentId: first.remoteId },
    { parentId: remoteId, text: 'So', media: [{ mime: 'image/png', alt: 'A plan' }] },
  ])
})

test('a reply with a video waits for the video', async () => {
  await t.sandbox.control('/processing', { network: 'Twitter', delayMs: 50 })
  const post = await t.post({ text: 'Start' })
  await t.x.reply(t.actor, { postId: post }, 'Film', [t.sandbox.media('mp4')])
  expect((await t.replies())[0].media).toMatchObject([{ mime: 'video/mp4' }])
  await t.sandbox.control('/processing', { network: 'Twitter' })
})

test('messages are sent to a person or to a conversation', async () => {
  const { threadId } = await t.inject({ kind: 'message', text: 'Hi' })
  const one = await t.x.message(t.actor, { personId: robin.id }, 'By person', [])
  await t.x.message(t.actor, { personId: robin.id, threadId }, '', [t.sandbox.media('png')])
  expect(await t.sandbox.ledger('network=Twitter&kind=message')).toMatchObject([
    { remoteId: one.remoteId, threadId, text: 'By person', to: { id: robin.id } },
    { threadId, media: [{ mime: 'image/png' }] },
  ])
  const unknownTarget = { personId: '99' }
  expect(await faultOf(t.x.message(t.actor, unknownTarget, 'Hello?', []))).toEqual({ kind: 'permanent', why: 'policy' })
})

test('likes and removals are idempotent', async () => {
  const post = await t.post({ text: 'Start' })
  await t.x.like(t.actor, { postId: post })
  await t.x.like(t.actor, { postId: post })
  expect(await t.sandbox.ledger('network=Twitter&kind=like')).toMatchObject([{ parentId: post }])
  await t.x.remove(t.actor, post)
  await t.x.remove(t.actor, post)
  expect((await t.posts())[0].removedAt).toBeTruthy()
})

test('with self-serve access X rejects likes and unsolicited replies', async () => {
  const made = await t.sandbox.control('/profile', {
    network: 'Twitter',
    kind: 'account',
    name: 'Small Shop',
    tier: 'self-serve',
  })
  const small = { ...t.actor, remoteId: made.body.id, secret: { accessToken: made.body.accessToken, scopes: [] } }
  const { remoteId } = await t.inject({ kind: 'mention', profile: small.remoteId, text: 'Look around' })
  const post = await t.x.reply(small, { postId: remoteId }, 'Thanks', [])
  const policy = { kind: 'permanent', why: 'policy' }
  const other = await t.inject({ kind: 'reply', profile: small.remoteId, postRemoteId: post.remoteId, text: 'Nice' })
  expect(await faultOf(t.x.reply(small, { postId: other.remoteId }, 'Ta', []))).toEqual(policy)
  expect(await faultOf(t.x.like(small, { postId: other.remoteId }))).toEqual(policy)
})

test('comments of a post have author and parent, and own ones are marked', async () => {
  const post = await t.post({ text: 'Start' })
  const otherReply = await t.inject({ kind: 'reply', postRemoteId: post, text: 'See https://robin.example/a & <b>' })
  const response = await t.x.reply(t.actor, { postId: post, commentId: otherReply.remoteId }, 'Answer', [])
  const thanks = await t.inject({ kind: 'reply', parentId: response.remoteId, text: 'Thanks' })
  const { items, cursor } = await t.x.fetchComments(t.actor, post)
  expect(cursor).toBeUndefined()
  expect(items).toMatchObject([
    { dedupeKey: `post:${thanks.remoteId}`, kind: 'reply', postId: post, parentCommentId: response.remoteId },
    { remoteId: response.remoteId, kind: 'echo', postId: post, parentCommentId: otherReply.remoteId },
    {
      kind: 'comment',
      postId: post,
      from: robin,
      text: 'See https://robin.example/a & <b>',
      raw: { author_id: robin.id },
    },
  ])
  expect(items[2]?.parentCommentId).toBeUndefined()
})

test('the inbox has comments, mentions and messages of both sides, newest first across all pages', async () => {
  const post = await t.post({ text: 'Start' })
  const wanted: string[] = []
  for (let index = 0; index < 120; index++) {
    const kind = index % 40 === 0 ? 'message' : index % 2 ? 'mention' : 'reply'
    await t.inject({ kind, text: `Item ${index}`, ...(kind === 'reply' && { postRemoteId: post }) })
    wanted.unshift(`Item ${index}`)
    await t.sandbox.advance(1000)
  }
  await t.x.message(t.actor, { personId: robin.id }, 'Ours', [])
  const read: Activity[] = []
  let cursor: string | undefined
  do {
    const page = await t.x.fetchInbox(t.actor, cursor)
    read.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  expect(texts(read)).toEqual(['Ours', ...wanted])
  expect(new Set(read.map(({ kind }) => kind))).toEqual(new Set(['echo', 'mention', 'comment', 'message']))
  expect(new Set(read.map(({ dedupeKey }) => dedupeKey)).size).toBe(121)
  expect(read.at(-1)).toMatchObject({ kind: 'message', from: robin, threadId: expect.stringContaining(robin.id) })
})

test('every stream of the contract can be read and paginated', async () => {
  const posts: string[] = []
  for (let index = 0; index < 25; index++) posts.unshift(await t.post({ text: `Robots ${index}` }))
  await t.x.like(t.actor, { postId: posts[3] ?? '' })
  const mention = await t.inject({ kind: 'mention', text: 'I like @northwindoutdoor' })
  const ids = async (query: { type: string; [more: string]: string }, cursor?: string) => {
    const page = await t.x.fetchStream(t.actor, query, cursor)
    return { ids: page.items.map(({ remoteId }) => remoteId), cursor: page.cursor }
  }
  const feed = await ids({ type: 'feed' })
  expect([...feed.ids, ...(await ids({ type: 'feed' }, feed.cursor)).ids]).toEqual(posts)
  expect((await ids({ type: 'mention' })).ids).toEqual([mention.remoteId])
  expect((await ids({ type: 'favorite' })).ids).toEqual([posts[3]])
  expect((await ids({ type: 'retweet' })).ids).toEqual([])
  expect((await ids({ type: 'keyword', keyword: 'robots' })).ids).toEqual(posts.slice(0, 20))
  expect((await ids({ type: 'list', listId: '12345' })).ids).toEqual(posts.slice(0, 20))
  expect((await ids({ type: 'user', username: '@northwindoutdoor' })).ids).toEqual(posts.slice(0, 20))
  expect((await ids({ type: 'home' })).ids[0]).toBe(mention.remoteId)
  expect(await faultOf(t.x.fetchStream(t.actor, { type: 'keyword' }))).toMatchObject({ why: 'input', field: 'keyword' })
  expect(await faultOf(t.x.fetchStream(t.actor, { type: 'page' }))).toMatchObject({ why: 'unsupported' })
})

test('items already seen are not read again', async () => {
  await t.sandbox.control('/limits', { clear: true })
  for (let index = 0; index < 12; index++) await t.inject({ kind: 'mention', text: `Old ${index}` })
  await t.inject({ kind: 'message', text: 'Old message' })
  const first = await t.x.fetchInbox(t.actor)
  const usage = async () => (await t.sandbox.control('/usage')).body.usage.Twitter.items
  const before = await usage()
  await t.sandbox.advance(86_400_000)
  const idle = await t.x.fetchInbox(t.actor, undefined, first.marker)
  expect(idle).toMatchObject({ items: [], cursor: undefined })
  const after = await usage()
  expect(after['Posts: Read']).toBe(before['Posts: Read'])
  expect(after['DM Event: Read'] - before['DM Event: Read'], 'one message shows that none is new').toBe(1)
  for (let index = 0; index < 12; index++) await t.inject({ kind: 'mention', text: `New ${index}` })
  await t.inject({ kind: 'message', text: 'New message' })
  const read: Activity[] = []
  let cursor: string | undefined
  do {
    const page = await t.x.fetchInbox(t.actor, cursor, idle.marker)
    read.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  expect(texts(read)).toHaveLength(13)
  expect(texts(read)).not.toContain('Old message')
})

test('throttled messages do not block mentions and are read the next time', async () => {
  await t.sandbox.control('/limits', { clear: true, limits: { 'GET /2/dm_events': 1 } })
  const { marker } = await t.x.fetchInbox(t.actor)
  await t.inject({ kind: 'mention', text: 'Hello' })
  await t.inject({ kind: 'message', text: 'Psst' })
  const page = await t.x.fetchInbox(t.actor, undefined, marker)
  expect(texts(page.items)).toEqual(['Hello'])
  await t.sandbox.control('/limits', { clear: true })
  expect(texts((await t.x.fetchInbox(t.actor, undefined, page.marker)).items)).toEqual(['Psst'])
  await t.sandbox.control('/limits', { limits: { 'GET /2/dm_events': 0, 'GET /2/users/:id/mentions': 0 } })
  expect(await faultOf(t.x.fetchInbox(t.actor))).toMatchObject({ kind: 'throttled', scope: 'endpoint' })
  await t.sandbox.control('/limits', { clear: true })
})

test('a reply that X rejects for this app reports what to do instead', async () => {
  const made = await t.sandbox.control('/profile', {
    network: 'Twitter',
    kind: 'account',
    name: 'Strict Shop',
    tier: 'no-self-replies',
  })
  const strict = { ...t.actor, remoteId: made.body.id, secret: { accessToken: made.body.accessToken, scopes: [] } }
  const step = await t.x.publish(strict, { text: 'Start', media: [] }, async () => {})
  const postId = step.state === 'done' ? step.remoteId : ''
  const error = await errorOf(t.x.reply(strict, { postId }, 'First comment', []))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'policy' })
  expect(error.message).toMatch(/only to posts that mention or quote the account. Reply on X itself, or publish/)
})
