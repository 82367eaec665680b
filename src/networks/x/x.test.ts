import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Draft, MediaRef, Progress } from '../connector/draft.ts'
import { faultOf, noSave, testX } from './x.fixture.ts'

let t: Awaited<ReturnType<typeof testX>>
beforeAll(async () => {
  t = await testX()
})
afterAll(() => t.sandbox.close())

const draft = (more: Partial<Draft>): Draft => ({ text: '', media: [], ...more })
const last = async () => (await t.posts()).at(-1)

test('a text is published, and the receipt has its URL', async () => {
  const step = await t.x.publish(t.actor, draft({ text: 'Hello R&D 日本' }), noSave)
  expect(step).toMatchObject({ state: 'done', remoteUrl: expect.stringContaining('/x.com/northwindoutdoor/status/') })
  expect(await last()).toMatchObject({ text: 'Hello R&D 日本', remoteId: 'remoteId' in step && step.remoteId })
})

test('a link is appended to the text, unless the text contains it', async () => {
  const link = {
    url: 'https://acme.example/new',
    title: 'New',
    description: 'Newer',
    imageUrl: 'https://acme.example/i',
  }
  await t.post({ text: 'Look', link })
  expect((await last()).text).toBe('Look\nhttps://acme.example/new')
  await t.post({ text: 'At https://acme.example/new today', link })
  expect((await last()).text).toBe('At https://acme.example/new today')
  await t.post({ link })
  expect((await last()).text).toBe('https://acme.example/new')
})

test('up to four images are published with their descriptions', async () => {
  const media = [t.sandbox.media('png', 'A robot'), t.sandbox.media('jpeg')]
  await t.post({ text: 'Pictures', media })
  expect((await last()).media).toMatchObject([{ mime: 'image/png', alt: 'A robot' }, { mime: 'image/jpeg' }])
})

test('a GIF and a video are uploaded in segments and awaited', async () => {
  await t.post({ text: 'Moves', media: [t.sandbox.media('gif', 'A dance')] })
  expect((await last()).media).toMatchObject([{ mime: 'image/gif', alt: 'A dance' }])
  const film = t.sandbox.media('mp4')
  const first = await t.x.publish(t.actor, draft({ text: 'Film', media: [film] }), noSave)
  expect(first).toMatchObject({ state: 'pending', progress: { stage: 'processing' }, checkAfterMs: 1000 })
  await t.post({ text: 'Film', media: [film] }, 'progress' in first ? first.progress : undefined)
  expect((await last()).media).toMatchObject([{ mime: 'video/mp4', bytes: film.bytes }])
})

test('a video that X cannot use is rejected with its message', async () => {
  await t.sandbox.control('/processing', { network: 'Twitter', failure: 'Unsupported codec' })
  const call = t.post({ text: 'Broken', media: [t.sandbox.media('mp4')] })
  await expect(call).rejects.toMatchObject({
    fault: { why: 'input' },
    message: expect.stringContaining('Unsupported codec'),
  })
  await t.sandbox.control('/processing', { network: 'Twitter' })
})

/** Ten megabytes: three segments. */
function longFilm(): MediaRef {
  const short = t.sandbox.media('mp4')
  const bytes = 10_000_000
  return {
    ...short,
    bytes,
    async *open(from = 0, to = bytes) {
      const head: Uint8Array[] = []
      if (from < short.bytes) for await (const chunk of short.open(from, Math.min(to, short.bytes))) head.push(chunk)
      const taken = Buffer.concat(head)
      yield taken
      yield Buffer.alloc(to - from - taken.length)
    },
  }
}

test('a crash at any checkpoint is resumed and results in one post', async () => {
  const film = longFilm()
  let saves = 0
  const count = async () => void saves++
  await t.x.publish(t.actor, draft({ text: 'Count', media: [film] }), count)
  // Start, three segments, finish.
  expect(saves).toBe(5)
  for (let crashAt = 0; crashAt < saves; crashAt++) {
    const kept: Progress[] = []
    const save = async (progress: Progress) => {
      kept.push(progress)
      if (kept.length > crashAt) throw new Error('died')
    }
    const whole = draft({ text: `Long ${crashAt}`, media: [film] })
    await expect(t.x.publish(t.actor, whole, save)).rejects.toThrow('died')
    expect(kept.at(-1)?.stage).toBe('uploading')
    await t.post(whole, JSON.parse(JSON.stringify(kept.at(-1))))
    const made = (await t.posts()).filter(({ text }: { text: string }) => text === `Long ${crashAt}`)
    expect(made).toHaveLength(1)
    expect(made[0].media).toMatchObject([{ bytes: 10_000_000 }])
  }
})

test('uploaded files are not uploaded again', async () => {
  const kept: Progress[] = []
  const save = async (progress: Progress) => {
    kept.push(progress)
    if (kept.length === 2) throw new Error('died')
  }
  const media = [t.sandbox.media('png'), t.sandbox.media('jpeg')]
  await expect(t.x.publish(t.actor, draft({ text: 'Twice', media }), save)).rejects.toThrow('died')
  const unreadable = media.map((file) => ({ ...file, open: () => Promise.reject(new Error('read again')) as never }))
  await t.post({ text: 'Twice', media: unreadable }, kept.at(-1))
  expect((await last()).media).toHaveLength(2)
})

test('an upload that X has expired starts over', async () => {
  const uploads = [{ id: '1', segment: 1, sent: false, ready: false, until: '2999-01-01T00:00:00.000Z' }]
  await t.post({ text: 'Forgotten', media: [t.sandbox.media('mp4')] }, { stage: 'uploading', uploads })
  const old = [{ id: '1', segment: 0, sent: true, ready: true, until: '2020-01-01T00:00:00.000Z' }]
  await t.post({ text: 'Expired', media: [t.sandbox.media('png')] }, { stage: 'processing', uploads: old })
  expect((await last()).media).toMatchObject([{ mime: 'image/png' }])
})

test('publishing waits for media that is not ready', async () => {
  await t.fault({ operation: 'publish', fault: 'not-ready' })
  const media = [t.sandbox.media('png')]
  const step = await t.x.publish(t.actor, draft({ text: 'Patience', media }), noSave)
  expect(step).toMatchObject({ state: 'pending', progress: { stage: 'processing' } })
  await t.post({ text: 'Patience', media }, 'progress' in step ? step.progress : undefined)
  expect((await last()).text).toBe('Patience')
})

test.each<[string, () => Partial<Draft>, string]>([
  ['nothing at all', () => ({}), 'input'],
  ['a text that is too long', () => ({ text: '日'.repeat(141) }), 'input'],
  ['five images', () => ({ media: Array.from({ length: 5 }, () => t.sandbox.media('png')) }), 'input'],
  ['a GIF beside an image', () => ({ media: [t.sandbox.media('gif'), t.sandbox.media('png')] }), 'input'],
  ['an image that is too large', () => ({ media: [{ ...t.sandbox.media('png'), bytes: 5_000_001 }] }), 'input'],
  ['a video that is too long', () => ({ media: [{ ...t.sandbox.media('mp4'), durationMs: 141_000 }] }), 'input'],
  ['a long description', () => ({ media: [t.sandbox.media('png', 'a'.repeat(1001))] }), 'input'],
  ['a document', () => ({ media: [t.sandbox.media('pdf')] }), 'unsupported'],
  ['an audience', () => ({ text: 'a', audience: { Industry: ['4'] } }), 'unsupported'],
  ['a post to share again', () => ({ text: 'a', reshareOf: '1' }), 'unsupported'],
])('%s is refused before anything is sent', async (_, content, why) => {
  const invalidActor = { ...t.actor, secret: { accessToken: 'none', scopes: [] } }
  expect(await faultOf(t.x.publish(invalidActor, draft(content()), noSave))).toMatchObject({ kind: 'permanent', why })
})
