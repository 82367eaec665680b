import { sql } from 'kysely'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { randomness } from '../../../tests/support/randomness.ts'
import type { Clock } from '../clock.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { openListener } from '../database/listener.ts'
import { type Decision, type LimitRules, type Limits, openLimits } from './limits.ts'

/** Processes that count together under one clock, which is stopped unless a test advances it. */
export interface Installation {
  time: number
  readonly processes: CountingProcess[]
  /** Errors of background work. */
  readonly errors: unknown[]
  start(): Promise<CountingProcess>
  /** Advances the clock and runs one beat in every process. */
  advance(milliseconds: number): Promise<void>
  /** Resolves when every process has received all messages sent before. */
  messagesDelivered(): Promise<void>
  stop(): Promise<void>
}

export interface CountingProcess extends Limits {
  call(caller: string): Promise<Decision>
  /** Number of statements it has sent to the database. */
  readonly statements: number
  /** Whether messages of other processes are dropped. */
  dropsMessages: boolean
  /** Resolves when it has received the next test message. */
  echo(): Promise<void>
  /** Sends the test message to all processes. */
  sendEcho(): Promise<unknown>
  /** As after a lost connection: messages may have been missed. */
  simulateGap(): void
  /** Graceful shutdown. */
  stop(): Promise<void>
  /** Stops it without any cleanup. */
  kill(): Promise<void>
}

export const account = '001aaaaaaaaaaaa'
export const user = '00Aaaaaaaaaaaa'
const noon = Date.parse('2026-08-31T12:00:00Z')

export const rulesOf = (second: number, five: number, day: number, blockSeconds: number): LimitRules => ({
  windows: [
    { name: 'second', calls: second, seconds: 1 },
    { name: 'five', calls: five, seconds: 5 },
  ],
  day,
  blockSeconds,
})
export const usual = rulesOf(60, 120, 50_000, 900)

interface Conditions {
  /** A clock for all processes instead of the stopped one. */
  clock?: Clock
  /** Milliseconds between two requests to other processes about a caller. */
  pace?: number
}

export function newInstallation(url: string, rules: LimitRules, conditions: Conditions = {}): Installation {
  const installation: Installation = {
    time: noon,
    processes: [],
    errors: [],
    async start() {
      const process = await startProcess(url, rules, installation, conditions)
      installation.processes.push(process)
      return process
    },
    async advance(milliseconds) {
      installation.time += milliseconds
      await Promise.all(installation.processes.map((process) => process.beat()))
    },
    async messagesDelivered() {
      const echoes = installation.processes.map((process) => process.echo())
      await installation.processes[0]?.sendEcho()
      await Promise.all(echoes)
    },
    async stop() {
      for (const process of [...installation.processes]) await process.stop()
    },
  }
  return installation
}

/** Deletes all counts. */
export async function deleteCounts(url: string) {
  await ownerQuery(url, 'delete from rate_limits')
}

/** How many of this many calls are admitted, distributed round-robin over the processes. */
export async function admittedOf(processes: CountingProcess[], calls: number, caller = user): Promise<number> {
  let admitted = 0
  for (let call = 0; call < calls; call++) {
    if ((await processes[call % processes.length]!.call(caller)).admitted) admitted++
  }
  return admitted
}

/** A reference implementation of the rules for one caller. */
export function newOracle({ windows, day, blockSeconds }: LimitRules): (at: number) => boolean {
  const calls: number[] = []
  let blockedUntil = 0
  return (at) => {
    if (at < blockedUntil) return false
    if (calls.filter((time) => sameDay(time, at)).length >= day) return false
    if (windows.some((window) => calls.filter((time) => time > at - window.seconds * 1000).length >= window.calls)) {
      blockedUntil = at + blockSeconds * 1000
      return false
    }
    calls.push(at)
    return true
  }
}

/** Deterministic numbers for a seed, from 0 up to the limit. */
export function randomNumbers(seed: number): (limit: number) => number {
  const chance = randomness(seed)
  return (limit) => Math.floor(chance() * limit)
}

async function startProcess(
  url: string,
  rules: LimitRules,
  installation: Installation,
  { clock = { now: () => new Date(installation.time) }, pace = 0 }: Conditions,
): Promise<CountingProcess> {
  const database = openDatabase({ url, connections: 3 })
  const listener = await openListener(url)
  const seen = { statements: 0, dropsMessages: false, simulateGap: () => {} }
  let report = (error: unknown) => installation.errors.push(error)
  const limits = await openLimits({
    database: counted(database, () => seen.statements++),
    listener: {
      ...listener,
      on(channel, callback) {
        seen.simulateGap = () => callback(undefined)
        return listener.on(channel, (payload) => !seen.dropsMessages && callback(payload))
      },
    },
    // Beats run only when a test triggers them.
    clock,
    rules,
    pace,
    every: 2 ** 30,
    report: (error) => report(error),
  })
  const echoes: (() => void)[] = []
  await listener.on('echo', () => echoes.shift()?.())
  const leave = () => installation.processes.splice(installation.processes.indexOf(process), 1)
  const process: CountingProcess = Object.assign(seen, limits, {
    call: async (caller: string) => limits.admit(account, caller),
    echo: () => new Promise<void>((resolve) => echoes.push(resolve)),
    sendEcho: () => sql`notify echo`.execute(database.shared),
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
  })
  return process
}

function counted(database: Database, count: () => void): Database {
  return {
    ...database,
    forAccount(accountId) {
      count()
      return database.forAccount(accountId)
    },
    transaction(accountId, work) {
      count()
      return database.transaction(accountId, work)
    },
    get shared() {
      count()
      return database.shared
    },
  }
}

function sameDay(one: number, other: number): boolean {
  return new Date(one).toISOString().slice(0, 10) === new Date(other).toISOString().slice(0, 10)
}
