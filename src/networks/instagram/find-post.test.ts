import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { Draft, Progress } from '../connector/draft.ts'
import { type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
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

const publish = (draft: Draft) => publishAll(sandbox, instagram, account, draft)
const posts = () => sandbox.ledger('network=Instagram&kind=post')
const fault = (operation: string, name: string) =>
  sandbox.control('/fault', { network: 'Instagram', operation, fault: name, count: 1 })
const kinds: [string, () => Draft][] = [
  ['a picture', () => ({ text: 'Sunrise', media: [sandbox.media('jpeg', 'A sun')] })],
  ['a reel', () => ({ text: 'Moving', media: [sandbox.media('mp4')] })],
  ['an album', () => ({ text: 'Both', media: [sandbox.media('jpeg'), sandbox.media('mp4')] })],
]

test.each(kinds)(
  '%s whose response was lost is found by its container, and one that never arrived is not',
  async (_, make) => {
    // An older post with the same text must not be matched.
    await publish(make())
    sandbox.move(3_600_000)
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
      const first = await instagram.publish(account, make(), save).catch((error) => error)
      if (first.state === 'pending') {
        sandbox.move(first.checkAfterMs)
        let next = await instagram.publish(account, make(), save, first.progress).catch((error) => error)
        if (next.state === 'pending')
          next = await instagram.publish(account, make(), save, next.progress).catch((error) => error)
        expect(next.fault).toEqual({ kind: 'unknownOutcome' })
      } else expect(first.fault).toEqual({ kind: 'unknownOutcome' })
      const found = await instagram.findPost(account, make(), since, progress)
      expect(found.state).toBe(state)
      if (found.state === 'found') expect(found.remoteId).toBe((await posts()).at(-1).remoteId)
    }
  },
)

test('two new posts with the same text are ambiguous', async () => {
  const draft = kinds[0]?.[1]() as Draft
  const since = sandbox.clock.now()
  const { saved } = await publish(draft)
  expect(await instagram.findPost(account, draft, since, saved.at(-1))).toMatchObject({ state: 'found' })
  await publish(draft)
  expect(await instagram.findPost(account, draft, since, saved.at(-1))).toMatchObject({ state: 'undecidable' })
})

test('a published post that is not listed yet is never reported as absent', async () => {
  const draft = kinds[0]?.[1]() as Draft
  const since = sandbox.clock.now()
  const { saved } = await publish(draft)
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":[]}' }
  await sandbox.control('/fault', {
    network: 'Instagram',
    operation: 'posts',
    fault: 'answer',
    count: 1,
    answer: response,
  })
  expect(await instagram.findPost(account, draft, since, saved.at(-1))).toMatchObject({ state: 'undecidable' })
})
