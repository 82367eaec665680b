import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { servePicture } from '../../tests/support/outside/picture.ts'
import { startOwnProgram } from '../programs.ts'
import { startAttack } from './attack.ts'
import { type ErrandReport, errands } from './errands.ts'
import { startIdleWork } from './idle-work.ts'
import { type MemoryReport, watchMemory } from './memory-watch.ts'
import { badAccount, openPlace, type Place, type PlaceOptions } from './place.ts'
import { goOn, type SteadyReport, steadyCalls, type Times, warmUp } from './steady-calls.ts'
import type { AnswerCounts, AttackName } from './targets.ts'

export interface NeighbourOptions extends VisitOptions, PlaceOptions {
  /** How long the good one is measured alone, twice, before it is beside the bad one. */
  idleSeconds: number
  say?: (line: string) => void
}

type Patience = Partial<Omit<Times, 'seconds'>>

interface VisitOptions {
  names: readonly AttackName[]
  /** How long the good one is measured beside the bad one. */
  seconds: number
  /** How long a call, an upload or a post may take; 30 seconds unless told. */
  patience?: Patience
  seed: number
  /** The attackers belong to the account that is measured: the control. */
  sameAccount?: boolean
  /** How long the attackers have to come to strength, in milliseconds. */
  ramp?: number
  /** How many users the attackers have; all there are unless told. */
  attackers?: number
}

/** What the account that works met with in a while. */
export interface Stay extends SteadyReport {
  uploads: ErrandReport
  posts: ErrandReport
}

/** What happened while the bad one did its worst. */
export interface Visit {
  beside: Stay
  memory: MemoryReport
  attack: AnswerCounts
  /** Whether the program is still there. */
  alive: boolean
}

export interface NeighbourReport extends Visit {
  /** On a quiet machine. */
  alone: Stay
  /** While every core is kept busy at the lowest priority by work that has nothing to do with the service. */
  busy: Stay
  /** The 99th percentile beside the bad one, as a multiple of that on a busy and on a quiet machine. */
  ratio: number
  quietRatio: number
}

/** One account works while another does its worst: does the first one notice? */
export async function neighbours({
  idleSeconds,
  say = () => {},
  ...options
}: NeighbourOptions): Promise<NeighbourReport> {
  const here = await openNeighbourhood(options)
  try {
    await here.warmUp()
    await here.stay(warmUpSeconds)
    say('alone')
    const alone = await here.stay(idleSeconds)
    const endWork = startIdleWork(idleSeconds)
    const busy = await here.stay(idleSeconds).finally(endWork)
    say(`beside ${options.names.join(', ')}`)
    const visited = await here.visit(options)
    const { beside } = visited
    return { alone, busy, ...visited, ratio: ratioOf(beside, busy), quietRatio: ratioOf(beside, alone) }
  } finally {
    await here.close()
  }
}

/** What the account that works met with before the large one came, and beside it. */
export interface Control {
  alone: SteadyReport
  beside: SteadyReport
  ratio: number
  memory: MemoryReport
}

/** A service where an account is at work, alone or visited by a bad one. */
export interface Neighbourhood {
  warmUp(): Promise<void>
  stay(seconds: number, patience?: Patience): Promise<Stay>
  visit(options: VisitOptions): Promise<Visit>
  /** The same two accounts at a program that writes every answer in one piece. */
  control(options: Pick<VisitOptions, 'seconds' | 'seed' | 'patience' | 'ramp'>): Promise<Control>
  close(): Promise<void>
}

export async function openNeighbourhood(options: PlaceOptions): Promise<Neighbourhood> {
  const picture = await servePicture()
  const place = await openPlace(options)
  const stay = async (seconds: number, patience: Patience = {}): Promise<Stay> => {
    const times = { patienceSeconds: 30, ...patience, seconds }
    const [calls, others] = await Promise.all([steadyCalls(place, times), errands(place, picture.url, times)])
    return { ...calls, ...others }
  }
  return {
    stay,
    warmUp: () => warmUp(place),
    async visit({ names, seed, seconds, patience, sameAccount, ramp = rampMs, attackers }) {
      const account = sameAccount ? place.inside : place.bad
      const targets = { ...account, users: account.users.slice(0, attackers) }
      const memory = watchMemory(place.program.child.pid)
      const working = goOn(place)
      const attack = await startAttack({ names, seed, targets })
      // The attackers need a moment to come to strength; they find the good one at work.
      await sleep(ramp)
      await working.end()
      const beside = await stay(seconds, patience)
      return { beside, attack: await attack.stop(), memory: memory.stop(), alive: isAlive(place) }
    },
    async control({ seconds, seed, patience, ramp = rampMs }) {
      const child = await startOwnProgram('chaos/neighbours/one-piece-process.ts', {
        env: { ...process.env, CONTROL_DATABASE_URL: options.databaseUrl, CONTROL_ACCOUNT: badAccount },
        stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      })
      try {
        const [port] = await once(child, 'message')
        const url = `http://127.0.0.1:${port}`
        const there = { ...place, url, good: { ...place.good, link: `${url}/l/any` } }
        const times = { patienceSeconds: 30, ...patience, seconds }
        const alone = await steadyCalls(there, times)
        const memory = watchMemory(child.pid)
        const attack = await startAttack({ names: ['large'], seed, targets: { ...place.bad, url } })
        await sleep(ramp)
        const beside = await steadyCalls(there, times)
        await attack.stop()
        return { alone, beside, ratio: ratioOf(beside, alone), memory: memory.stop() }
      } finally {
        child.kill('SIGKILL')
      }
    },
    async close() {
      await place.stop()
      await picture.close()
    },
  }
}

const warmUpSeconds = 4
const rampMs = 1_000

const ratioOf = (one: SteadyReport, other: SteadyReport) => Math.round((one.calls.p99 / other.calls.p99) * 100) / 100

const isAlive = ({ program }: Place) => program.child.exitCode === null && program.child.signalCode === null
