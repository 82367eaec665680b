import { systemClock } from '#kernel/clock.ts'
import { sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import type { Actor, Connector } from '../connector/connector.ts'
import { type Fault, NetworkError } from '../connector/connector.ts'
import type { Draft, Progress, Receipt } from '../connector/draft.ts'

/** Meta's networks in a sandbox, with one adjustable clock for both sides. */
export async function metaSandbox() {
  let offsetMs = 0
  const clock = { now: () => new Date(systemClock.now().getTime() + offsetMs) }
  const sandbox = await sandboxNetworks({ clock })
  const move = (ms: number) => {
    offsetMs += ms
  }
  return { ...sandbox, clock, move }
}

export type MetaSandbox = Awaited<ReturnType<typeof metaSandbox>>

/** Publishes to the end; with `crashAt` the process ends before that checkpoint is saved, and another resumes from the previous one. */
export async function publishAll(
  { move }: Pick<MetaSandbox, 'move'>,
  connector: Connector,
  actor: Actor,
  draft: Draft,
  crashAt = Number.POSITIVE_INFINITY,
): Promise<Receipt & { saved: Progress[]; crashed: boolean }> {
  const saved: Progress[] = []
  let [last, crashed]: [Progress | undefined, boolean] = [undefined, false]
  const save = async (progress: Progress) => {
    if (saved.length === crashAt && !crashed) {
      crashed = true
      throw new Error('The process ended.')
    }
    saved.push(structuredClone(progress))
    last = structuredClone(progress)
  }
  for (let round = 0; round < 20; round += 1) {
    try {
      const step = await connector.publish(actor, draft, save, last)
      if (step.state === 'done') return { ...step, saved, crashed }
      last = structuredClone(step.progress)
      move(step.checkAfterMs)
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'The process ended.') throw error
    }
  }
  throw new Error('The post did not get done.')
}

/** The error thrown instead of a result. */
export async function errorOf(done: Promise<unknown>): Promise<NetworkError> {
  const error = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof NetworkError) return error
  throw error ?? new Error('It succeeded.')
}

export const faultOf = async (done: Promise<unknown>): Promise<Fault> => (await errorOf(done)).fault
