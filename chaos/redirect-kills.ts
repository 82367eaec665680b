import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, runProgram } from '../tests/support/program.ts'
import { randomness } from '../tests/support/randomness.ts'
import { type CrowdTally, openCrowd } from './crowd.ts'
import { openRedirectPlace, type RedirectPlace } from './redirect-place.ts'

export interface RedirectKillOptions {
  kills: number
  seed: number
  /** Visits at the same time. */
  visitors?: number
  /** A database that is migrated and empty; one on a server of its own unless told. */
  databaseUrl?: string
  /** Lets a worker count meanwhile. */
  counting?: boolean
  /** Starts what is killed; the product's redirector unless the control takes its place. */
  startRedirector?: (place: RedirectPlace) => Promise<Redirector>
  say?: (line: string) => void
}

export interface Redirector {
  program: Program
  url: string
}

export interface RedirectKillReport extends CrowdTally {
  kills: number
  seed: number
  seconds: number
}

const processes = 2

/** Kills redirectors again and again while people click; then looks for every click that was answered. */
export async function redirectKills(options: RedirectKillOptions): Promise<RedirectKillReport> {
  const { kills, seed, visitors = 48, counting = false, say = () => {} } = options
  const begun = performance.now()
  const chance = randomness(seed)
  const place = await openRedirectPlace(options.databaseUrl)
  const start = options.startRedirector ?? startProduct
  const redirectors = await Promise.all(Array.from({ length: processes }, () => start(place)))
  const worker = counting
    ? runProgram('chorus', ['start'], { ...place.environment, CHORUS_ROLES: 'api,worker' })
    : undefined
  const links = () => redirectors.flatMap(({ url }) => place.hashes.map((hash) => `${url}/${hash}`))
  const crowd = openCrowd({ links, chance, visitors })
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = crowd.answered.size
      for (let waited = 0; crowd.answered.size < before + 300 && waited < 120_000; waited += 5) await sleep(5)
      await sleep(chance() * 50)
      const index = kill % processes
      const victim = redirectors[index] as Redirector
      victim.program.child.kill('SIGKILL')
      await victim.program.ended
      say(`kill ${kill} of ${kills}: ${crowd.answered.size} of ${crowd.visits()} visits answered`)
      redirectors[index] = await start(place)
    }
    await crowd.end()
    return {
      kills,
      seed,
      ...(await crowd.tally(place.databaseUrl)),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await crowd.end()
    for (const program of [...redirectors.map((one) => one.program), ...(worker ? [worker] : [])]) {
      program.child.kill('SIGKILL')
      await program.ended
    }
    await place.remove()
  }
}

async function startProduct({ environment }: RedirectPlace): Promise<Redirector> {
  const program = runProgram('chorus', ['start'], { ...environment, CHORUS_ROLES: 'links' })
  return { program, url: `${await program.printed(/Base URL +(http:\S+)\/v2/)}/l` }
}
