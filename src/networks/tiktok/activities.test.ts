import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import type { Activity, Page } from '../connector/connector.ts'
import { faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(() => sandbox.control('/reset', {}))
afterAll(() => sandbox.close())

/** Reads all pages, each item once. */
async function readAll(read: (cursor?: string) => Promise<Page<Activity>>) {
  const items = new Map<string, Activity>()
  let pages = 0
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await read(cursor)
    for (const item of page.items) items.set(item.dedupeKey, item)
    cursor = page.cursor
  }
  return { items: [...items.values()], pages }
}

test('comments include author, text and parent, own ones as echoes', async () => {
  const { tiktok, actor, published, commented } = sandbox
  const postId = await published('Talk')
  const commentId = await commented(postId, 'Cool')
  const replyId = await commented(postId, 'Indeed', commentId)
  const own = await tiktok.reply(actor, { postId, commentId }, 'Thanks', [])
  const { items } = await tiktok.fetchComments(actor, postId)
  const byId = new Map(items.map((item) => [item.remoteId, item]))
  const common = { actorRemoteId: actor.remoteId, postId, at: expect.any(Date) }
  const from = { id: simulatedUser.id, name: simulatedUser.name, username: simulatedUser.username }
  expect(byId.get(commentId)).toMatchObject({
    ...common,
    dedupeKey: `comment:${commentId}`,
    kind: 'comment',
    from,
    text: 'Cool',
    url: expect.stringMatching(new RegExp(`/@northwindoutdoor/video/${postId}$`)),
    raw: { comment_id: commentId, replies: 2 },
  })
  expect(byId.get(replyId)).toMatchObject({ ...common, kind: 'reply', parentCommentId: commentId, text: 'Indeed' })
  expect(byId.get(own.remoteId)).toMatchObject({ ...common, kind: 'echo', parentCommentId: commentId })
  expect(items).toHaveLength(3)
})

test('long lists and long threads are read completely, a few requests at a time', async () => {
  const { tiktok, actor, published, commented } = sandbox
  const postId = await published('Busy')
  const expected: string[] = []
  for (let number = 0; number < 33; number += 1) expected.push(await commented(postId, `Comment ${number}`))
  for (let number = 0; number < 35; number += 1) expected.push(await commented(postId, `Reply ${number}`, expected[2]))
  const { items, pages } = await readAll((cursor) => tiktok.fetchComments(actor, postId, cursor))
  expect(items.map(({ remoteId }) => remoteId).toSorted()).toEqual(expected.toSorted())
  expect(pages).toBeLessThan(8)
})

test('the inbox contains the comments of the newest videos, newest first', async () => {
  const { tiktok, actor, published, commented, advance } = sandbox
  const expected: string[] = []
  for (let number = 0; number < 6; number += 1) {
    const postId = await published(`Video ${number}`)
    expected.push(await commented(postId, `Old ${number}`))
    await advance(1000)
    expected.push(await commented(postId, `New ${number}`))
    await advance(1000)
  }
  const first = await tiktok.fetchInbox(actor)
  const times = first.items.map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  expect(first.items[0]?.text).toBe('New 5')
  expect(first.cursor).toBeDefined()
  const { items } = await readAll((cursor) => tiktok.fetchInbox(actor, cursor))
  expect(items.map(({ remoteId }) => remoteId).toSorted()).toEqual(expected.toSorted())
})

test('an account without videos has an empty inbox, and a foreign cursor is rejected', async () => {
  const { tiktok, actor } = sandbox
  expect(await tiktok.fetchInbox(actor)).toEqual({ items: [], cursor: undefined })
  for (const cursor of ['5', '{}', '[["a"]]', '[[1,2,3]]', 'x']) {
    expect((await faultOf(tiktok.fetchInbox(actor, cursor))).fault).toMatchObject({ kind: 'permanent', why: 'input' })
  }
})

test('the image of a comment is returned', async () => {
  const { tiktok, actor, published, media } = sandbox
  const postId = await published('Pictures')
  await tiktok.reply(actor, { postId }, '', [media('jpeg')])
  const { items } = await tiktok.fetchComments(actor, postId)
  expect(items).toMatchObject([{ text: '', media: [expect.stringMatching(/^http/)] }])
})

test('metrics of many posts are returned together, without unknown posts', async () => {
  const { tiktok, actor, published, commented, advance } = sandbox
  const ids: string[] = []
  for (let number = 0; number < 22; number += 1) ids.push(await published(`Counted ${number}`))
  await commented(ids[0] ?? '', 'One')
  await advance(86_400_000)
  const metrics = await tiktok.metrics(actor, [...ids, '7999999999999999999'])
  expect([...metrics.keys()].toSorted()).toEqual(ids.toSorted())
  const numbers = metrics.get(ids[0] ?? '')
  expect(numbers).toMatchObject({ comments: 1, likes: expect.any(Number), shares: expect.any(Number) })
  expect(numbers?.views).toBeGreaterThan(0)
  expect(numbers?.reach).toBeGreaterThan(0)
  expect((await tiktok.metrics(actor, [])).size).toBe(0)
})

test('the profile has its names and followers', async () => {
  const { tiktok, actor } = sandbox
  expect(await tiktok.profile(actor)).toEqual({
    id: actor.remoteId,
    name: 'Northwind Outdoor',
    username: actor.username,
    picture: expect.stringMatching(/^http/),
    followers: expect.any(Number),
  })
})

test('limits and capabilities match the account', () => {
  const { tiktok, actor } = sandbox
  expect(tiktok.limits(actor)).toMatchObject({ needsMedia: true, images: { max: 35 }, comment: { max: 150 } })
  expect(tiktok.capabilities(actor)).toMatchObject({ text: 'no', video: 'yes', directMessage: 'no', remove: 'no' })
})
