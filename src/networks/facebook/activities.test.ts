import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { simulatedUser, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Activity, Connector, Page, PushRequest } from '../connector/connector.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openFacebook } from './facebook.ts'

const page = sandboxActor('Facebook')
let sandbox: MetaSandbox
let receiver: Awaited<ReturnType<typeof testReceiver>>
let facebook: Connector
let post: string
beforeAll(async () => {
  sandbox = await metaSandbox()
  receiver = await testReceiver()
  facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
})
afterAll(async () => {
  await receiver.close()
  await sandbox.close()
})
beforeEach(async () => {
  await sandbox.control('/reset', {})
  receiver.pushes.length = 0
  post = (await publishAll(sandbox, facebook, page, { text: 'Discuss', media: [sandbox.media('png')] })).remoteId
})

const inject = (json: object) =>
  sandbox.inject({ network: 'Facebook', profile: page.remoteId, from: simulatedUser, push: true, ...json })

async function happen() {
  const comment = (await inject({ kind: 'comment', postRemoteId: post, text: 'Why?' })).remoteId
  const reply = (await inject({ kind: 'reply', parentId: comment, text: 'Yes, why?' })).remoteId
  await facebook.reply(page, { postId: post, commentId: comment }, 'Because', [])
  const mention = (await inject({ kind: 'mention', text: 'Look at Acme' })).remoteId
  const message = (await inject({ kind: 'message', text: 'Hello' })).remoteId
  await facebook.message(page, { personId: simulatedUser.id }, 'Hello!', [])
  return { comment, reply, mention, message }
}

async function all(read: (cursor?: string) => Promise<Page<Activity>>) {
  const items: Activity[] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    items.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return items
}

const asRequest = (index: number): PushRequest => {
  const { method, query, headers, raw } = receiver.pushes[index] as (typeof receiver.pushes)[number]
  const named = headers as Record<string, string>
  return { method: method as 'POST', query, headers: named, raw: Buffer.from(raw), receivedAt: sandbox.clock.now() }
}

async function subscribed() {
  receiver.answer = () => {
    const request = asRequest(receiver.pushes.length - 1)
    const verdict = facebook.verifyPush(request)
    return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
  }
  await facebook.subscribePush(page, `${receiver.url}/push`)
  receiver.pushes.length = 0
}

test('the inbox returns comments, replies, mentions and messages, newest first', async () => {
  const { comment, reply, mention, message } = await happen()
  const items = await all((cursor) => facebook.fetchInbox(page, cursor))
  const kinds = new Map(items.map(({ remoteId, kind }) => [remoteId, kind]))
  expect([comment, reply, mention, message].map((id) => kinds.get(id))).toEqual([
    'comment',
    'reply',
    'mention',
    'message',
  ])
  expect(
    items
      .filter(({ kind }) => kind === 'echo')
      .map(({ text }) => text)
      .sort(),
  ).toEqual(['Because', 'Hello!'])
  expect(items.find(({ remoteId }) => remoteId === reply)).toMatchObject({ postId: post, parentCommentId: comment })
  expect(items.find(({ remoteId }) => remoteId === message)).toMatchObject({
    threadId: simulatedUser.id,
    text: 'Hello',
  })
  const times = items.map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((one, other) => other - one))
})

test('every push has the same dedupe key as polling', async () => {
  await subscribed()
  await happen()
  await receiver.next(6)
  const pushed = receiver.pushes.flatMap((_, index) => {
    const verdict = facebook.verifyPush(asRequest(index))
    return verdict.ok ? verdict.items : []
  })
  const polled = await all((cursor) => facebook.fetchInbox(page, cursor))
  const shown = (items: Activity[]) =>
    items.map(({ dedupeKey, kind, postId, threadId, text }) => ({ dedupeKey, kind, postId, threadId, text }))
  const byKey = (items: Activity[]) => shown(items).sort((one, other) => one.dedupeKey.localeCompare(other.dedupeKey))
  expect(byKey(pushed)).toEqual(byKey(polled))
  expect(pushed.every(({ at }) => Math.abs(at.getTime() - sandbox.clock.now().getTime()) < 5000)).toBe(true)
})

test('a like is pushed as a reaction, and a new post with the key of the stream', async () => {
  await subscribed()
  const made = await publishAll(sandbox, facebook, page, { text: 'News', media: [] })
  await inject({ kind: 'like', postRemoteId: post })
  await receiver.next(2)
  const items = [0, 1].flatMap((index) => {
    const verdict = facebook.verifyPush(asRequest(index))
    return verdict.ok ? verdict.items : []
  })
  const [streamed] = (await facebook.fetchStream(page, { type: 'ownpage' })).items
  expect(items.map(({ kind, dedupeKey }) => [kind, dedupeKey])).toEqual([
    ['post', streamed?.dedupeKey],
    ['reaction', `reaction:${post}:${simulatedUser.id}`],
  ])
  expect(streamed).toMatchObject({ kind: 'post', remoteId: made.remoteId, text: 'News' })
})

test('streams and comments are paginated, and unknown streams are rejected', async () => {
  for (let number = 0; number < 30; number += 1)
    await inject({ kind: 'comment', postRemoteId: post, text: `Comment ${number}`, push: false })
  const first = await facebook.fetchComments(page, post)
  expect([first.items.length, first.items[0]?.text]).toEqual([25, 'Comment 29'])
  expect(first.cursor).not.toContain('http')
  const comments = await all((cursor) => facebook.fetchComments(page, post, cursor))
  expect(new Set(comments.map(({ dedupeKey }) => dedupeKey)).size).toBe(30)
  const { remoteId } = await inject({ kind: 'mention', text: 'Acme!', push: false })
  const [tagged] = (await facebook.fetchStream(page, { type: 'tag' })).items
  expect(tagged).toMatchObject({ dedupeKey: `mention:${remoteId}`, text: 'Acme!', from: { id: simulatedUser.id } })
  expect(await faultOf(facebook.fetchStream(page, { type: 'home' }))).toMatchObject({ why: 'unsupported' })
})
