import { randomness } from '../../../tests/support/randomness.ts'
import { openDatabase } from '../database/database.ts'
import { openListener } from '../database/listener.ts'
import { ownerQuery } from '../database/owner.ts'
import { type LimitRules, type Limits, openLimits, type Standing } from './limits.ts'

/** Processes that count together under one clock, which stands still unless a test moves it. */
export interface Installation {
  time: number
  readonly processes: CountingProcess[]
  /** What failed in the background. */
  readonly errors: unknown[]
  start(): Promise<CountingProcess>
  /** Moves the clock, and gives every process its second's work for it. */
  pass(milliseconds: number): Promise<void>
  stop(): Promise<void>
}

export interface CountingProcess extends Limits {
  call(caller: string): Promise<Standing>
  /** Ends it as its operator would. */
  stop(): Promise<void>
  /** Ends it without giving it time for anything. */
  kill(): Promise<void>
}

export const account = '001aaaaaaaaaaaa'
export const user = '00Aaaaaaaaaaaa'
const noon = Date.parse('2026-08-31T12:00:00Z')

export function newInstallation(url: string, rules: LimitRules): Installation {
  const installation: Installation = {
    time: noon,
    processes: [],
    errors: [],
    async start() {
      const process = await startProcess(url, rules, installation)
      installation.processes.push(process)
      return process
    },
    async pass(milliseconds) {
      installation.time += milliseconds
      await Promise.all(installation.processes.map((process) => process.beat()))
    },
    async stop() {
      for (const process of [...installation.processes]) await process.stop()
    },
  }
  return installation
}

/** As if nobody had ever called and no process had been there. */
export async function forgetEverything(url: string) {
  await ownerQuery(url, 'delete from call_limits; delete from call_counters')
}

/** How many of so many calls, in turn on each of the processes, are admitted. */
export async function admittedOf(processes: CountingProcess[], calls: number, caller = user): Promise<number> {
  let admitted = 0
  for (let call = 0; call < calls; call++) {
    if ((await processes[call % processes.length]!.call(caller)).admitted) admitted++
  }
  return admitted
}

/** The rules once more, as plainly as they can be said, for one user. */
export function newOracle({ second, fiveSeconds, day, blockSeconds }: LimitRules): (at: number) => boolean {
  const calls: number[] = []
  let blockedUntil = 0
  return (at) => {
    if (at < blockedUntil) return false
    const since = (start: number) => calls.filter((time) => time > start).length
    if (calls.filter((time) => sameDay(time, at)).length >= day) return false
    if (since(at - 1000) >= second || since(at - 5000) >= fiveSeconds) {
      blockedUntil = at + blockSeconds * 1000
      return false
    }
    calls.push(at)
    return true
  }
}

/** The same numbers for the same seed, from 0 up to the limit. */
export function randomNumbers(seed: number): (limit: number) => number {
  const chance = randomness(seed)
  return (limit) => Math.floor(chance() * limit)
}

async function startProcess(url: string, rules: LimitRules, installation: Installation): Promise<CountingProcess> {
  const database = openDatabase({ url, connections: 3 })
  const listener = await openListener(url)
  const clock = { now: () => new Date(installation.time) }
  let report = (error: unknown) => installation.errors.push(error)
  const limits = await openLimits({ database, listener, clock, rules, report: (error) => report(error) })
  const leave = () => installation.processes.splice(installation.processes.indexOf(process), 1)
  const process: CountingProcess = {
    ...limits,
    call: async (caller) => limits.admit(account, caller),
    async stop() {
      leave()
      await limits.close()
      await Promise.all([listener.close(), database.close()])
    },
    async kill() {
      leave()
      report = () => 0
      await Promise.all([listener.close(), database.close()])
      await limits.close().catch(() => {})
    },
  }
  return process
}

function sameDay(one: number, other: number): boolean {
  return new Date(one).toISOString().slice(0, 10) === new Date(other).toISOString().slice(0, 10)
}
