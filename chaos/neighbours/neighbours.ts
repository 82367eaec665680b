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
  type SteadyReport,
  startUnmeasuredCalls,
  steadyCalls,
  type TaskReport,
  type Times,
  warmUp,
} from './workload.ts'

export interface NeighbourOptions extends AttackOptions, SetupOptions {
  /** Seconds of each baseline measurement without the attacker. */
  idleSeconds: number
  log?: (line: string) => void
}

type Timeouts = Partial<Omit<Times, 'seconds'>>

interface AttackOptions {
  names: readonly AttackName[]
  /** Seconds of the measurement during the attack. */
  seconds: number
  /** Timeout of a request, an upload or a post; default 30 seconds. */
  timeouts?: Timeouts
  seed: number
  /** Negative control: the attackers belong to the measured account. */
  sameAccount?: boolean
  /** Ramp-up time of the attackers in milliseconds. */
  rampMs?: number
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
  const neighbourhood = await openNeighbourhood(options)
  try {
    await neighbourhood.warmUp()
    await neighbourhood.measure(warmUpSeconds)
    log('alone')
    const alone = await neighbourhood.measure(idleSeconds)
    const endWork = startBackgroundLoad(idleSeconds)
    const busy = await neighbourhood.measure(idleSeconds).finally(endWork)
    log(`beside ${options.names.join(', ')}`)
    const attacked = await neighbourhood.attack(options)
    const { beside } = attacked
    return { alone, busy, ...attacked, ratio: ratioOf(beside, busy), quietRatio: ratioOf(beside, alone) }
  } finally {
    await neighbourhood.close()
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
  measure(seconds: number, timeouts?: Timeouts): Promise<Measurement>
  attack(options: AttackOptions): Promise<AttackResult>
  /** Negative control: the same accounts on a program that writes every response in one piece. */
  control(options: Pick<AttackOptions, 'seconds' | 'seed' | 'timeouts' | 'rampMs'>): Promise<Control>
  close(): Promise<void>
}

export async function openNeighbourhood(options: SetupOptions): Promise<Neighbourhood> {
  const picture = await startImageServer()
  const setup = await openSetup(options)
  const measureLoad = async (seconds: number, timeouts: Timeouts = {}): Promise<Measurement> => {
    const times = { timeoutSeconds: 30, ...timeouts, seconds }
    const [calls, others] = await Promise.all([steadyCalls(setup, times), backgroundTasks(setup, picture.url, times)])
    return { ...calls, ...others }
  }
  return {
    measure: measureLoad,
    warmUp: () => warmUp(setup),
    async attack({ names, seed, seconds, timeouts, sameAccount, rampMs = defaultRampMs, attackers }) {
      const account = sameAccount ? setup.inside : setup.bad
      const targets = { ...account, users: account.users.slice(0, attackers) }
      const memory = watchMemory(setup.program.child.pid)
      const warmUpCalls = startUnmeasuredCalls(setup)
      const attack = await startAttack({ names, seed, targets })
      // The attackers need time to ramp up; the regular account already works.
      await sleep(rampMs)
      await warmUpCalls.end()
      const beside = await measureLoad(seconds, timeouts)
      return { beside, attack: await attack.stop(), memory: memory.stop(), alive: isAlive(setup) }
    },
    async control({ seconds, seed, timeouts, rampMs = defaultRampMs }) {
      const child = await startBundledProgram('chaos/neighbours/one-piece-process.ts', {
        env: { ...process.env, CONTROL_DATABASE_URL: options.databaseUrl, CONTROL_ACCOUNT: badAccount },
        stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      })
      try {
        const [port] = await once(child, 'message')
        const url = `http://127.0.0.1:${port}`
        const controlSetup = { ...setup, url, good: { ...setup.good, link: `${url}/l/any` } }
        const times = { timeoutSeconds: 30, ...timeouts, seconds }
        const alone = await steadyCalls(controlSetup, times)
        const memory = watchMemory(child.pid)
        const attack = await startAttack({ names: ['large'], seed, targets: { ...setup.bad, url } })
        await sleep(rampMs)
        const beside = await steadyCalls(controlSetup, times)
        await attack.stop()
        return { alone, beside, ratio: ratioOf(beside, alone), memory: memory.stop() }
      } finally {
        child.kill('SIGKILL')
      }
    },
    async close() {
      await setup.stop()
      await picture.close()
    },
  }
}

const warmUpSeconds = 4
const defaultRampMs = 1_000

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
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, now())
  }, 250)
  return {
    stop(): MemoryReport {
      clearInterval(timer)
      return { before, most: peak, after: now() }
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
