import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { Draft, Progress } from '../connector/draft.ts'
import { errorOf, faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openInstagram } from './instagram.ts'

const account = sandboxActor('Instagram')
let sandbox: MetaSandbox
let instagram: Connector
beforeAll(async () => {
  sandbox = await metaSandbox()
  instagram = openInstagram(sandbox.app('Instagram'), sandbox.world)
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control('/reset', {}))

const publish = (draft: Draft, crashAt?: number) => publishAll(sandbox, instagram, account, draft, crashAt)
const posts = () => sandbox.ledger('network=Instagram&kind=post')
const fault = (operation: string, name: string, more = {}) =>
  sandbox.control('/fault', { network: 'Instagram', operation, fault: name, count: 1, ...more })
const rejection = (code: number, error_subcode: number) => ({
  answer: {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error: { code, error_subcode, message: 'No.' } }),
  },
})
const kinds: [string, () => Draft][] = [
  ['a picture', () => ({ text: 'Sunrise', media: [sandbox.media('jpeg', 'A sun')] })],
  ['a reel', () => ({ text: 'Moving', media: [sandbox.media('mp4')] })],
  ['an album', () => ({ text: 'Both', media: [sandbox.media('jpeg'), sandbox.media('mp4')] })],
]

test('an image with its description, a reel and an album of both are published', async () => {
  const made = []
  for (const [, make] of kinds) made.push(await publish(make()))
  expect(await posts()).toMatchObject([
    { remoteId: made[0]?.remoteId, text: 'Sunrise', media: [{ mime: 'image/jpeg', alt: 'A sun' }] },
    { remoteId: made[1]?.remoteId, text: 'Moving', media: [{ mime: 'video/mp4' }] },
    { remoteId: made[2]?.remoteId, text: 'Both', media: [{ mime: 'image/jpeg' }, { mime: 'video/mp4' }] },
  ])
  expect((await sandbox.call(made[0]?.remoteUrl ?? '')).body).toContain('Sunrise')
})

test.each(kinds)('a crash at any point while publishing %s results in one post', async (_, make) => {
  for (let crashAt = 0, crashed = true; crashed; crashAt += 1) {
    await sandbox.control('/reset', {})
    const made = await publish(make(), crashAt)
    crashed = made.crashed
    expect(await posts()).toMatchObject([{ remoteId: made.remoteId }])
  }
})

test('publishing waits for a container that is not ready', async () => {
  await fault('publish', 'not-ready')
  const step = await instagram.publish(account, kinds[0]?.[1]() as Draft, async () => undefined)
  expect(step).toMatchObject({ state: 'pending', progress: { stage: 'processing', items: [expect.any(String)] } })
  expect(await posts()).toEqual([])
})

test.each([
  [24, 2207006],
  [24, 2207008],
  [-2, 2207020],
])('a container lost with %i / %i is recreated', async (code, subcode) => {
  await fault('publish', 'answer', rejection(code, subcode))
  await publish(kinds[0]?.[1]() as Draft)
  expect(await posts()).toHaveLength(1)
})

test('containers that expired while waiting are recreated', async () => {
  const draft = kinds[1]?.[1]() as Draft
  const step = await instagram.publish(account, draft, async () => undefined)
  if (step.state !== 'pending') throw new Error('A reel is never ready at once.')
  sandbox.move(25 * 3_600_000)
  expect(await instagram.publish(account, draft, async () => undefined, step.progress)).toMatchObject({
    state: 'pending',
    progress: { stage: 'uploading', items: [], tries: 1 },
  })
})

test('a file that Instagram cannot fetch is retried three times', async () => {
  const missing = { ...sandbox.media('jpeg'), publicUrl: sandbox.url.replace(/\d+$/, '1') }
  let progress: Progress | undefined
  const save = async (kept: Progress) => {
    progress = kept
  }
  const faults = []
  for (let round = 0; round < 3; round += 1)
    faults.push(await faultOf(instagram.publish(account, { text: 'a', media: [missing] }, save, progress)))
  expect(faults).toEqual([
    { kind: 'retryable' },
    { kind: 'retryable' },
    { kind: 'permanent', why: 'input', field: 'media' },
  ])
})

test('a container that Instagram reports as already published is looked up, and not reported as failed', async () => {
  const draft = kinds[0]?.[1]() as Draft
  const since = sandbox.clock.now()
  for (const [afterEffect, state] of [
    [false, 'absent'],
    [true, 'found'],
  ] as const) {
    let progress: Progress | undefined
    const save = async (kept: Progress) => {
      progress = structuredClone(kept)
    }
    await fault('publish', 'answer', { ...rejection(9007, 2207041), afterEffect })
    expect(await faultOf(instagram.publish(account, draft, save))).toEqual({ kind: 'unknownOutcome' })
    expect((await instagram.findPost(account, draft, since, progress)).state).toBe(state)
  }
})

test('a rejection for hashtags reports their number and the limit of most accounts', async () => {
  const text = 'Autumn #a #b #c #d #e #f'
  for (const [code, error_subcode] of [
    [36004, 2207010],
    [100, 2207040],
    [100, undefined],
  ]) {
    const body = JSON.stringify({ error: { code, error_subcode, message: 'Too much of it.' } })
    const response = { status: 400, headers: { 'content-type': 'application/json' }, body }
    await sandbox.control('/fault', {
      network: 'Instagram',
      operation: 'upload',
      fault: 'answer',
      count: 1,
      answer: response,
    })
    const refused = await errorOf(publish({ text, media: [sandbox.media('jpeg')] }))
    expect(refused.fault).toEqual({ kind: 'permanent', why: 'input', field: 'text' })
    expect(refused.message).toMatch(/Too much of it\. The text has 6 hashtags; Instagram allows 5/)
  }
  await publish({ text, media: [sandbox.media('jpeg')] })
  expect(await posts()).toHaveLength(1)
})

test('a video that Instagram cannot use fails permanently, with its message or after three tries', async () => {
  const draft = kinds[1]?.[1]() as Draft
  await sandbox.control('/processing', { network: 'Instagram', failure: 'Unsupported format (2207026)' })
  expect(await faultOf(publish(draft))).toEqual({ kind: 'permanent', why: 'input', field: 'media' })
  await sandbox.control('/processing', { network: 'Instagram', failure: 'No idea' })
  expect(await faultOf(publish(draft))).toEqual({ kind: 'permanent', why: 'input', field: 'media' })
  expect(await posts()).toEqual([])
})

test.each([
  ['a text alone', { text: 'a' }, 'unsupported'],
  [
    'a link',
    { text: 'a', link: { url: 'https://a.example', title: '', description: '', imageUrl: '' }, media: ['jpeg'] },
    'unsupported',
  ],
  ['a document', { text: 'a', media: ['pdf'] }, 'unsupported'],
  ['a picture that is no JPEG', { text: 'a', media: ['png'] }, 'input'],
  ['eleven pictures', { text: 'a', media: Array(11).fill('jpeg') }, 'input'],
  ['too many words', { text: 'a'.repeat(2201), media: ['jpeg'] }, 'input'],
  ['too many hashtags', { text: '#a '.repeat(31), media: ['jpeg'] }, 'input'],
  ['too many mentions', { text: '@a '.repeat(21), media: ['jpeg'] }, 'input'],
])('%s is rejected before any request', async (_, { media = [], ...draft }: Record<string, unknown>, why) => {
  sandbox.usages.length = 0
  const files = (media as 'jpeg'[]).map((name) => sandbox.media(name))
  expect(await faultOf(publish({ ...(draft as { text: string }), media: files }))).toMatchObject({
    kind: 'permanent',
    why,
  })
  expect(sandbox.usages).toEqual([])
})

test('an image with an unsupported aspect ratio is rejected before any request', async () => {
  const tallImage = { ...sandbox.media('jpeg'), width: 1080, height: 1920 }
  expect(await faultOf(publish({ text: 'a', media: [tallImage] }))).toMatchObject({ kind: 'permanent', why: 'input' })
})
