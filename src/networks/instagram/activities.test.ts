import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { simulatedUser, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Activity, Connector, PushRequest } from '../connector/connector.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openInstagram } from './instagram.ts'

const account = sandboxActor('Instagram')
let sandbox: MetaSandbox
let receiver: Awaited<ReturnType<typeof testReceiver>>
let instagram: Connector
let post: string
beforeAll(async () => {
  sandbox = await metaSandbox()
  receiver = await testReceiver()
  instagram = openInstagram(sandbox.app('Instagram'), sandbox.world)
})
afterAll(async () => {
  await receiver.close()
  await sandbox.close()
})
beforeEach(async () => {
  await sandbox.control('/reset', {})
  receiver.pushes.length = 0
  post = (await publishAll(sandbox, instagram, account, { text: 'Discuss', media: [sandbox.media('jpeg')] })).remoteId
})

const inject = (json: object) =>
  sandbox.inject({ network: 'Instagram', profile: account.remoteId, from: simulatedUser, ...json })
const said = () => sandbox.ledger('network=Instagram&kind=comment')
const fault = (operation: string, name: string) =>
  sandbox.control('/fault', { network: 'Instagram', operation, fault: name, count: 1 })

test('a first comment and a reply appear under the right parent, without images', async () => {
  const first = await instagram.reply(account, { postId: post }, 'First', [sandbox.media('jpeg')])
  const root = (await inject({ kind: 'comment', postRemoteId: post, text: 'Why?' })).remoteId
  const below = (await inject({ kind: 'reply', parentId: root, text: 'Yes, why?' })).remoteId
  const target = { postId: post, commentId: below, rootCommentId: root }
  const response = await instagram.reply(account, target, 'Because', [])
  expect(await said()).toMatchObject([
    { remoteId: first.remoteId, parentId: post, text: 'First', media: [] },
    { remoteId: response.remoteId, parentId: root, text: 'Because' },
  ])
})

test('a mention in another account’s post is replied to as a mention', async () => {
  const { remoteId } = await inject({ kind: 'mention', text: 'Look at @northwind.outdoor' })
  const response = await instagram.reply(account, { postId: remoteId }, 'Thank you', [])
  expect(await said()).toMatchObject([{ remoteId: response.remoteId, parentId: remoteId }])
  const since = sandbox.clock.now()
  expect(await instagram.findReply(account, { postId: remoteId }, 'Thank you', since)).toMatchObject({
    state: 'undecidable',
  })
  expect(await faultOf(instagram.reply(account, { postId: '1789' }, 'Anybody?', []))).toMatchObject({ why: 'gone' })
})

test('a comment whose response was lost is found, and one that never arrived is not', async () => {
  const since = sandbox.clock.now()
  const commentId = (await inject({ kind: 'comment', postRemoteId: post, text: 'Thanks' })).remoteId
  for (const [operation, to] of [
    ['comment', { postId: post }],
    ['reply', { postId: post, commentId }],
  ] as const) {
    await fault(operation, 'server-error')
    expect(await faultOf(instagram.reply(account, to, 'Thanks', []))).toEqual({ kind: 'unknownOutcome' })
    expect(await instagram.findReply(account, to, 'Thanks', since)).toEqual({ state: 'absent' })
    await fault(operation, 'lost-answer')
    expect(await faultOf(instagram.reply(account, to, 'Thanks', []))).toEqual({ kind: 'unknownOutcome' })
    const { remoteId } = (await said()).at(-1)
    expect(await instagram.findReply(account, to, 'Thanks', since)).toMatchObject({ state: 'found', remoteId })
  }
})

test('messages and likes are not supported, and comments but not posts can be removed', async () => {
  const unsupported = { kind: 'permanent', why: 'unsupported' }
  expect(await faultOf(instagram.message(account, { personId: '1' }, 'Hi', []))).toEqual(unsupported)
  expect(await faultOf(instagram.like(account, { postId: post }))).toEqual(unsupported)
  expect(await faultOf(instagram.remove(account, post))).toEqual(unsupported)
  const { remoteId } = await instagram.reply(account, { postId: post }, 'Oops', [])
  await instagram.remove(account, remoteId)
  await instagram.remove(account, remoteId)
  expect((await said())[0].removedAt).not.toBeNull()
})

test('every push has the same dedupe key as polling', async () => {
  const asRequest = (index: number): PushRequest => {
    const { method, query, headers, raw } = receiver.pushes[index] as (typeof receiver.pushes)[number]
    const named = headers as Record<string, string>
    return { method: method as 'POST', query, headers: named, raw: Buffer.from(raw), receivedAt: sandbox.clock.now() }
  }
  receiver.answer = () => {
    const verdict = instagram.verifyPush(asRequest(receiver.pushes.length - 1))
    return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
  }
  await sandbox.enterWebhook(instagram, `${receiver.url}/push`)
  await instagram.subscribePush(account, `${receiver.url}/push`)
  receiver.pushes.length = 0
  const root = (await inject({ kind: 'comment', postRemoteId: post, text: 'Why?' })).remoteId
  await inject({ kind: 'reply', parentId: root, text: 'Yes, why?' })
  await instagram.reply(account, { postId: post, commentId: root }, 'Because', [])
  await inject({ kind: 'mention', text: 'Look' })
  await receiver.next(4)
  const pushed = receiver.pushes.flatMap((_, index) => {
    const verdict = instagram.verifyPush(asRequest(index))
    return verdict.ok ? verdict.items : []
  })
  const { items, cursor } = await instagram.fetchInbox(account)
  expect(cursor).toBeUndefined()
  const shown = (all: Activity[]) =>
    all.map(({ dedupeKey, kind, postId, parentCommentId }) => ({ dedupeKey, kind, postId, parentCommentId }))
  const sorted = (all: Activity[]) => shown(all).sort((one, other) => one.dedupeKey.localeCompare(other.dedupeKey))
  expect(sorted(pushed)).toEqual(sorted(items))
  expect(items.map(({ kind }) => kind).sort()).toEqual(['comment', 'echo', 'mention', 'reply'])
  const comments = await instagram.fetchComments(account, post)
  expect(comments.items.map(({ text }) => text).sort()).toEqual(['Because', 'Why?', 'Yes, why?'])
})

test('a pushed comment under an album is resolved to the album by reading the comment', async () => {
  const media = [sandbox.media('jpeg'), sandbox.media('jpeg')]
  const album = (await publishAll(sandbox, instagram, account, { text: 'Two', media })).remoteId
  receiver.answer = ({ query }) => ({ status: 200, body: query.get('hub.challenge') ?? '' })
  await sandbox.enterWebhook(instagram, `${receiver.url}/push`)
  await instagram.subscribePush(account, `${receiver.url}/push`)
  receiver.pushes.length = 0
  const { remoteId } = await inject({ kind: 'comment', postRemoteId: album, text: 'Which one?' })
  const push = await receiver.next(1)
  const verdict = instagram.verifyPush({
    method: 'POST',
    query: new URLSearchParams(),
    headers: { 'x-hub-signature-256': String(push?.headers['x-hub-signature-256']) },
    raw: Buffer.from(push?.raw ?? ''),
    receivedAt: sandbox.clock.now(),
  })
  const [told] = verdict.ok ? verdict.items : []
  expect(told).toMatchObject({ remoteId, isPostUncertain: true })
  expect(told?.postId).not.toBe(album)
  expect(await instagram.postOfComment?.(account, remoteId)).toBe(album)
})

test("the inbox is read even if the login can't list tags", async () => {
  await inject({ kind: 'comment', postRemoteId: post, text: 'Why?' })
  const body = JSON.stringify({ error: { code: 10, message: 'No.' } })
  const response = { status: 400, headers: { 'content-type': 'application/json' }, body }
  await sandbox.control('/fault', {
    network: 'Instagram',
    operation: 'inbox',
    fault: 'answer',
    count: 1,
    answer: response,
  })
  expect((await instagram.fetchInbox(account)).items.map(({ text }) => text)).toEqual(['Why?'])
})

test('streams show own posts and posts that tag the account', async () => {
  const { remoteId } = await inject({ kind: 'mention', text: 'Acme!' })
  expect((await instagram.fetchStream(account, { type: 'page' })).items).toMatchObject([
    { kind: 'post', remoteId: post },
  ])
  expect((await instagram.fetchStream(account, { type: 'page.tags' })).items).toMatchObject([
    { kind: 'mention', remoteId, text: 'Acme!', from: { id: simulatedUser.id, username: simulatedUser.username } },
  ])
  expect(await faultOf(instagram.fetchStream(account, { type: 'tag' }))).toMatchObject({ why: 'unsupported' })
})
