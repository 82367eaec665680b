import { samples } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import type { Actor, Connector } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Draft, MediaRef, Progress, Receipt } from '../connector/draft.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { openNetworks } from '../networks.ts'

/** A LinkedIn sandbox with an adjustable clock. */
export async function linkedInSandbox() {
  let time = Date.parse('2026-11-20T10:00:00Z')
  const sandbox = await sandboxNetworks({ clock: { now: () => new Date(time) } })
  const app = sandbox.app('LinkedIn')
  const open = (changes: Partial<NetworkApp> = {}) =>
    openNetworks({ LinkedIn: { ...app, ...changes } }, sandbox.world).connector('LinkedIn') as Connector
  const connector = open()
  const page = sandboxActor('LinkedIn', 'page')
  return {
    ...sandbox,
    linkedInApp: app,
    connector,
    page,
    member: sandboxActor('LinkedIn', 'member'),
    open,
    pass(milliseconds: number) {
      time += milliseconds
    },
    fault: (operation: string, fault: string, more: object = {}) =>
      sandbox.control('/fault', { network: 'LinkedIn', operation, fault, count: 1, ...more }),
    answer: (operation: string, status: number, body: unknown, headers: object = {}) =>
      sandbox.control('/fault', {
        network: 'LinkedIn',
        operation,
        fault: 'answer',
        count: 1,
        answer: { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
      }),
    forget: () => sandbox.call('/__sandbox/faults', { method: 'DELETE', token: 'sandbox' }),
    posts: () => sandbox.ledger('network=LinkedIn&kind=post'),
    /** Publishes to the end; every progress is kept, and errors thrown by `save` propagate. */
    async publish(actor: Actor, draft: Draft, kept: { progress?: Progress } = {}, onSave = (_: Progress) => {}) {
      for (let step = 0; step < 20; step++) {
        const save = async (progress: Progress) => {
          kept.progress = structuredClone(progress)
          onSave(progress)
        }
        const result = await connector.publish(actor, draft, save, kept.progress)
        if (result.state === 'done') return result as Receipt
        kept.progress = structuredClone(result.progress)
        time += result.checkAfterMs
      }
      throw new Error('The post did not get done.')
    },
  }
}

export const draftOf = (text: string, more: Partial<Draft> = {}): Draft => ({ text, media: [], ...more })

/** The error a request fails with; fails the test if it succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<NetworkError> {
  try {
    await call
  } catch (error) {
    if (error instanceof NetworkError) return error
    throw error
  }
  throw new Error('The call was not refused.')
}

/** A video of three parts. */
export function largeVideo(): MediaRef {
  const bytes = Buffer.concat([samples.mp4, Buffer.alloc(9_000_000, 7)])
  return {
    id: '026large',
    mime: 'video/mp4',
    bytes: bytes.length,
    publicUrl: 'https://media.example/large.mp4',
    async *open(from = 0, to = bytes.length) {
      yield bytes.subarray(from, to)
    },
  }
}
