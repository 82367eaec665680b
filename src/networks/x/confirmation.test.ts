import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Draft, Progress } from '../connector/draft.ts'
import { errorOf, faultOf, noSave, robin, testX } from './x.fixture.ts'

let t: Awaited<ReturnType<typeof testX>>
const since = new Date()
beforeAll(async () => {
  t = await testX()
})
beforeEach(() => t.sandbox.control('/reset', {}))
afterAll(() => t.sandbox.close())

const unknown = { kind: 'unknownOutcome' }
const link = {
  url: 'https://acme.example/new/',
  title: 'New',
  description: 'Newer',
  imageUrl: 'https://acme.example/i',
}

test.each<[string, () => Partial<Draft>]>([
  ['a text', () => ({ text: '  Hello   R&D <now>\nand e\u0301 ' })],
  ['a link', () => ({ text: 'Look', link })],
  ['an image', () => ({ text: 'Picture', media: [t.sandbox.media('png')] })],
  ['an image without words', () => ({ media: [t.sandbox.media('png')] })],
])('%s whose response was lost is found', async (_, content) => {
  const draft: Draft = { text: '', media: [], ...content() }
  const kept: Progress[] = []
  const save = async (progress: Progress) => void kept.push(progress)
  await t.post({ text: 'Something else' })
  await t.fault({ operation: 'publish', fault: 'lost-answer' })
  expect(await faultOf(t.x.publish(t.actor, draft, save))).toEqual(unknown)
  expect(kept.at(-1)?.stage).toBe('committing')
  const posts = await t.posts()
  expect(posts).toHaveLength(2)
  const found = await t.x.findPost(t.actor, draft, since, kept.at(-1))
  expect(found).toMatchObject({ state: 'found', remoteId: posts[1].remoteId, remoteUrl: expect.any(String) })
})

test.each<[string, () => Partial<Draft>]>([
  ['a text', () => ({ text: 'Hello' })],
  ['an image', () => ({ text: 'Hello', media: [t.sandbox.media('png')] })],
])('%s that X did not take is surely absent, whatever else looks like it', async (_, content) => {
  const draft: Draft = { text: '', media: [], ...content() }
  await t.post({ text: 'Hello', media: [t.sandbox.media('png')] })
  await t.post({ text: 'Hello again' })
  const above = await t.post({ text: 'Above' })
  await t.x.reply(t.actor, { postId: above }, 'Hello', [])
  const kept: Progress[] = []
  await t.fault({ operation: 'publish', fault: 'server-error' })
  expect(await faultOf(t.x.publish(t.actor, draft, async (progress) => void kept.push(progress)))).toEqual(unknown)
  expect(await t.x.findPost(t.actor, draft, since, kept.at(-1))).toEqual({ state: 'absent' })
})

test('an older post is not matched', async () => {
  await t.post({ text: 'Old' })
  const later = new Date(Date.now() + 3_600_000)
  expect(await t.x.findPost(t.actor, { text: 'Old', media: [] }, later)).toEqual({ state: 'absent' })
})

test('too many posts to search leave the outcome unknown', async () => {
  const body = { data: [{ id: '1', text: 'Other' }], meta: { next_token: 'more' } }
  await t.fault({ operation: 'posts', fault: 'answer', count: 5, answer: { status: 200, body } })
  const found = await t.x.findPost(t.actor, { text: 'Lost', media: [] }, since)
  expect(found).toEqual({ state: 'undecidable', why: expect.stringContaining('check the profile') })
})

test('a reply is found under its post, with the usernames X puts in front', async () => {
  const post = await t.post({ text: 'Start' })
  const { remoteId } = await t.inject({ kind: 'reply', postRemoteId: post, text: 'How?' })
  const to = { postId: post, commentId: remoteId }
  expect(await t.x.findReply(t.actor, to, 'So', since)).toEqual({ state: 'absent' })
  await t.fault({ operation: 'reply', fault: 'lost-answer' })
  expect(await faultOf(t.x.reply(t.actor, to, 'So', []))).toEqual(unknown)
  expect(await t.x.findReply(t.actor, { postId: post }, 'So', since)).toEqual({ state: 'absent' })
  expect(await t.x.findReply(t.actor, to, 'So', since)).toMatchObject({ state: 'found' })
  const referenced_tweets = [{ type: 'replied_to', id: remoteId }]
  const body = { data: [{ id: '7', text: '@robinreads So', referenced_tweets }] }
  await t.fault({ operation: 'posts', fault: 'answer', answer: { status: 200, body } })
  expect(await t.x.findReply(t.actor, to, 'So', since)).toMatchObject({ state: 'found', remoteId: '7' })
})

test('a message is found in its conversation', async () => {
  const { threadId } = await t.inject({ kind: 'message', text: 'Reply' })
  const to = { personId: robin.id }
  expect(await t.x.findMessage(t.actor, to, 'Reply', since)).toEqual({ state: 'absent' })
  await t.fault({ operation: 'message', fault: 'lost-answer' })
  expect(await faultOf(t.x.message(t.actor, to, 'Reply', []))).toEqual(unknown)
  expect(await t.x.findMessage(t.actor, to, 'Reply', since)).toMatchObject({ state: 'found' })
  expect(await t.x.findMessage(t.actor, { ...to, threadId }, 'Reply', since)).toMatchObject({ state: 'found' })
  const later = new Date(Date.now() + 3_600_000)
  expect(await t.x.findMessage(t.actor, to, 'Reply', later)).toEqual({ state: 'absent' })
})

test('a response without an id leaves the outcome unknown', async () => {
  for (const response of [
    { status: 201, body: {} },
    { status: 200, body: { errors: [{ message: 'Hm' }] } },
  ]) {
    await t.fault({ operation: 'publish', fault: 'answer', answer: response })
    expect(await faultOf(t.x.publish(t.actor, { text: 'Hm', media: [] }, noSave))).toEqual(unknown)
  }
})

test('a duplicate is recognized by X’s message', async () => {
  await t.post({ text: 'Again' })
  const error = await errorOf(t.x.publish(t.actor, { text: 'Again', media: [] }, noSave))
  expect(error.fault).toEqual({ kind: 'duplicate' })
  expect(error.message).toBe('Twitter: You are not allowed to create a Tweet with duplicate content.')
})
