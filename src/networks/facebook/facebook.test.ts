import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { Draft, MediaRef, Progress } from '../connector/draft.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openFacebook } from './facebook.ts'

const page = sandboxActor('Facebook')
let sandbox: MetaSandbox
let facebook: Connector
beforeAll(async () => {
  sandbox = await metaSandbox()
  facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control('/reset', {}))

const publish = (draft: Draft, crashAt?: number) => publishAll(sandbox, facebook, page, draft, crashAt)
const posts = () => sandbox.ledger('network=Facebook&kind=post')
const link = { url: 'https://acme.example/a', title: 'A', description: 'B', imageUrl: 'https://acme.example/a.png' }

test('a text and a link become posts with a working URL', async () => {
  const made = await publish({ text: 'Hello\r\nall', media: [] })
  const shared = await publish({ text: '', media: [], link })
  expect(await posts()).toMatchObject([
    { remoteId: made.remoteId, text: 'Hello\r\nall', link: null },
    { remoteId: shared.remoteId, text: '', link: link.url },
  ])
  expect((await sandbox.call(made.remoteUrl ?? '')).status).toBe(200)
})

test('photos are in one post in order, and large ones are fetched by Facebook', async () => {
  const large = { ...sandbox.media('png'), bytes: 5_000_000 }
  const { saved } = await publish({ text: 'Two', media: [sandbox.media('jpeg', 'A robot'), large] })
  const [post, ...others] = await posts()
  expect(others).toEqual([])
  expect(post.media.map(({ mime }: { mime: string }) => mime)).toEqual(['image/jpeg', 'image/png'])
  expect(saved.map(({ stage }) => stage)).toEqual(['uploading', 'uploading', 'committing'])
})

/** Larger than the sandbox's chunks, so that it is sent in three. */
function film(bytes = 9 * 1024 * 1024): MediaRef {
  const small = sandbox.media('mp4')
  return {
    ...small,
    bytes,
    async *open(from = 0, to = bytes) {
      const rest = Buffer.alloc(to - from)
      if (from === 0) for await (const chunk of small.open()) rest.set(chunk.subarray(0, rest.length))
      yield rest
    },
  }
}

test('a video is uploaded in chunks, processed, and becomes a post', async () => {
  const made = await publish({ text: 'Moving', title: 'Film', media: [film()] })
  const [post] = await posts()
  expect(post).toMatchObject({
    remoteId: made.remoteId,
    text: 'Moving',
    media: [{ mime: 'video/mp4', bytes: 9_437_184 }],
  })
  expect(made.remoteUrl).toContain(made.remoteId)
  expect(made.saved.map(({ from }) => from)).toEqual([0, 4_194_304, 8_388_608, 9_437_184, undefined])
})

test('a video that Facebook requests in larger chunks than usual is uploaded in those', async () => {
  const bytes = 65 * 1024 * 1024
  const made = await publish({ text: 'Long', media: [film(bytes)] })
  expect(await posts()).toMatchObject([{ remoteId: made.remoteId, media: [{ bytes }] }])
})

test('an upload whose position was lost resumes where Facebook says', async () => {
  const draft = { text: 'Moving', media: [film()] }
  const kept: Progress[] = []
  const crash = async (progress: Progress) => {
    if (progress.from !== 0) throw new Error('The process ended.')
    kept.push(structuredClone(progress))
  }
  await expect(facebook.publish(page, draft, crash)).rejects.toThrow('The process ended.')
  const step = await facebook.publish(page, draft, async () => undefined, kept[0])
  expect(step).toMatchObject({ state: 'pending', progress: { stage: 'committed', video: kept[0]?.video } })
  expect(await posts()).toMatchObject([{ alias: kept[0]?.video }])
})

test('an upload that Facebook dropped starts over', async () => {
  const forgotten = { stage: 'uploading', session: '1', video: '2', from: 0, to: 100 } as const
  const step = await facebook.publish(page, { text: 'Again', media: [film()] }, async () => undefined, forgotten)
  expect(step.state).toBe('pending')
  expect(await posts()).toHaveLength(1)
})

test('a video that Facebook cannot process fails permanently', async () => {
  await sandbox.control('/processing', { network: 'Facebook', failure: 'Too dark' })
  const refused = await faultOf(publish({ text: 'Dark', media: [sandbox.media('mp4')] }))
  expect(refused).toEqual({ kind: 'permanent', why: 'input', field: 'media' })
})

test.each(['text', 'pictures', 'video'])(
  'a crash at any point while publishing %s results in one post',
  async (kind) => {
    const media = { text: [], pictures: [sandbox.media('jpeg'), sandbox.media('png')], video: [film()] }[kind] ?? []
    for (let crashAt = 0, crashed = true; crashed; crashAt += 1) {
      await sandbox.control('/reset', {})
      const made = await publish({ text: 'Once only', media }, crashAt)
      crashed = made.crashed
      expect(await posts()).toMatchObject([{ remoteId: made.remoteId }])
    }
  },
)

test.each([
  ['nothing at all', { text: ' ' }, 'input'],
  ['too many words', { text: 'a'.repeat(63_207) }, 'input'],
  ['a link beside a picture', { text: 'a', link, media: ['jpeg'] }, 'input'],
  ['a picture beside a video', { text: 'a', media: ['jpeg', 'mp4'] }, 'input'],
  ['nineteen pictures', { text: 'a', media: Array(19).fill('jpeg') }, 'input'],
  ['a document', { text: 'a', media: ['pdf'] }, 'unsupported'],
  ['an audience', { text: 'a', audience: { Industry: ['1'] } }, 'unsupported'],
  ['a post shared again', { text: 'a', reshareOf: '1' }, 'unsupported'],
])('%s is rejected before any request', async (_, { media = [], ...draft }: Record<string, unknown>, why) => {
  sandbox.usages.length = 0
  const files = (media as 'jpeg'[]).map((name) => sandbox.media(name))
  expect(await faultOf(publish({ ...(draft as { text: string }), media: files }))).toMatchObject({
    kind: 'permanent',
    why,
  })
  expect(sandbox.usages).toEqual([])
})
