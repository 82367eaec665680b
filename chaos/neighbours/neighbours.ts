import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startImageServer } from '../../tests/support/external-servers.ts'
import { memoryOf, startBundledProgram } from '../processes.ts'
import { startAttack, startBackgroundLoad } from './attack.ts'
import type { AnswerCounts, AttackName } from './attacker.ts'
import { badAccount, openSetup, type Setup, type SetupOptions } from './setup.ts'
import {
  backgroundTasks,
  goOn,
  type SteadyReport,
  steadyCalls,
  type TaskReport,
  type Times,
  warmUp,
} from './workload.ts'

export interface NeighbourOptions extends VisitOptions, SetupOptions {
  /** Seconds of each baseline measurement without the attacker. */
  idleSeconds: number
  log?: (line: string) => void
}

type Patience = Partial<Omit<Times, 'seconds'>>

interface VisitOptions {
  names: readonly AttackName[]
  /** Seconds of the measurement during the attack. */
  seconds: number
  /** Timeout of a request, an upload or a post; default 30 seconds. */
  patience?: Patience
  seed: number
  /** Negative control: the attackers belong to the measured account. */
  sameAccount?: boolean
  /** Ramp-up time of the attackers in milliseconds. */
  ramp?: number
  /** Number of attacking users; all by default. */
  attackers?: number
}

/** Measurements of the regular account over a period. */
export interface Measurement extends SteadyReport {
  uploads: TaskReport
  posts: TaskReport
}

/** Measurements during the attack. */
export interface AttackResult {
  beside: Measurement
  memory: MemoryReport
  attack: AnswerCounts
  /** Whether the program is still running. */
  alive: boolean
}

export interface NeighbourReport extends AttackResult {
  /** On an idle machine. */
  alone: Measurement
  /** While unrelated work keeps every core busy at low priority. */
  busy: Measurement
  /** p99 during the attack relative to a busy and to an idle machine. */
  ratio: number
  quietRatio: number
}

/** Measures whether an account is affected by attacks of another account. */
export async function neighbours({
  idleSeconds,
  log = () => {},
  ...options
}: NeighbourOptions): Promise<NeighbourReport> {
  const here = await openNeighbourhood(options)
  try {
    await here.warmUp()
    await here.measure(warmUpSeconds)
    log('alone')
    const alone = await here.measure(idleSeconds)
    const endWork = startBackgroundLoad(idleSeconds)
    const busy = await here.measure(idleSeconds).finally(endWork)
    log(`beside ${options.names.join(', ')}`)
    const visited = await here.attack(options)
    const { beside } = visited
    return { alone, busy, ...visited, ratio: ratioOf(beside, busy), quietRatio: ratioOf(beside, alone) }
  } finally {
    await here.close()
  }
}

/** Measurements of the regular account without and with the large account. */
export interface Control {
  alone: SteadyReport
  beside: SteadyReport
  ratio: number
  memory: MemoryReport
}

/** A running service with a regular account, measured alone or during attacks. */
export interface Neighbourhood {
  warmUp(): Promise<void>
  measure(seconds: number, patience?: Patience): Promise<Measurement>
  attack(options: VisitOptions): Promise<AttackResult>
  /** Negative control: the same accounts on a program that writes every response in one piece. */
  control(options: Pick<VisitOptions, 'seconds' | 'seed' | 'patience' | 'ramp'>): Promise<Control>
  close(): Promise<void>
}

export async function openNeighbourhood(options: SetupOptions): Promise<Neighbourhood> {
  const picture = await startImageServer()
  const place = await openSetup(options)
  const stay = async (seconds: number, patience: Patience = {}): Promise<Measurement> => {
    const times = { patienceSeconds: 30, ...patience, seconds }
    const [calls, others] = await Promise.all([steadyCalls(place, times), backgroundTasks(place, picture.url, times)])
    return { ...calls, ...others }
  }
  return {
    measure: stay,
    warmUp: () => warmUp(place),
    async attack({ names, seed, seconds, patience, sameAccount, ramp = rampMs, attackers }) {
      const account = sameAccount ? place.inside : place.bad
      const targets = { ...account, users: account.users.slice(0, attackers) }
      const memory = watchMemory(place.program.child.pid)
      const working = goOn(place)
      const attack = await startAttack({ names, seed, targets })
      // The attackers need time to ramp up; the regular account already works.
      await sleep(ramp)
      await working.end()
      const beside = await stay(seconds, patience)
      return { beside, attack: await attack.stop(), memory: memory.stop(), alive: isAlive(place) }
    },
    async control({ seconds, seed, patience, ramp = rampMs }) {
      const child = await startBundledProgram('chaos/neighbours/one-piece-process.ts', {
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

const isAlive = ({ program }: Setup) => program.child.exitCode === null && program.child.signalCode === null

export interface MemoryReport {
  /** In MiB, sum of all service processes. */
  before: number
  most: number
  after: number
}

/** Samples the memory of a program and of its child processes. */
function watchMemory(pid: number | undefined) {
  const now = () => family(pid).reduce((sum, member) => sum + memoryOf(member), 0)
  const before = now()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, now())
  }, 250)
  return {
    stop(): MemoryReport {
      clearInterval(timer)
      return { before, most, after: now() }
    },
  }
}

function family(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    const same = children.map(Number).filter((child) => commandOf(child).includes('start.mjs'))
    return [pid ?? 0, ...same]
  } catch {
    return [pid ?? 0]
  }
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
