import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { Draft, Progress } from '../connector/draft.ts'
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

const publish = (draft: Draft) => publishAll(sandbox, facebook, page, draft)
const posts = () => sandbox.ledger('network=Facebook&kind=post')
const fault = (operation: string, name: string) =>
  sandbox.control('/fault', { network: 'Facebook', operation, fault: name, count: 1 })
const link = { url: 'https://acme.example/a', title: 'A', description: 'B', imageUrl: 'https://acme.example/a.png' }

test.each([
  ['a text', () => ({ text: ' What became of me? ', media: [] })],
  ['a link', () => ({ text: 'Read', media: [], link })],
  ['pictures', () => ({ text: '', media: [sandbox.media('jpeg'), sandbox.media('png')] })],
  ['a video', () => ({ text: 'Film', media: [sandbox.media('mp4')] })],
])('%s whose response was lost is found, and one that never arrived is not', async (_, make) => {
  const draft: Draft = make()
  await publish({ text: 'Something else', media: [sandbox.media('jpeg')] })
  const since = sandbox.clock.now()
  for (const [name, state] of [
    ['server-error', 'absent'],
    ['lost-answer', 'found'],
  ] as const) {
    let progress: Progress | undefined
    const save = async (kept: Progress) => {
      progress = structuredClone(kept)
    }
    await fault('publish', name)
    expect(await faultOf(facebook.publish(page, draft, save))).toEqual({ kind: 'unknownOutcome' })
    expect(progress?.stage).toBe('committing')
    sandbox.move(3000)
    const found = await facebook.findPost(page, draft, since, progress)
    expect(found.state).toBe(state)
    if (found.state === 'found') expect(found.remoteId).toBe((await posts()).at(-1).remoteId)
  }
})

test('an older post with the same text is not matched', async () => {
  await publish({ text: 'Daily', media: [] })
  sandbox.move(3_600_000)
  expect(await facebook.findPost(page, { text: 'Daily', media: [] }, sandbox.clock.now())).toEqual({ state: 'absent' })
})

test('the same text with a different link is a different post', async () => {
  const since = sandbox.clock.now()
  await publish({ text: 'Read', media: [], link: { ...link, url: 'https://acme.example/other' } })
  expect(await facebook.findPost(page, { text: 'Read', media: [], link }, since)).toEqual({ state: 'absent' })
})
