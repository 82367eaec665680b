import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import type { Actor } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Found } from '#networks/connector/draft.ts'
import { manifestOf, manifests, type Network } from '#networks/manifests.ts'
import { deep } from '../support/randomness.ts'
import { nowhere } from '../support/service.ts'
import { openConnector } from './open-connector.ts'
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

/** The outcome for callers and the number of effects for each fault; faults without effects first. */
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

/** Faults with the same outcome alternate among operations and networks; operations that take effect at most once get all faults that may have taken effect. */
const sameOutcome: readonly FaultName[][] = [
  ['server-error', 'rate-limit'],
  ['token-expired', 'token-revoked'],
  ['none', 'delay'],
]
const faultsFor = ({ once, leaves }: Operation, turn: number): FaultName[] => [
  ...sameOutcome.flatMap((names, position) =>
    deep(
      names.filter((_, index) => (once && position === 0) || index === (turn >> position) % 2),
      names,
    ),
  ),
  // For reads a lost response is an error like others, so only some of them get it.
  ...(once || leaves || deep(turn % 4 === 0, true) ? (['lost-answer'] as const) : []),
]

/** Reads change nothing, except that a renewed token replaces the old one. */
const changesState = ({ leaves, needs }: Operation) => Boolean(leaves) || needs === 'renewal'

describe.each(profiles)('%s', (name, network, kind) => {
  const can = ({ needs }: Operation) => {
    if (needs === 'stream') return manifestOf(network).streams !== undefined
    if (needs === 'renewal') return manifestOf(network).login.refreshes
    return capabilitiesOf(network, kind)[needs] !== 'no'
  }
  const [supported, unsupported] = [true, false].map((wanted) =>
    [...writing, ...reading].filter((operation) => can(operation) === wanted),
  ) as [Operation[], Operation[]]

  /** The subject of the previous test, if that changed nothing. */
  let reusable: Subject | undefined

  if (unsupported.length > 0)
    test.each(unsupported.map((operation) => [operation.name, operation] as const))(
      'rejects %s as unsupported',
      async (_, operation) => {
        reusable ??= await makeSubject(sandbox, network, kind)
        expect(await outcomeOf(reusable, operation)).toMatch(/^permanent (unsupported|input)|^token/)
      },
    )

  const first = profiles.findIndex(([profile]) => profile === name)
  describe.each(supported.map((operation, index) => [operation.name, operation, first + index] as const))(
    '%s',
    (_, operation, turn) => {
      test.each(faultsFor(operation, turn))('has the expected outcome and effects with the fault %s', async (fault) => {
        const subject = reusable ?? (await makeSubject(sandbox, network, kind))
        subject.progress = undefined
        reusable = undefined
        if (operation.after) await sandbox.advance(operation.after)
        const before = await effects(operation, subject)
        const since = sandbox.world.clock.now()
        await plan(network, operation, fault)
        const expected = faults[fault]
        const outcome = await outcomeOf(subject, operation)
        expect(outcome.split(' ')[0]).toBe(operation.once ? expected.once : expected.repeatable)
        const newEffects = (await effects(operation, subject)) - before
        if (operation.leaves) expect(newEffects, 'effects in the ledger').toBe(expected.effects)
        if (operation.once && operation.find && expected.once === 'unknownOutcome') {
          const found = await operation.find(subject, since)
          expect(found.state).toBe(expectedFinding(name, operation, expected.effects))
          if (found.state === 'found') expect(await remoteIds(operation, subject)).toContain(found.remoteId)
          expect((await effects(operation, subject)) - before, 'finding has no effects').toBe(expected.effects)
        }
        if (expected.effects === 0 || !changesState(operation)) reusable = subject
      })
    },
  )

  test('reports a duplicate post as such', async () => {
    const subject = await makeSubject(sandbox, network, kind)
    const post = writing.find((operation) => operation.fault === 'publish' && can(operation)) as Operation
    await plan(network, post, 'duplicate')
    expect(await outcomeOf(subject, post)).toMatch(
      network === 'Instagram' ? /^unknownOutcome|^duplicate/ : /^duplicate/,
    )
  })

  test('waits for media that is not ready, and posts once', async () => {
    const subject = await makeSubject(sandbox, network, kind)
    const video = writing.find(({ name: title }) => title === 'publish a video') as Operation
    const before = await effects(video, subject)
    await sandbox.control('/processing', { network, delayMs: 20_000 })
    await sandbox.control('/fault', { network, operation: 'status', fault: 'not-ready', count: 2 })
    expect(await outcomeOf(subject, video)).toBe('done')
    expect((await effects(video, subject)) - before).toBe(1)
    await sandbox.control('/processing', { network })
  })

  test('resumes a failed upload, and posts once', async () => {
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

/** The capabilities of a profile, which are known without the network. */
function capabilitiesOf(network: Network, kind?: Actor['kind']) {
  const unreached = {
    app: (one: Network) => sandboxApps('http://127.0.0.1')[one],
    world: { outbound: nowhere, clock: systemClock },
  }
  return openConnector(network, unreached).capabilities(sandboxActor(network, kind))
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
  // On X the entry is a reply; on other networks it is a comment on a comment.
  if (leaves === 'removal') return all.filter(({ removedAt }: { removedAt?: string }) => removedAt)
  return all.filter(({ kind }: { kind: string }) => kind === leaves || (leaves === 'comment' && kind === 'reply'))
}

const effects = async (operation: Operation, subject: Subject) => (await entries(operation, subject)).length

const remoteIds = async (operation: Operation, subject: Subject) =>
  (await entries(operation, subject)).flatMap(({ remoteId, alias }) => (alias ? [remoteId, alias] : [remoteId]))

/** The result must be undecidable where the network does not show the post. */
function expectedFinding(name: string, { leaves }: Operation, newEffects: number): Found['state'] {
  if (name === 'LinkedIn member' && leaves === 'post') return 'undecidable'
  // TikTok lists no posts that it is still processing.
  if (name === 'TikTok' && leaves === 'post' && newEffects === 0) return 'undecidable'
  return newEffects > 0 ? 'found' : 'absent'
}

test('negative control: resending after a lost response has two effects', async () => {
  const reply = writing.find(({ name }) => name === 'reply to a comment') as Operation
  const subject = await makeSubject(sandbox, 'Instagram')
  await plan('Instagram', reply, 'lost-answer')
  expect(await outcomeOf(subject, reply)).toMatch(/^unknownOutcome/)
  expect(await outcomeOf(subject, reply)).toBe('done')
  expect(await effects(reply, subject)).toBe(2)
})
