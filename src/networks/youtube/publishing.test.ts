import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Draft, Progress } from '../connector/draft.ts'
import { film, problemOf, youtubeChannel } from './youtube.fixture.ts'

const chunk = 8 * 1024 * 1024
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

const draft = (more: Partial<Draft> = {}): Draft => ({
  text: 'About robots',
  title: 'Robots',
  media: [film()],
  ...more,
})
const begin = (of: Draft, progress?: Progress) => channel.connector.publish(channel.actor, of, channel.save, progress)
const find = (of: Draft, progress = channel.saved.at(-1)) =>
  channel.connector.findPost(channel.actor, of, start, progress)

test('a video is published with title and description once YouTube has processed it', async () => {
  const step = await begin(draft())
  expect(step).toMatchObject({ state: 'pending', progress: { stage: 'committed' } })
  expect(channel.saved.map(({ stage }) => stage)).toEqual(['uploading', 'committing'])
  const again = step.state === 'pending' && (await begin(draft(), step.progress))
  expect(again).toMatchObject({ state: 'pending', progress: { stage: 'committed' } })
  await channel.advance(5000)
  const done = await begin(draft(), (step as { progress: Progress }).progress)
  const [post, ...more] = await channel.posts()
  expect(more).toEqual([])
  expect(post).toMatchObject({ title: 'Robots', text: 'About robots', extra: { privacyStatus: 'public' } })
  expect(done).toMatchObject({ state: 'done', remoteId: post.remoteId, at: new Date(post.at) })
  expect((done as { remoteUrl: string }).remoteUrl).toBe(`${channel.url}/www.youtube.com/watch?v=${post.remoteId}`)
})

test('a video in three chunks resumes after a crash at any checkpoint, and is published once', async () => {
  const long = draft({ media: [film(2 * chunk)] })
  let last: Progress | undefined
  for (let crashes = 0; crashes < 10; crashes += 1) {
    const kept: Progress[] = []
    const save = async (progress: Progress) => {
      if (progress.stage === 'committing') return
      kept.push(structuredClone(progress))
      throw new Error('The process ends here.')
    }
    const step = await channel.connector.publish(channel.actor, long, save, last).catch(() => undefined)
    if (step) break
    last = kept[0]
  }
  expect(last).toMatchObject({ stage: 'uploading', offset: 2 * chunk })
  const [post, ...more] = await channel.posts()
  expect(more).toEqual([])
  expect(post.media[0].bytes).toBe(long.media[0]?.bytes)
  const known = await begin(long, last)
  // A fast channel may already have processed it.
  const id = known.state === 'done' ? known.remoteId : (known as { progress?: Progress }).progress?.id
  expect(id, 'an upload that is complete is not sent again').toBe(post.remoteId)
  expect(await channel.posts()).toHaveLength(1)
})

test('after a crash before the last chunk the upload is looked up and resumed', async () => {
  const crashing = async (progress: Progress) => {
    await channel.save(progress)
    if (progress.stage === 'committing') throw new Error('The process ends here.')
  }
  const one = draft()
  await expect(channel.connector.publish(channel.actor, one, crashing)).rejects.toThrow('ends here')
  expect(await find(one)).toEqual({ state: 'absent' })
  await channel.publish(one, channel.saved.at(-2))
  expect(await channel.posts()).toHaveLength(1)
})

test('chunks that YouTube did not receive are sent again', async () => {
  const long = draft({ media: [film(2 * chunk)] })
  const crashing = async (progress: Progress) => {
    await channel.save(progress)
    throw new Error('The process ends here.')
  }
  await expect(channel.connector.publish(channel.actor, long, crashing)).rejects.toThrow('ends here')
  const outcome = async () => (await problemOf(begin(long, channel.saved.at(-1)))).message
  await channel.fault('upload', 'answer', { answer: { status: 308 } })
  expect(await outcome()).toBe('YouTube took none of the bytes it was sent.')
  expect(channel.saved.at(-1)).toMatchObject({ stage: 'uploading', offset: 0 })
  await channel.fault('upload', 'lost-answer')
  expect(await outcome()).toContain('closed the connection')
  const count = channel.saved.length
  await channel.publish(long, channel.saved.at(-1))
  const offsets = channel.saved.slice(count).flatMap(({ offset }) => (offset === undefined ? [] : [offset]))
  expect(offsets, 'the piece whose answer got lost is not sent again').toEqual([2 * chunk])
  expect(await channel.posts()).toHaveLength(1)
})

test('an upload that YouTube has dropped starts over', async () => {
  const one = draft()
  const gone = { answer: { status: 404, body: 'Not Found' } }
  await channel.fault('publish', 'answer', gone)
  expect(await problemOf(begin(one))).toMatchObject({ fault: { kind: 'retryable' } })
  expect(channel.saved.at(-1)).toEqual({ stage: 'uploading' })
  await channel.publish(one, channel.saved.at(-1))
  const stale = {
    stage: 'uploading',
    session: `${channel.url}/www.googleapis.com/upload/youtube/v3/videos?upload_id=old`,
  } as const
  await channel.publish(draft({ title: 'Another' }), { ...stale, offset: 8 })
  expect((await channel.posts()).map(({ title }: { title: string }) => title)).toEqual(['Robots', 'Another'])
})

test('a session URL of an unknown host is rejected without a request', async () => {
  const foreignUrl = { stage: 'uploading', session: 'https://attacker.example/upload', offset: 0 } as const
  expect((await problemOf(begin(draft(), foreignUrl))).fault).toEqual({ kind: 'permanent', why: 'config' })
})

test('a duplicate video is distinguished from an unusable one', async () => {
  const one = draft()
  await channel.publish(one)
  const { fault } = await problemOf(channel.publish(one))
  expect(fault).toEqual({ kind: 'duplicate' })
  expect(await find(one)).toMatchObject({ state: 'undecidable', why: expect.stringContaining('has it already') })
  await channel.control('/processing', { network: 'YouTube', failure: 'codec' })
  const failed = await problemOf(channel.publish(draft()))
  expect(failed.fault).toEqual({ kind: 'permanent', why: 'input', field: 'media' })
  expect(failed.message).toBe('YouTube could not use the video: it was encoded in a way YouTube does not know.')
  await channel.control('/processing', { network: 'YouTube' })
})

test('a video removed during processing is gone', async () => {
  const step = await begin(draft())
  const { progress } = step as { progress: Progress }
  await channel.connector.remove(channel.actor, String(progress.id))
  expect(await begin(draft(), progress), 'new videos are not listed at once').toMatchObject({ state: 'pending' })
  const old = { ...progress, at: '2020-01-01T00:00:00Z' }
  expect((await problemOf(begin(draft(), old))).fault).toEqual({ kind: 'permanent', why: 'gone' })
})
