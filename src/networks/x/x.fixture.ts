import { expect } from 'vitest'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import type { Actor } from '../connector/connector.ts'
import { type Fault, NetworkError } from '../connector/connector.ts'
import type { Draft, Progress, Step } from '../connector/draft.ts'
import { openX } from './x.ts'

export const robin = { id: '7000000000000042', name: 'Robin Reader', username: 'robinreads' }

/** A connector with its own sandbox. */
export async function testX() {
  const sandbox = await sandboxNetworks()
  const app = sandbox.app('Twitter')
  const x = openX(app, sandbox.world)
  const actor: Actor = sandboxActor('Twitter')
  const base = { network: 'Twitter', profile: actor.remoteId, from: robin }
  return {
    sandbox,
    app,
    x,
    actor,
    posts: () => sandbox.ledger('network=Twitter&kind=post'),
    replies: () => sandbox.ledger('network=Twitter&kind=reply'),
    inject: (what: object): Promise<{ remoteId: string; threadId: string }> => sandbox.inject({ ...base, ...what }),
    fault: (what: object) => sandbox.control('/fault', { network: 'Twitter', ...what }),
    /** Publishes to the end, waiting as long as the network requests. */
    async post(draft: Partial<Draft>, progress?: Progress) {
      const whole: Draft = { text: '', media: [], ...draft }
      let step: Step = await x.publish(actor, whole, noSave, progress)
      while (step.state === 'pending') {
        await sandbox.advance(step.checkAfterMs)
        step = await x.publish(actor, whole, noSave, step.progress)
      }
      return step.remoteId
    },
  }
}

export const noSave = async () => {}

/** The fault a request fails with. */
export async function faultOf(call: Promise<unknown>): Promise<Fault> {
  return (await errorOf(call)).fault
}

export async function errorOf(call: Promise<unknown>): Promise<NetworkError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(NetworkError)
  return error as NetworkError
}
