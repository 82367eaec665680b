import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import type { Activity, Page } from '../connector/connector.ts'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
let postId: string
let count = 0
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
beforeEach(async () => {
  linkedIn.pass(3_600_000)
  postId = (await linkedIn.publish(linkedIn.page, draftOf(`Post (${++count})`))).remoteId
})
afterAll(() => linkedIn.close())

const comment = (text: string, parentId?: string) => said({ kind: 'comment', postRemoteId: postId, text, parentId })
const said = async (what: object): Promise<{ remoteId: string; threadId: string }> => {
  linkedIn.pass(1_000)
  return linkedIn.inject({ network: 'LinkedIn', profile: '2414183', from: simulatedUser, push: false, ...what })
}
const newest = async (kind: string) => (await linkedIn.ledger(`network=LinkedIn&kind=${kind}`)).at(-1)
const all = async (fetch: (cursor?: string) => Promise<Page<Activity>>) => {
  const items: Activity[] = []
  for (let page = await fetch(); ; page = await fetch(page.cursor)) {
    items.push(...page.items)
    if (page.cursor === undefined) return items
  }
}

test('a first comment appears under the post, a reply in the thread, and both can carry an image', async () => {
  const { connector, page, media } = linkedIn
  const first = await connector.reply(page, { postId }, 'First (of all) @[Acme](urn:li:organization:1)', [])
  expect(await newest('comment')).toMatchObject({
    remoteId: first.remoteId,
    parentId: postId,
    text: 'First (of all) Acme',
  })
  const { remoteId } = await comment('Nice')
  const response = await connector.reply(page, { postId, commentId: remoteId }, 'Thanks', [media('png')])
  const entry = await newest('comment')
  expect(entry).toMatchObject({ remoteId: response.remoteId, parentId: remoteId, media: [{ mime: 'image/png' }] })
  const below = await comment('And?', remoteId)
  const to = { postId, commentId: below.remoteId, rootCommentId: remoteId }
  await connector.reply(page, to, 'Deeper', [])
  expect(await newest('comment')).toMatchObject({ text: 'Deeper', parentId: remoteId })
})

test('invalid comments are rejected before any request', async () => {
  const { connector, page, media } = linkedIn
  const long = await errorOf(connector.reply(page, { postId }, 'x'.repeat(1_251), []))
  expect(long.message).toContain('1250 is the most')
  await errorOf(connector.reply(page, { postId }, 'Two', [media('png'), media('png')]))
  await errorOf(connector.reply(page, { postId }, 'Paper', [media('pdf')]))
})

test('comments are read with replies and names, and own ones are marked', async () => {
  const { connector, page } = linkedIn
  const nice = await comment('Nice')
  const below = await comment('Really', nice.remoteId)
  const own = await connector.reply(page, { postId }, 'Ours', [])
  const items = await all((cursor) => connector.fetchComments(page, postId, cursor))
  expect(items.map(({ remoteId, kind, parentCommentId }) => [remoteId, kind, parentCommentId])).toEqual([
    [nice.remoteId, 'comment', undefined],
    [own.remoteId, 'echo', undefined],
    [below.remoteId, 'reply', nice.remoteId],
  ])
  expect(items[0]).toMatchObject({ from: { id: simulatedUser.id, name: simulatedUser.name }, text: 'Nice', postId })
})

test('many comments are paginated without duplicates', async () => {
  for (let index = 0; index < 25; index++) await comment(`Comment ${index}`)
  const items = await all((cursor) => linkedIn.connector.fetchComments(linkedIn.page, postId, cursor))
  expect(new Set(items.map(({ dedupeKey }) => dedupeKey)).size).toBe(25)
  expect(items.length).toBe(25)
})

test('the inbox returns comments, mentions and messages, newest first, across all pages', async () => {
  const { connector, page } = linkedIn
  const about: string[] = []
  for (let index = 0; index < 39; index++) {
    if (index % 3 === 0) about.push((await comment(`C${index}`)).remoteId)
    else about.push((await said({ kind: index % 3 === 1 ? 'mention' : 'message', text: `M${index}` })).remoteId)
  }
  const items = await all((cursor) => connector.fetchInbox(page, cursor))
  expect(items.slice(0, 39).map(({ remoteId }) => remoteId)).toEqual(about.toReversed())
  expect(new Set(items.map(({ dedupeKey }) => dedupeKey)).size).toBe(items.length)
  expect(items.find(({ kind }) => kind === 'mention')).toMatchObject({
    from: { name: simulatedUser.name },
    postId: about[37],
  })
  const withoutMessages = linkedIn.open({ options: { messages: 'no' } })
  const kinds = new Set((await all((cursor) => withoutMessages.fetchInbox(page, cursor))).map(({ kind }) => kind))
  expect(kinds.has('mention')).toBe(true)
  expect(kinds.has('message') || kinds.has('echo')).toBe(false)
})

test('a reply to a message is sent in its thread and read as an own message', async () => {
  const { connector, page, media } = linkedIn
  const { threadId } = await said({ kind: 'message', text: 'Open?' })
  const sent = await connector.message(page, { personId: simulatedUser.id, threadId }, 'Yes (until 8)', [media('png')])
  expect(await newest('message')).toMatchObject({ remoteId: sent.remoteId, threadId, text: 'Yes (until 8)' })
  const echo = (await connector.fetchInbox(page)).items.find(({ remoteId }) => remoteId === sent.remoteId)
  expect(echo).toMatchObject({ kind: 'echo', threadId, dedupeKey: `message:${sent.remoteId}` })
})

test('messages are unavailable until the operator enables them', async () => {
  const gated = linkedIn.open({ options: { messages: 'no' } })
  expect(gated.capabilities(linkedIn.page).directMessage).toMatchObject({ gated: expect.any(String) })
  expect(linkedIn.connector.capabilities(linkedIn.page).directMessage).toBe('yes')
  const error = await errorOf(gated.message(linkedIn.page, { personId: simulatedUser.id }, 'Hi', []))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'permission' })
})

test('likes and removals are idempotent', async () => {
  const { connector, page } = linkedIn
  const { remoteId } = await comment('Like me')
  const likes = async () => (await linkedIn.ledger('network=LinkedIn&kind=like')).length
  const before = await likes()
  for (let times = 0; times < 2; times++) {
    await connector.like(page, { postId })
    await connector.like(page, { postId, commentId: remoteId })
  }
  expect((await likes()) - before).toBe(2)
  const own = await connector.reply(page, { postId, commentId: remoteId }, 'Oops', [])
  for (let times = 0; times < 2; times++) await connector.remove(page, own.remoteId)
  expect((await newest('comment')).removedAt).toBeTruthy()
  for (let times = 0; times < 2; times++) await connector.remove(page, postId)
  expect((await newest('post')).removedAt).toBeTruthy()
})
