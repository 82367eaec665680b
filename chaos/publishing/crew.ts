import { setTimeout as sleep } from 'node:timers/promises'
import { patiently } from '../patience.ts'
import type { ServiceChild } from './service-child.ts'
import type { Order } from './service-process.ts'
import type { Stage } from './stage.ts'

/** A worker under the name it holds profiles by. */
interface Hand {
  name: string
  worker: ServiceChild
}

export interface Crew {
  /** Waits until there is a worker in this place. */
  ready(slot: number): Promise<unknown>
  /** Lets a worker die as ordered, as soon as there is one in this place; resolves when it is dead and another is on its way. */
  kill(slot: number, order: Order): Promise<void>
  /** How long the profiles of killed workers that had something due waited for another, in milliseconds. */
  takeovers(): Promise<number[]>
  stop(): Promise<void>
}

/** Workers that are replaced when they die. */
export async function startCrew(stage: Stage, size: number): Promise<Crew> {
  let starting: Promise<unknown> = Promise.resolve()
  const known = new Set<string>()
  const names = async () =>
    (await patiently(() => stage.query<{ id: string }>('select id from job_workers'))).map(({ id }) => id)
  /** One after the other: the name that is new then is its own. */
  const start = (): Promise<Hand> => {
    const started = starting.then(async () => {
      const worker = await patiently(stage.startWorkerProcess)
      const name = (await names()).find((id) => !known.has(id)) ?? ''
      known.add(name)
      return { name, worker }
    })
    starting = started.catch(() => {})
    return started
  }
  const hands = Array.from({ length: size }, start)
  await Promise.all(hands)
  const waits: Promise<number | undefined>[] = []
  let stopping = false
  return {
    ready: async (slot) => hands[slot],
    async kill(slot, order) {
      const { name, worker } = (await hands[slot]) as Hand
      await worker.tell(order)
      await worker.ended
      if (stopping) return
      waits.push(takeover(stage, name))
      hands[slot] = start()
    },
    takeovers: async () => (await Promise.all(waits)).filter((wait) => wait !== undefined),
    async stop() {
      stopping = true
      for (const { worker } of await Promise.all(hands)) {
        worker.child.kill('SIGKILL')
        await worker.ended
      }
    },
  }
}

const lookEvery = 50
const patience = 60_000

/** Until none of the profiles that a dead worker held, and that have something due, is held by it any more. */
async function takeover(stage: Stage, worker: string): Promise<number | undefined> {
  const begun = performance.now()
  const held = await patiently(() =>
    stage.query<{ account: string; credential: string }>(
      `select account, credential from profile_lanes l where worker = $1 and exists (
         select from sends s where s.account_id = l.account and s.credential_id = l.credential and s.due <= now())`,
      [worker],
    ),
  )
  if (held.length === 0) return undefined
  const values = [worker, held.map(({ account }) => account), held.map(({ credential }) => credential)]
  while (performance.now() - begun < patience) {
    const text = 'select from profile_lanes where worker = $1 and account = any($2) and credential = any($3) limit 1'
    const left = await patiently(() => stage.query(text, values))
    if (left.length === 0) return Math.round(performance.now() - begun)
    await sleep(lookEvery)
  }
  return patience
}
