import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import { errorOf, faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openFacebook } from './facebook.ts'

const page = sandboxActor('Facebook')
const hour = 3_600_000
let sandbox: MetaSandbox
let facebook: Connector
let post: string
beforeAll(async () => {
  sandbox = await metaSandbox()
  facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
})
afterAll(() => sandbox.close())
beforeEach(async () => {
  await sandbox.control('/reset', {})
  post = (await publishAll(sandbox, facebook, page, { text: 'Discuss', media: [] })).remoteId
})

const ledger = (kind: string) => sandbox.ledger(`network=Facebook&kind=${kind}`)
const inject = (json: object) =>
  sandbox.inject({ network: 'Facebook', profile: page.remoteId, from: simulatedUser, push: false, ...json })
const fault = (operation: string, name: string) =>
  sandbox.control('/fault', { network: 'Facebook', operation, fault: name, count: 1 })

test('a first comment and a reply with an image appear under the right parent', async () => {
  const first = await facebook.reply(page, { postId: post }, 'First', [])
  const { remoteId } = await inject({ kind: 'comment', postRemoteId: post, text: 'Why?' })
  const response = await facebook.reply(page, { postId: post, commentId: remoteId }, 'Because', [sandbox.media('png')])
  expect(await ledger('comment')).toMatchObject([
    { remoteId: first.remoteId, parentId: post, text: 'First' },
    { remoteId: response.remoteId, parentId: remoteId, text: 'Because', media: [{ mime: 'image/png' }] },
  ])
  await facebook.like(page, { postId: post, commentId: remoteId })
  await facebook.like(page, { postId: post, commentId: remoteId })
  expect(await ledger('like')).toMatchObject([{ parentId: remoteId }])
})

test('a comment whose response was lost is found under its parent only', async () => {
  const { remoteId: commentId } = await inject({ kind: 'comment', postRemoteId: post, text: 'Thanks' })
  const since = sandbox.clock.now()
  const [under, below] = [{ postId: post }, { postId: post, commentId }]
  await fault('comment', 'lost-answer')
  expect(await faultOf(facebook.reply(page, under, 'Thanks', []))).toEqual({ kind: 'unknownOutcome' })
  expect(await facebook.findReply(page, under, 'Thanks', since)).toMatchObject({ state: 'found' })
  expect(await facebook.findReply(page, below, 'Thanks', since)).toEqual({ state: 'absent' })
  await fault('reply', 'server-error')
  expect(await faultOf(facebook.reply(page, below, 'Thanks', []))).toEqual({ kind: 'unknownOutcome' })
  expect(await facebook.findReply(page, below, 'Thanks', since)).toEqual({ state: 'absent' })
})

test('a page can reply within a day, as a human agent within a week, and not later', async () => {
  await inject({ kind: 'message', text: 'Hi' })
  const to = { personId: simulatedUser.id, lastInboundAt: sandbox.clock.now() }
  const sent = await facebook.message(page, to, 'Yes?', [])
  sandbox.move(30 * hour)
  await facebook.message(page, to, 'Still there?', [])
  expect((await ledger('message')).map(({ text }: { text: string }) => text)).toEqual(['Yes?', 'Still there?'])
  expect((await ledger('message'))[0].remoteId).toBe(sent.remoteId)
  sandbox.move(200 * hour)
  sandbox.usages.length = 0
  expect(await faultOf(facebook.message(page, to, 'Hello?', []))).toEqual({ kind: 'permanent', why: 'policy' })
  expect(sandbox.usages).toEqual([])
})

test('an app without Human Agent gets a clear error for replies after a day', async () => {
  await inject({ kind: 'message', text: 'Hi' })
  const to = { personId: simulatedUser.id, lastInboundAt: sandbox.clock.now() }
  sandbox.move(30 * hour)
  for (const [code, error_subcode] of [
    [10, 2018278],
    [100, undefined],
    [200, undefined],
  ]) {
    const body = JSON.stringify({ error: { code, error_subcode, message: '(#10) Not allowed.' } })
    const response = { status: 400, headers: { 'content-type': 'application/json' }, body }
    await sandbox.control('/fault', {
      network: 'Facebook',
      operation: 'message',
      fault: 'answer',
      count: 1,
      answer: response,
    })
    const refused = await errorOf(facebook.message(page, to, 'Still there?', []))
    expect(refused.fault).toEqual({ kind: 'permanent', why: 'policy' })
    expect(refused.message).toMatch(/Human Agent.*Not allowed/)
  }
})

test('files are sent before the text, and nothing is sent twice after a partial failure', async () => {
  await inject({ kind: 'message', text: 'Show me' })
  const to = { personId: simulatedUser.id, lastInboundAt: sandbox.clock.now() }
  await facebook.message(page, to, 'Here', [sandbox.media('png')])
  expect(await ledger('message')).toMatchObject([
    { text: '', media: [{ mime: 'image/png' }] },
    { text: 'Here', media: [] },
  ])
  sandbox.move(5 * 60_000)
  const since = sandbox.clock.now()
  await fault('message', 'delay')
  await fault('message', 'rate-limit')
  expect(await faultOf(facebook.message(page, to, 'And here', [sandbox.media('jpeg')]))).toEqual({
    kind: 'unknownOutcome',
  })
  expect(await facebook.findMessage(page, to, 'And here', since)).toMatchObject({ state: 'undecidable' })
})

test('a message whose response was lost is found, and one that never arrived is not', async () => {
  await inject({ kind: 'message', text: 'Open?' })
  const to = { personId: simulatedUser.id, lastInboundAt: sandbox.clock.now() }
  const since = sandbox.clock.now()
  await fault('message', 'server-error')
  expect(await faultOf(facebook.message(page, to, 'Open?', []))).toEqual({ kind: 'unknownOutcome' })
  expect(await facebook.findMessage(page, to, 'Open?', since)).toEqual({ state: 'absent' })
  await fault('message', 'lost-answer')
  expect(await faultOf(facebook.message(page, to, 'Open?', []))).toEqual({ kind: 'unknownOutcome' })
  const [sent] = await ledger('message')
  expect(await facebook.findMessage(page, to, 'Open?', since)).toMatchObject({
    state: 'found',
    remoteId: sent.remoteId,
  })
})

test('removing is idempotent', async () => {
  await facebook.remove(page, post)
  await facebook.remove(page, post)
  expect((await ledger('post'))[0].removedAt).not.toBeNull()
})

test('invalid comments and messages are rejected before any request', async () => {
  const [png, mp4] = [sandbox.media('png'), sandbox.media('mp4')]
  sandbox.usages.length = 0
  const comment = (text: string, media: (typeof png)[]) => faultOf(facebook.reply(page, { postId: post }, text, media))
  expect(await comment('a'.repeat(8001), [])).toMatchObject({ why: 'input' })
  expect(await comment(' ', [])).toMatchObject({ why: 'input' })
  expect(await comment('a', [png, png])).toMatchObject({ why: 'input' })
  expect(await comment('a', [mp4])).toMatchObject({ why: 'unsupported' })
  expect(await faultOf(facebook.message(page, { personId: '1' }, 'a'.repeat(2001), []))).toMatchObject({ why: 'input' })
  expect(await faultOf(facebook.message(page, { personId: '1' }, '', []))).toMatchObject({ why: 'input' })
  expect(sandbox.usages).toEqual([])
})
