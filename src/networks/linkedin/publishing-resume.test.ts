import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Draft, Progress } from '../connector/draft.ts'
import { draftOf, errorOf, largeVideo, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
afterAll(() => linkedIn.close())

const countOf = async (text: string) =>
  (await linkedIn.posts()).filter((post: { text: string }) => post.text === text).length

const drafts: [string, () => Draft][] = [
  ['a text', () => draftOf('Crash text')],
  ['images', () => draftOf('Crash images', { media: [linkedIn.media('png'), linkedIn.media('jpeg')] })],
  ['a video', () => draftOf('Crash video', { media: [largeVideo()] })],
  ['a PDF', () => draftOf('Crash PDF', { media: [linkedIn.media('pdf')] })],
]

test.each(drafts)('%s is posted once, wherever the process crashes', async (_, make) => {
  const draft = make()
  const kept: { progress?: Progress } = {}
  const stages: string[] = []
  for (let ends = 1; ends < 20; ends++) {
    let saves = 0
    const crash = (progress: Progress) => {
      stages.push(progress.stage)
      // A worker stopped before the last request has to look the post up, and finds none.
      if (++saves === 1) throw new Error('The process ends here.')
    }
    try {
      await linkedIn.publish(linkedIn.page, draft, kept, crash)
    } catch (error) {
      expect((error as Error).message).toBe('The process ends here.')
    }
    if (kept.progress?.stage !== 'committing') continue
    const found = await linkedIn.connector.findPost(linkedIn.page, draft, linkedIn.world.clock.now(), kept.progress)
    expect(found).toEqual({ state: 'absent' })
    kept.progress = { ...kept.progress, stage: 'processing' }
    await linkedIn.publish(linkedIn.page, draft, kept)
    break
  }
  expect(await countOf(draft.text)).toBe(1)
  expect(stages.at(-1)).toBe('committing')
})

test('a video upload resumes after the last part, and starts over when its URLs have expired', async () => {
  const draft = draftOf('Parts', { media: [largeVideo()] })
  const kept: { progress?: Progress } = {}
  await linkedIn.fault('upload', 'delay', { count: 2, delayMs: 1 })
  await linkedIn.fault('upload', 'server-error')
  expect((await errorOf(linkedIn.publish(linkedIn.page, draft, kept))).fault).toEqual({ kind: 'retryable' })
  const video = kept.progress?.video as { urn: string; etags: string[] }
  expect(video.etags.length).toBe(1)
  const resumed = await linkedIn.publish(linkedIn.page, draft, { progress: structuredClone(kept.progress as Progress) })
  const post = (await linkedIn.posts()).find(({ remoteId }: { remoteId: string }) => remoteId === resumed.remoteId)
  expect(post.media).toMatchObject([{ id: video.urn, bytes: largeVideo().bytes }])
  linkedIn.pass(2 * 3_600_000)
  const late = await linkedIn.publish(linkedIn.page, { ...draft, text: 'Parts, later' }, kept)
  expect(late.remoteId).not.toBe(resumed.remoteId)
})

test('a video whose completion response was lost is not uploaded again', async () => {
  const draft = draftOf('Finished', { media: [linkedIn.media('mp4')] })
  const kept: { progress?: Progress } = {}
  await linkedIn.fault('upload', 'delay', { count: 2, delayMs: 1 })
  await linkedIn.fault('upload', 'lost-answer')
  expect((await errorOf(linkedIn.publish(linkedIn.page, draft, kept))).fault).toEqual({ kind: 'retryable' })
  const video = kept.progress?.video as { urn: string }
  await linkedIn.publish(linkedIn.page, draft, kept)
  expect((await linkedIn.posts()).at(-1).media).toMatchObject([{ id: video.urn }])
})

test('publishing waits for media that is not ready, before the post and when the post is rejected for it', async () => {
  const draft = draftOf('Patient', { media: [linkedIn.media('png')] })
  await linkedIn.fault('status', 'not-ready')
  const first = await linkedIn.connector.publish(linkedIn.page, draft, async () => {})
  expect(first).toMatchObject({ state: 'pending', progress: { stage: 'processing' } })
  await linkedIn.fault('publish', 'not-ready')
  const kept = first.state === 'pending' ? { progress: first.progress } : {}
  await linkedIn.publish(linkedIn.page, draft, kept)
  expect(await countOf('Patient')).toBe(1)
})

test('media that LinkedIn could not process fails permanently', async () => {
  await linkedIn.control('/processing', { network: 'LinkedIn', failure: 'broken' })
  const error = await errorOf(linkedIn.publish(linkedIn.page, draftOf('Bad', { media: [linkedIn.media('png')] })))
  await linkedIn.control('/processing', { network: 'LinkedIn' })
  expect(error.fault).toMatchObject({ kind: 'permanent', why: 'input' })
})

const lost: [string, () => Draft][] = [
  ['words with brackets', () => draftOf('Lost (one) #tag @[Acme](urn:li:organization:1)')],
  ['an image', () => draftOf('Lost image', { media: [linkedIn.media('png')] })],
  ['an image without words', () => draftOf('', { media: [linkedIn.media('gif')] })],
  [
    'a link',
    () => draftOf('Lost link', { link: { url: 'https://a.example/', title: 'A', description: '', imageUrl: '' } }),
  ],
]

test.each(lost)('%s whose response was lost is found; one that never arrived is not', async (_, make) => {
  const { page, connector, world } = linkedIn
  const draft = make()
  const kept: { progress?: Progress } = {}
  await linkedIn.fault('publish', 'server-error')
  expect((await errorOf(linkedIn.publish(page, draft, kept))).fault).toEqual({ kind: 'unknownOutcome' })
  const since = world.clock.now()
  expect(await connector.findPost(page, draft, since, kept.progress)).toEqual({ state: 'absent' })
  await linkedIn.fault('publish', 'lost-answer')
  expect(
    (await errorOf(linkedIn.publish(page, draft, { progress: { ...kept.progress, stage: 'processing' } }))).fault,
  ).toEqual({ kind: 'unknownOutcome' })
  const post = (await linkedIn.posts()).at(-1)
  expect(await connector.findPost(page, draft, since, kept.progress)).toMatchObject({
    state: 'found',
    remoteId: post.remoteId,
  })
  linkedIn.pass(120_000)
  expect(await connector.findPost(page, draft, world.clock.now(), kept.progress)).toEqual({ state: 'absent' })
})

test("an image without text is ambiguous if its URN is unknown, and members’ posts can't be listed", async () => {
  const { page, member, connector, world } = linkedIn
  const draft = draftOf('', { media: [linkedIn.media('jpeg')] })
  await linkedIn.publish(page, draft)
  expect(await connector.findPost(page, draft, world.clock.now())).toMatchObject({ state: 'undecidable' })
  const found = await connector.findPost(member, draftOf('Mine'), world.clock.now())
  expect(found).toMatchObject({ state: 'undecidable', why: expect.stringContaining('check') })
  const reader = { ...member, secret: { ...member.secret, scopes: ['r_member_social'] } }
  expect(await connector.findPost(reader, draftOf('Mine'), world.clock.now())).toEqual({ state: 'absent' })
})

test('a malformed list leaves the outcome unknown', async () => {
  await linkedIn.answer('posts', 200, 'A page of some gateway')
  const looking = linkedIn.connector.findPost(linkedIn.page, draftOf('X'), linkedIn.world.clock.now())
  expect((await errorOf(looking)).fault).toEqual({ kind: 'retryable' })
})
