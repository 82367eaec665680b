import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, runProgram } from '../tests/support/program.ts'
import { randomness } from '../tests/support/randomness.ts'
import { type CrowdTally, openCrowd } from './crowd.ts'
import type { Nodes } from './database/nodes.ts'
import { patiently } from './patience.ts'
import { startChild } from './publishing/service-child.ts'
import { openRedirectPlace, type RedirectPlace } from './redirect-place.ts'

export interface RedirectKillOptions {
  kills: number
  seed: number
  /** Redirectors at a time; two unless told. */
  processes?: number
  /** How many clicks are answered between two kills, at least. */
  clicks?: number
  /** Visits at the same time. */
  visitors?: number
  /** Milliseconds between the visits of one of them; none unless told. */
  pause?: number
  /** A database that is migrated and empty; one on a server of its own unless told. */
  databaseUrl?: string
  /** A process of the service as `buildPrograms` gives it, for small runs; the whole program unless told. */
  service?: string
  /** Lets a worker count meanwhile. */
  counting?: boolean
  /** Starts what is killed; the product's redirector unless the control takes its place. */
  startRedirector?: (place: RedirectPlace) => Promise<Redirector>
  /** On a cluster: its nodes, one of which is killed after each of these. */
  nodes?: Nodes | undefined
  say?: (line: string) => void
}

export interface Redirector extends Pick<Program, 'child'> {
  ended: Promise<unknown>
  url: string
}

export interface RedirectKillReport extends CrowdTally {
  kills: number
  nodeKills?: Readonly<Record<string, number>>
  seed: number
  seconds: number
}

/** Kills redirectors again and again while people click; then looks for every click that was answered. */
export async function redirectKills(options: RedirectKillOptions): Promise<RedirectKillReport> {
  const { kills, seed, processes = 2, clicks = 300, visitors = 48, pause = 0, nodes, say = () => {} } = options
  const begun = performance.now()
  const chance = randomness(seed)
  const place = await openRedirectPlace(options.databaseUrl)
  const start = options.startRedirector ?? (options.service ? small(options.service) : startProduct)
  const redirectors = await Promise.all(Array.from({ length: processes }, () => start(place)))
  const worker = options.counting
    ? runProgram('chorus', ['start'], { ...place.environment, CHORUS_ROLES: 'api,worker' })
    : undefined
  const links = () => redirectors.flatMap(({ url }) => place.hashes.map((hash) => `${url}/${hash}`))
  const crowd = openCrowd({ links, chance, visitors, pause: () => pause })
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = crowd.answered.size
      for (let waited = 0; crowd.answered.size < before + clicks && waited < 120_000; waited += 5) await sleep(5)
      await sleep(chance() * 50)
      const index = kill % processes
      const victim = redirectors[index] as Redirector
      victim.child.kill('SIGKILL')
      await victim.ended
      say(`kill ${kill} of ${kills}: ${crowd.answered.size} of ${crowd.visits()} visits answered`)
      redirectors[index] = await patiently(() => start(place))
      if (!nodes) continue
      await nodes.strike()
      // Whoever waits for the database while it is away is sent on before: those clicks are in the memory of the redirectors alone.
      crowd.rest(true)
      for (const { url } of redirectors) await allWritten(url)
      crowd.rest(false)
    }
    await crowd.end()
    await nodes?.settled()
    return {
      kills,
      ...(nodes && { nodeKills: nodes.kills }),
      seed,
      ...(await crowd.tally(place.databaseUrl)),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await crowd.end()
    for (const { child, ended } of [...redirectors, ...(worker ? [worker] : [])]) {
      child.kill('SIGKILL')
      await ended
    }
    await place.remove()
  }
}

/** Waits until a redirector has written down whom it has sent on. */
async function allWritten(url: string) {
  const waiting = async () => {
    const text = await (await fetch(`${url.replace(/\/l$/, '')}/metrics`)).text()
    return Number(/^clicks_waiting (\d+)$/m.exec(text)?.[1])
  }
  while ((await waiting()) !== 0) await sleep(250)
}

async function startProduct({ environment }: RedirectPlace): Promise<Redirector> {
  const program = runProgram('chorus', ['start'], { ...environment, CHORUS_ROLES: 'links' })
  return { ...program, url: `${await program.printed(/Base URL +(http:\S+)\/v2/)}/l` }
}

const small =
  (service: string) =>
  async ({ environment }: RedirectPlace): Promise<Redirector> => {
    const { child, ended, url } = await startChild(service, { ...environment, CHORUS_ROLES: 'links' })
    return { child, ended, url: `${url}/l` }
  }
