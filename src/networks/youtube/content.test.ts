import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Draft } from '../connector/draft.ts'
import { film, problemOf, youtubeChannel } from './youtube.fixture.ts'

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

test.each([
  [{ text: 'First line\nSecond line' }, 'First line'],
  [{ text: `\n  ${'long '.repeat(30)}` }, 'long '.repeat(20).trim()],
  [{ text: `${'x'.repeat(99)}🤖` }, 'x'.repeat(99)],
  [{ text: 'Words', title: '  Given ' }, 'Given'],
])('without a title the first line is taken as far as it fits', async (words, title) => {
  await channel.publish({ media: [film()], ...words })
  expect((await channel.posts())[0]).toMatchObject({ title, text: words.text.trim() })
})

test.each<[string, Partial<Draft>, RegExp]>([
  ['no media', { media: [] }, /needs a video/],
  [
    'a picture',
    { media: [{ ...film(), mime: 'image/jpeg', name: 'robot.jpg' }] },
    /robot\.jpg is an image; YouTube takes none/,
  ],
  ['two videos', { media: [film(), film()] }, /2 videos; YouTube takes 1 at most/],
  ['an empty file', { media: [{ ...film(), bytes: 0 }] }, /has 0 bytes; the minimum is 1 byte/],
  ['thirteen hours', { media: [{ ...film(), durationMs: 13 * 3_600_000 }] }, /lasts 46800 s; the maximum is 43200 s/],
  ['no words', { text: ' ', title: undefined }, /needs a title/],
  ['a long title', { title: 'x'.repeat(101) }, /101 characters on YouTube; 100 is the most/],
  ['brackets in the title', { title: 'a < b' }, /< and >/],
  ['brackets in the text', { text: 'a > b' }, /< and >/],
  ['a long text', { text: 'ü'.repeat(2501) }, /5002 bytes/],
  ['a link', { link: { url: 'https://a.example', title: '', description: '', imageUrl: '' } }, /link/],
  ['an audience', { audience: { Language: ['en'] } }, /audience/],
  ['a reshare', { reshareOf: 'abc' }, /again/],
])('%s is refused before anything is sent', async (_, more, words) => {
  const { fault, message } = await problemOf(channel.connector.publish(channel.actor, draft(more), channel.save))
  expect(fault).toMatchObject({ kind: 'permanent', why: expect.stringMatching(/input|unsupported/) })
  expect(message).toMatch(words)
  expect(channel.saved).toEqual([])
})
