import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { before, faultOf, openTestTikTok } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
let postId: string
beforeAll(async () => {
  sandbox = await openTestTikTok()
})
beforeEach(async () => {
  await sandbox.control('/reset', {})
  postId = await sandbox.published('Talk')
})
afterAll(() => sandbox.close())

const ledgerComments = () => sandbox.ledger('network=TikTok&kind=comment')

test('a first comment appears under the post, a reply under the comment, both with their author', async () => {
  const { tiktok, actor, commented } = sandbox
  const first = await tiktok.reply(actor, { postId }, 'First!', [])
  const commentId = await commented(postId, 'Cool')
  const response = await tiktok.reply(actor, { postId, commentId }, 'Thanks', [])
  const replyId = await commented(postId, 'Really', commentId)
  const nested = await tiktok.reply(actor, { postId, commentId: replyId, rootCommentId: commentId }, 'Yes', [])
  expect(await ledgerComments()).toMatchObject([
    { remoteId: first.remoteId, parentId: postId, text: 'First!' },
    { remoteId: response.remoteId, parentId: commentId, text: 'Thanks' },
    { remoteId: nested.remoteId, parentId: commentId, text: 'Yes' },
  ])
  expect(first.at).toBeInstanceOf(Date)
})

test('a comment carries an image, with or without text', async () => {
  const { tiktok, actor, media, commented } = sandbox
  const commentId = await commented(postId, 'Show me')
  await tiktok.reply(actor, { postId, commentId }, 'Here', [media('png')])
  await tiktok.reply(actor, { postId }, '', [media('jpeg')])
  expect(await ledgerComments()).toMatchObject([
    { text: 'Here', media: [{ mime: 'image/png', bytes: media('png').bytes }] },
    { text: '', media: [{ mime: 'image/jpeg' }] },
  ])
})

test.each([
  ['nothing', '', [], /needs a text/, 'input'],
  ['too many words', 'x'.repeat(151), [], /151 characters on TikTok; 150 is the most/, 'input'],
  ['a link', 'see https://acme.example', [], /takes no links in the comment/, 'input'],
  ['two pictures', 'a', ['jpeg', 'jpeg'], /2 images; TikTok takes 1 at most/, 'input'],
  ['a video', 'a', ['mp4'], /is a video; TikTok takes none in a comment/, 'unsupported'],
] as const)('a comment with %s is rejected before any request', async (_, text, names, sentence, why) => {
  const { tiktok, actor, media } = sandbox
  const files = names.map((name) => media(name))
  const error = await faultOf(tiktok.reply(actor, { postId }, text, files))
  expect(error.fault).toMatchObject({ kind: 'permanent', why })
  expect(error.message).toMatch(sentence)
  expect(error.remote).toEqual({})
})

test('a comment whose response was lost is found, under the post and in a thread', async () => {
  const { tiktok, actor, commented, fault } = sandbox
  const commentId = await commented(postId, 'Question')
  const nestedId = await commented(postId, 'More', commentId)
  const targets = [
    ['comment', { postId }],
    ['reply', { postId, commentId }],
    ['reply', { postId, commentId: nestedId }],
  ] as const
  for (const [index, [operation, target]] of targets.entries()) {
    await fault(operation, 'lost-answer')
    const error = await faultOf(tiktok.reply(actor, target, `Lost ${index}`, []))
    expect(error.fault).toEqual({ kind: 'unknownOutcome' })
    const remoteId = (await ledgerComments())[index].remoteId
    expect(await tiktok.findReply(actor, target, `Lost ${index}`, before())).toMatchObject({ state: 'found', remoteId })
  }
  expect(await ledgerComments()).toHaveLength(3)
})

test('a comment that did not arrive is absent, and comments of others are not matched', async () => {
  const { tiktok, actor, commented, fault } = sandbox
  await fault('comment', 'server-error')
  expect((await faultOf(tiktok.reply(actor, { postId }, 'Hello', []))).fault).toEqual({ kind: 'unknownOutcome' })
  await commented(postId, 'Hello')
  expect(await tiktok.findReply(actor, { postId }, 'Hello', before())).toEqual({ state: 'absent' })
})

test('several equal comments, or a deleted thread, leave the outcome unknown', async () => {
  const { tiktok, actor } = sandbox
  await tiktok.reply(actor, { postId }, 'Same', [])
  await tiktok.reply(actor, { postId }, 'Same', [])
  expect((await tiktok.findReply(actor, { postId }, 'Same', before())).state).toBe('undecidable')
  expect((await tiktok.findReply(actor, { postId, commentId: '7' }, 'Same', before())).state).toBe('undecidable')
})

test('liking a comment is idempotent, and videos cannot be liked', async () => {
  const { tiktok, actor, commented, ledger } = sandbox
  const commentId = await commented(postId, 'Like me')
  await tiktok.like(actor, { postId, commentId })
  await tiktok.like(actor, { postId, commentId })
  expect(await ledger('network=TikTok&kind=like')).toMatchObject([{ parentId: commentId }])
  expect((await faultOf(tiktok.like(actor, { postId }))).fault).toEqual({ kind: 'permanent', why: 'unsupported' })
})

test('removing an own comment is idempotent, and posts and comments of others cannot be removed', async () => {
  const { tiktok, actor, commented } = sandbox
  const { remoteId } = await tiktok.reply(actor, { postId }, 'Oops', [])
  await tiktok.remove(actor, remoteId)
  await tiktok.remove(actor, remoteId)
  expect(await ledgerComments()).toMatchObject([{ remoteId, removedAt: expect.anything() }])
  const post = await faultOf(tiktok.remove(actor, postId))
  expect(post.fault).toEqual({ kind: 'permanent', why: 'unsupported' })
  expect(post.message).toContain('does not let apps delete posts')
  const otherComment = await commented(postId, 'Mine')
  expect((await faultOf(tiktok.remove(actor, otherComment))).fault).toEqual({ kind: 'permanent', why: 'permission' })
})

test('direct messages and streams are not supported', async () => {
  const { tiktok, actor } = sandbox
  const unsupported = { kind: 'permanent', why: 'unsupported' }
  const to = { personId: '1' }
  expect((await faultOf(tiktok.message(actor, to, 'Hi', []))).fault).toEqual(unsupported)
  expect((await faultOf(tiktok.findMessage(actor, to, 'Hi', before()))).fault).toEqual(unsupported)
  expect((await faultOf(tiktok.fetchStream(actor, { type: 'mention' }))).fault).toEqual(unsupported)
})
