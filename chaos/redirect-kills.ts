import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { randomness } from '../tests/support/randomness.ts'
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

export interface RedirectKillReport {
  kills: number
  seed: number
  /** Visits, each by somebody else, and how many of them got their redirect. */
  visits: number
  answered: number
  /** Of those with an answer: not in the database, or there more than once. */
  lost: number
  doubled: number
  /** Of those without an answer, because their process was killed: written all the same, and more than once. */
  written: number
  writtenTwice: number
  seconds: number
}

const processes = 2
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'

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
  const crowd = openCrowd(place, () => redirectors.map(({ url }) => url), chance, visitors)
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
    const report = judge(await written(place), crowd.answered, crowd.visits())
    return { kills, seed, ...report, seconds: Math.round((performance.now() - begun) / 1000) }
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

/** People who click one link after the other, each time with a browser that nobody else has. */
function openCrowd({ hashes }: RedirectPlace, urls: () => string[], chance: () => number, visitors: number) {
  const answered = new Set<number>()
  const agent = new Agent({ keepAlive: true })
  let visits = 0
  let ended = false
  const stroll = async () => {
    while (!ended) {
      const number = ++visits
      const url = urls()[Math.floor(chance() * processes)] as string
      const hash = hashes[Math.floor(chance() * hashes.length)] as string
      if (await visit(`${url}/${hash}`, number, agent)) answered.add(number)
      else await sleep(5)
    }
  }
  const strolling = Promise.all(Array.from({ length: visitors }, stroll))
  return {
    answered,
    visits: () => visits,
    async end() {
      ended = true
      await strolling
      agent.destroy()
    },
  }
}

/** Whether the redirect came. */
function visit(url: string, number: number, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'user-agent': `${browser} visit-${number}` }
    const asking = get(url, { agent, headers, timeout: 10_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 302))
      response.on('error', () => resolve(false))
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false))
  })
}

/** How often each visit is in the database, counted or not yet. */
async function written({ databaseUrl }: RedirectPlace): Promise<Map<number, number>> {
  const rows = await ownerQuery<{ number: number; times: number }>(
    databaseUrl,
    `select substring(user_agent from 'visit-(\\d+)$')::int as number, count(*)::int as times from (
       select c ->> 'userAgent' as user_agent from click_bundles, json_array_elements(clicks::json) c where c ->> 'class' = 'human'
       union all select user_agent from clicks where class = 'human') all_clicks
     group by 1`,
  )
  return new Map(rows.map(({ number, times }) => [number, times]))
}

function judge(times: Map<number, number>, answered: Set<number>, visits: number) {
  const unanswered = [...times].filter(([number]) => !answered.has(number))
  return {
    visits,
    answered: answered.size,
    lost: [...answered].filter((number) => !times.has(number)).length,
    doubled: [...answered].filter((number) => (times.get(number) ?? 0) > 1).length,
    written: unanswered.length,
    writtenTwice: unanswered.filter(([, count]) => count > 1).length,
  }
}
