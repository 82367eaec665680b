import { afterAll, beforeAll, expect, test } from 'vitest'
import { testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import type { PushRequest } from '../connector/connector.ts'
import { faultOf, openTestTikTok, pushBody, receivedAt } from './tiktok.fixture.ts'

let sandbox: Awaited<ReturnType<typeof openTestTikTok>>
let receiver: Awaited<ReturnType<typeof testReceiver>>
beforeAll(async () => {
  sandbox = await openTestTikTok()
  receiver = await testReceiver()
})
afterAll(async () => {
  await sandbox.close()
  await receiver.close()
})

function itemsOf(request: PushRequest) {
  const verdict = sandbox.tiktok.verifyPush(request)
  if (!verdict.ok) throw new Error(verdict.reason)
  expect(verdict.response).toEqual({ status: 200, type: 'text/plain', body: '' })
  return verdict.items
}

test('pushes are identical to polled activities, with the same key', async () => {
  const { tiktok, actor, published, commented, inject } = sandbox
  expect(await tiktok.subscribePush(actor, `${receiver.url}/push`)).toEqual({})
  const postId = await published('Pushed')
  const commentId = await commented(postId, 'First')
  await commented(postId, 'Second', commentId)
  await inject({ network: 'TikTok', profile: actor.remoteId, kind: 'mention', text: 'Look @northwindoutdoor' })
  await receiver.next(3)
  const items = receiver.pushes.flatMap(({ headers, raw }) =>
    itemsOf({
      method: 'POST',
      query: new URLSearchParams(),
      headers: { 'tiktok-signature': String(headers['tiktok-signature']) },
      raw: Buffer.from(raw),
      receivedAt: new Date(Number(/t=(\d+)/.exec(String(headers['tiktok-signature']))?.[1]) * 1000),
    }),
  )
  const mention = items.find(({ kind }) => kind === 'mention')
  expect(mention).toMatchObject({
    text: 'Look @northwindoutdoor',
    actorRemoteId: actor.remoteId,
    url: expect.any(String),
  })
  expect(mention?.dedupeKey).toBe(`mention:${mention?.remoteId}`)
  const seen = (list: typeof items) =>
    list
      .map(({ dedupeKey, kind, text, postId: post, parentCommentId: parent, from }) => {
        return { dedupeKey, kind, text, post, parent, from: from?.id }
      })
      .toSorted((one, other) => (one.dedupeKey < other.dedupeKey ? -1 : 1))
  const read = await tiktok.fetchInbox(actor)
  expect(seen(items.filter(({ kind }) => kind !== 'mention'))).toEqual(seen(read.items))
  expect(read.items).toHaveLength(2)
})

test('mentions need a separate permission, and are skipped without it', async () => {
  const { tiktok, actor, fault, control } = sandbox
  const rejection = (code: number) => ({ answer: { status: 200, body: JSON.stringify({ code, message: 'No.' }) } })
  await fault('subscribe', 'delay', { delayMs: 1 })
  await fault('subscribe', 'answer', rejection(40001))
  expect(await tiktok.subscribePush(actor, `${receiver.url}/push`)).toEqual({})
  await fault('subscribe', 'answer', rejection(40001))
  const error = await faultOf(tiktok.subscribePush(actor, `${receiver.url}/push`))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'config' })
  expect((await control('/faults')).body.faults).toEqual([])
})

test('ids beyond the range of a double stay exact, as numbers and in the inner JSON', () => {
  const content =
    '{"comment_id":7247303576418566913,"video_id":7203946942097902849,"parent_comment_id":7235861947622916867,' +
    '"comment_type":"reply","comment_action":"insert","timestamp":1687394416109,"unique_identifier":"u","text":"Ja"}'
  expect(itemsOf(pushBody('comment.update', content))).toMatchObject([
    {
      dedupeKey: 'comment:7247303576418566913',
      kind: 'reply',
      remoteId: '7247303576418566913',
      postId: '7203946942097902849',
      parentCommentId: '7235861947622916867',
      at: new Date(1687394416109),
      raw: { comment_id: '7247303576418566913' },
    },
  ])
})

test.each([
  ['comment.update', { comment_id: '1', comment_action: 'delete' }, [{ kind: 'removed', remoteId: '1' }]],
  ['comment.update', { comment_id: '1', comment_action: 'insert' }, []],
  ['comment.update', { comment_id: '1', comment_action: 'set_to_hidden', text: 'a' }, []],
  ['comment.update', {}, []],
  [
    'comment.update',
    { comment_id: '1', comment_action: 'insert', text: 'a', unique_identifier: '7100000000000000501' },
    [{ kind: 'echo' }],
  ],
  [
    'brand.mention.event',
    { type_of_event: 'CREATE', mention_type: 'COMMENT', video_id: '2', comment_id: '3' },
    [{ kind: 'mention', dedupeKey: 'comment:3', remoteId: '3', postId: '2' }],
  ],
  ['brand.mention.event', { type_of_event: 'EDIT', video_id: '2', comment_id: '0' }, []],
  ['authorization.removed', { reason: 1 }, [{ kind: 'revoked', remoteId: '7100000000000000501', at: receivedAt }]],
  ['post.publish.complete', { publish_id: 'v' }, []],
  ['im_receive_msg', { message_id: 'm', text: { body: 'Hi' } }, []],
])('%s with %j tells what the service has a use for', (event, content, expected) => {
  expect(itemsOf(pushBody(event, JSON.stringify(content)))).toMatchObject(expected)
})
