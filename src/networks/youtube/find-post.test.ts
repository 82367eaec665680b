import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Draft } from '../connector/draft.ts'
import { film, problemOf, youtubeChannel } from './youtube.fixture.ts'

const start = new Date(Date.now() - 1000)
let channel: Awaited<ReturnType<typeof youtubeChannel>>
beforeAll(async () => {
  channel = await youtubeChannel()
})
beforeEach(async () => {
  await channel.control('/reset', {})
  channel.saved.length = 0
})
afterAll(() => channel.close())

const draft = (): Draft => ({ text: 'About robots', title: 'Robots', media: [film()] })
const find = (of: Draft, progress = channel.saved.at(-1), since = start) =>
  channel.connector.findPost(channel.actor, of, since, progress)

test('a last chunk whose response was lost is found by its upload session', async () => {
  const one = draft()
  await channel.fault('publish', 'lost-answer')
  expect((await problemOf(channel.publish(one))).fault).toEqual({ kind: 'unknownOutcome' })
  expect(channel.saved.at(-1)).toMatchObject({ stage: 'committing', bytes: one.media[0]?.bytes })
  const [post] = await channel.posts()
  expect(await find(one)).toMatchObject({ state: 'found', remoteId: post.remoteId, at: new Date(post.at) })
})

test('a last chunk rejected by YouTube was not published and is sent again', async () => {
  const one = draft()
  await channel.fault('publish', 'server-error')
  expect((await problemOf(channel.publish(one))).fault).toEqual({ kind: 'unknownOutcome' })
  expect(await find(one)).toEqual({ state: 'absent' })
  await channel.publish(
    one,
    channel.saved.find(({ stage }) => stage === 'uploading'),
  )
  expect(await channel.posts()).toHaveLength(1)
})

test('an unclear state of an upload is checked again later', async () => {
  const one = draft()
  await channel.fault('publish', 'lost-answer')
  await problemOf(channel.publish(one))
  const range = `bytes=0-${(one.media[0]?.bytes ?? 0) - 1}`
  await channel.fault('status', 'answer', { answer: { status: 308, headers: { range } } })
  expect((await problemOf(find(one))).fault).toEqual({ kind: 'retryable' })
  await channel.fault('status', 'server-error')
  expect((await problemOf(find(one))).fault).toEqual({ kind: 'retryable' })
  expect(await find(one)).toMatchObject({ state: 'found' })
})

test('an upload with an expired session is found among the newest videos, or its outcome is unknown', async () => {
  const one = draft()
  const forgotten = {
    stage: 'committing',
    session: `${channel.url}/www.googleapis.com/upload/youtube/v3/videos?upload_id=x`,
  } as const
  expect(await find(one, forgotten)).toMatchObject({ state: 'undecidable', why: expect.stringContaining('channel') })
  const { remoteId } = await channel.publish(one)
  expect(await find(one, forgotten)).toMatchObject({ state: 'found', remoteId })
  expect(await find({ ...one, title: 'Robot' }, forgotten)).toMatchObject({ state: 'undecidable' })
  expect(await find({ ...one, text: 'Other words' }, forgotten)).toMatchObject({ state: 'undecidable' })
  expect(await find(one, forgotten, new Date(Date.now() + 3_600_000))).toMatchObject({ state: 'undecidable' })
  await channel.publish({ ...one, media: [film()] })
  expect(await find(one, forgotten), 'two look the same').toMatchObject({ state: 'undecidable' })
})

test('a sent video is found by its id', async () => {
  const { remoteId } = await channel.publish(draft())
  const sent = { stage: 'committed', id: remoteId } as const
  expect(await find(draft(), sent)).toMatchObject({ state: 'found', remoteId })
  await channel.connector.remove(channel.actor, remoteId)
  expect(await find(draft(), sent)).toMatchObject({ state: 'undecidable' })
})

test('comments and replies whose response was lost are found, others are absent', async () => {
  const { connector, actor } = channel
  const { remoteId: postId } = await channel.publish(draft())
  const { remoteId: commentId } = await channel.inject({ postRemoteId: postId, text: 'Thanks' })
  for (const to of [{ postId }, { postId, commentId }]) {
    const operation = 'commentId' in to ? 'reply' : 'comment'
    const send = (text: string) => problemOf(connector.reply(actor, to, text, []))
    await channel.fault(operation, 'server-error')
    expect((await send('Thanks')).fault).toEqual({ kind: 'unknownOutcome' })
    expect(await connector.findReply(actor, to, 'Thanks', start)).toEqual({ state: 'absent' })
    await channel.fault(operation, 'lost-answer')
    expect((await send('Thanks')).fault).toEqual({ kind: 'unknownOutcome' })
    const found = await connector.findReply(actor, to, 'Thanks', start)
    const said = (await channel.ledger('network=YouTube&kind=comment')).at(-1)
    expect(found).toMatchObject({ state: 'found', remoteId: said.remoteId })
    const later = new Date(Date.now() + 3_600_000)
    expect(await connector.findReply(actor, to, 'Thanks', later)).toEqual({ state: 'absent' })
  }
})

test('the outcome of a comment under hundreds of others is unknown', async () => {
  const { connector, actor } = channel
  const { remoteId: postId } = await channel.publish(draft())
  const response = { status: 200, body: { items: [], nextPageToken: 'more' } }
  await channel.fault('inbox', 'answer', { answer: response, count: 5 })
  expect(await connector.findReply(actor, { postId }, 'Mine', start)).toMatchObject({ state: 'undecidable' })
})
