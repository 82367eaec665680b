import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import type { Actor } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Found } from '#networks/connector/draft.ts'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { deep } from '../support/randomness.ts'
import { nowhere } from '../support/service.ts'
import { openOne } from './open-one.ts'
import { type Operation, reading, writing } from './operation-table.ts'
import { sandboxActor, sandboxNetworks } from './sandbox-networks.ts'
import { makeSubject, type Subject } from './subject.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxNetworks>>

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxNetworks()
  await sandbox.control('/limits', { factor: 10_000 })
})
afterAll(() => sandbox.close())

const profiles = manifests.flatMap(({ network, profileKinds }) =>
  profileKinds.map((kind) => [profileKinds.length > 1 ? `${network} ${kind}` : network, network, kind] as const),
)

/** What a caller sees, and how often it took effect, for each thing that can go wrong on the way; first what has no effect. */
const faults = {
  'server-error': { once: 'unknownOutcome', repeatable: 'retryable', effects: 0 },
  'rate-limit': { once: 'throttled', repeatable: 'throttled', effects: 0 },
  'token-expired': { once: 'token', repeatable: 'token', effects: 0 },
  'token-revoked': { once: 'token', repeatable: 'token', effects: 0 },
  none: { once: 'done', repeatable: 'done', effects: 1 },
  delay: { once: 'done', repeatable: 'done', effects: 1 },
  'lost-answer': { once: 'unknownOutcome', repeatable: 'retryable', effects: 1 },
} as const

type FaultName = keyof typeof faults

/** Those that are alike to a caller take turns among the operations, and from network to network; what is written at most once meets all that may have done it. */
const alike: readonly FaultName[][] = [
  ['server-error', 'rate-limit'],
  ['token-expired', 'token-revoked'],
  ['none', 'delay'],
]
const faultsFor = ({ once, leaves }: Operation, turn: number): FaultName[] => [
  ...alike.flatMap((names, place) =>
    deep(
      names.filter((_, index) => (once && place === 0) || index === (turn >> place) % 2),
      names,
    ),
  ),
  // What only reads has nothing to lose: to it this is an error like others, which it meets now and then.
  ...(once || leaves || deep(turn % 4 === 0, true) ? (['lost-answer'] as const) : []),
]

/** Reading leaves the world as it is; a renewed token is another one. */
const changesTheWorld = ({ leaves, needs }: Operation) => Boolean(leaves) || needs === 'renewal'

describe.each(profiles)('%s', (name, network, kind) => {
  const can = ({ needs }: Operation) => {
    if (needs === 'stream') return manifestOf(network).streams !== undefined
    if (needs === 'renewal') return manifestOf(network).login.refreshes
    return capabilitiesOf(network, kind)[needs] !== 'no'
  }
  const [able, unable] = [true, false].map((wanted) =>
    [...writing, ...reading].filter((operation) => can(operation) === wanted),
  ) as [Operation[], Operation[]]

  /** The world of the one before, as long as that is as it was. */
  let unchanged: Subject | undefined

  if (unable.length > 0)
    test.each(unable.map((operation) => [operation.name, operation] as const))(
      '%s: a feature the network lacks is said so',
      async (_, operation) => {
        unchanged ??= await makeSubject(sandbox, network, kind)
        expect(await outcomeOf(unchanged, operation)).toMatch(/^permanent (unsupported|input)|^token/)
      },
    )

  const first = profiles.findIndex(([profile]) => profile === name)
  describe.each(able.map((operation, index) => [operation.name, operation, first + index] as const))(
    '%s',
    (_, operation, turn) => {
      test.each(faultsFor(operation, turn))('with %s', async (fault) => {
        const subject = unchanged ?? (await makeSubject(sandbox, network, kind))
        subject.progress = undefined
        unchanged = undefined
        if (operation.after) await sandbox.advance(operation.after)
        const before = await effects(operation, subject)
        const since = sandbox.world.clock.now()
        await plan(network, operation, fault)
        const expected = faults[fault]
        const outcome = await outcomeOf(subject, operation)
        expect(outcome.split(' ')[0]).toBe(operation.once ? expected.once : expected.repeatable)
        const made = (await effects(operation, subject)) - before
        if (operation.leaves) expect(made, 'effects in the ledger').toBe(expected.effects)
        if (operation.once && operation.find && expected.once === 'unknownOutcome') {
          const found = await operation.find(subject, since)
          expect(found.state).toBe(expectedFinding(name, operation, expected.effects))
          if (found.state === 'found') expect(await remoteIds(operation, subject)).toContain(found.remoteId)
          expect((await effects(operation, subject)) - before, 'looking changes nothing').toBe(expected.effects)
        }
        if (expected.effects === 0 || !changesTheWorld(operation)) unchanged = subject
      })
    },
  )

  test('a post that is refused as a repetition is told apart', async () => {
    const subject = await makeSubject(sandbox, network, kind)
    const post = writing.find((operation) => operation.fault === 'publish' && can(operation)) as Operation
    await plan(network, post, 'duplicate')
    expect(await outcomeOf(subject, post)).toMatch(
      network === 'Instagram' ? /^unknownOutcome|^duplicate/ : /^duplicate/,
    )
  })

  test('media that is not ready yet is waited for, and posted once', async () => {
    const subject = await makeSubject(sandbox, network, kind)
    const video = writing.find(({ name: title }) => title === 'publish a video') as Operation
    const before = await effects(video, subject)
    await sandbox.control('/processing', { network, delayMs: 20_000 })
    await sandbox.control('/fault', { network, operation: 'status', fault: 'not-ready', count: 2 })
    expect(await outcomeOf(subject, video)).toBe('done')
    expect((await effects(video, subject)) - before).toBe(1)
    await sandbox.control('/processing', { network })
  })

  test('an upload that fails is tried again from where it was, and posted once', async () => {
    const all = ['server-error', 'lost-answer', 'rate-limit'] as const
    for (const fault of all.filter((_, index) => deep(index === first % all.length, true))) {
      const subject = await makeSubject(sandbox, network, kind)
      const video = writing.find(({ name: title }) => title === 'publish a video') as Operation
      const before = await effects(video, subject)
      await sandbox.control('/fault', { network, operation: 'upload', fault, count: 1 })
      const first = await outcomeOf(subject, video)
      // Networks that fetch the file themselves have nothing to upload.
      if (first !== 'done') {
        expect(first.split(' ')[0]).toBe(fault === 'rate-limit' ? 'throttled' : 'retryable')
        expect(await outcomeOf(subject, video)).toBe('done')
      }
      await sandbox.call('/__sandbox/faults', { method: 'DELETE', token: 'sandbox' })
      expect((await effects(video, subject)) - before, fault).toBe(1)
    }
  })
})

/** What a profile can do is known without the network. */
function capabilitiesOf(network: Network, kind?: Actor['kind']) {
  const unreached = {
    app: (one: Network) => sandboxApps('http://127.0.0.1')[one],
    world: { outbound: nowhere, clock: systemClock },
  }
  return openOne(network, unreached).capabilities(sandboxActor(network, kind))
}

/** `done`, or the fault that was thrown. */
async function outcomeOf(subject: Subject, operation: Operation): Promise<string> {
  try {
    const receipt = await operation.act(subject)
    if (operation.once) expect(await remoteIds(operation, subject)).toContain(receipt?.remoteId)
    return 'done'
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    const { fault } = error
    if (fault.kind === 'throttled') expect(fault.until.getTime()).toBeGreaterThan(sandbox.world.clock.now().getTime())
    return fault.kind === 'permanent' ? `permanent ${fault.why}: ${error.message}` : `${fault.kind} ${error.message}`
  }
}

const plan = (network: Network, { fault: operation }: Operation, fault: string) =>
  fault === 'none' ? undefined : sandbox.control('/fault', { network, operation, fault, count: 1, delayMs: 50 })

const entries = async ({ leaves }: Operation, { actor }: Subject): Promise<{ remoteId: string; alias?: string }[]> => {
  const all = await sandbox.ledger(`network=${actor.network}&profile=${actor.remoteId}`)
  // X calls an answer to somebody a reply; everywhere else it is a comment under a comment.
  if (leaves === 'removal') return all.filter(({ removedAt }: { removedAt?: string }) => removedAt)
  return all.filter(({ kind }: { kind: string }) => kind === leaves || (leaves === 'comment' && kind === 'reply'))
}

const effects = async (operation: Operation, subject: Subject) => (await entries(operation, subject)).length

const remoteIds = async (operation: Operation, subject: Subject) =>
  (await entries(operation, subject)).flatMap(({ remoteId, alias }) => (alias ? [remoteId, alias] : [remoteId]))

/** Where a network cannot tell, it must say so. */
function expectedFinding(name: string, { leaves }: Operation, made: number): Found['state'] {
  if (name === 'LinkedIn member' && leaves === 'post') return 'undecidable'
  // What TikTok still works on is in no list.
  if (name === 'TikTok' && leaves === 'post' && made === 0) return 'undecidable'
  return made > 0 ? 'found' : 'absent'
}

test('somebody who sends again after a lost answer would be seen', async () => {
  const answer = writing.find(({ name }) => name === 'answer a comment') as Operation
  const subject = await makeSubject(sandbox, 'Instagram')
  await plan('Instagram', answer, 'lost-answer')
  expect(await outcomeOf(subject, answer)).toMatch(/^unknownOutcome/)
  expect(await outcomeOf(subject, answer)).toBe('done')
  expect(await effects(answer, subject)).toBe(2)
})
