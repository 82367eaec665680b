import { setTimeout as sleep } from 'node:timers/promises'
import { servePicture } from '../../tests/support/picture.ts'
import { startAttack } from './attack.ts'
import { type ErrandReport, errands } from './errands.ts'
import { startIdleWork } from './idle-work.ts'
import { type MemoryReport, watchMemory } from './memory-watch.ts'
import { openPlace, type Place } from './place.ts'
import { type SteadyReport, steadyCalls, warmUp } from './steady-calls.ts'
import type { AnswerCounts, AttackName } from './targets.ts'

export interface NeighbourOptions {
  databaseUrl: string
  names: readonly AttackName[]
  /** How long the good one is measured alone, twice, and then beside the bad one. */
  idleSeconds: number
  seconds: number
  /** How long an upload or a post may take; 30 unless told. */
  patienceSeconds?: number
  /** How long attackers may come to strength before anybody counts; 3 unless told. */
  rampSeconds?: number
  seed: number
  /** The attackers belong to the account that is measured: the control. */
  sameAccount?: boolean
  environment?: Record<string, string>
  say?: (line: string) => void
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
export function neighbours(options: NeighbourOptions): Promise<NeighbourReport> {
  const { idleSeconds, say = () => {} } = options
  return inPlace(options, async ({ stay, visit, warm }) => {
    await warm()
    await stay(warmUpSeconds)
    say('alone')
    const alone = await stay(idleSeconds)
    const endWork = startIdleWork(idleSeconds)
    const busy = await stay(idleSeconds).finally(endWork)
    say(`beside ${options.names.join(', ')}`)
    const visited = await visit()
    const { beside } = visited
    return { alone, busy, ...visited, ratio: ratioOf(beside, busy), quietRatio: ratioOf(beside, alone) }
  })
}

/** The same without anything to compare it to: for what must not fail at all. */
export const badVisit = (options: NeighbourOptions): Promise<Visit> => inPlace(options, ({ visit }) => visit())

interface Steps {
  warm(): Promise<void>
  stay(seconds: number): Promise<Stay>
  visit(): Promise<Visit>
}

async function inPlace<Report>(options: NeighbourOptions, work: (steps: Steps) => Promise<Report>): Promise<Report> {
  const { databaseUrl, names, seconds, seed, patienceSeconds = 30, rampSeconds = 3, environment = {} } = options
  const picture = await servePicture()
  const place = await openPlace({ databaseUrl, environment })
  const stay = async (length: number): Promise<Stay> => {
    const times = { seconds: length, patienceSeconds }
    const [calls, others] = await Promise.all([steadyCalls(place, length), errands(place, picture.url, times)])
    return { ...calls, ...others }
  }
  const visit = async (): Promise<Visit> => {
    const memory = watchMemory(place.program.child.pid)
    const attack = await startAttack({ names, seed, targets: options.sameAccount ? place.inside : place.bad })
    // The attackers need a moment to come to strength, and what they prepare meanwhile takes a machine of its own.
    await sleep(rampSeconds * 1000)
    const beside = await stay(seconds)
    return { beside, attack: await attack.stop(), memory: memory.stop(), alive: isAlive(place) }
  }
  try {
    return await work({ stay, visit, warm: () => warmUp(place) })
  } finally {
    await place.stop()
    await picture.close()
  }
}

const warmUpSeconds = 4

const ratioOf = (one: Stay, other: Stay) => Math.round((one.calls.p99 / other.calls.p99) * 100) / 100

const isAlive = ({ program }: Place) => program.child.exitCode === null && program.child.signalCode === null
