import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'

interface VisitorOptions {
  /** Complete URLs of the links. */
  links: () => string[]
  random: () => number
  /** Concurrent visits. */
  visitors: number
  /** Offset of the visit numbers, after previous visitors. */
  after?: number
  /** Milliseconds between the visits of one visitor. */
  pause?: () => number
}

/** Outcome of the visits. */
export interface VisitTally {
  /** Visits, each with a unique user agent, and how many were redirected. */
  visits: number
  answered: number
  /** Redirected visits that are missing in the database, or stored more than once. */
  lost: number
  doubled: number
  /** Visits without a redirect that are stored, and stored more than once. */
  written: number
  writtenTwice: number
}

export interface Visitors {
  readonly answered: ReadonlySet<number>
  visits(): number
  /** Pauses or resumes clicking. */
  setPaused(on: boolean): void
  end(): Promise<void>
  /** Compares the redirected visits with the database, after `end`. */
  tally(databaseUrl: string): Promise<VisitTally>
}

/** Visitors who click links, each time with a unique user agent. */
export function openVisitors({ links, random, visitors, after = 0, pause = () => 0 }: VisitorOptions): Visitors {
  const confirmed = new Set<number>()
  const agent = new Agent({ keepAlive: true })
  let visits = 0
  let ended = false
  let isPaused = false
  const visitRepeatedly = async () => {
    while (!ended) {
      if (isPaused) {
        await sleep(50)
        continue
      }
      const number = after + ++visits
      const all = links()
      if (await visit(all[Math.floor(random() * all.length)] as string, number, agent)) confirmed.add(number)
      else await sleep(5)
      if (pause() > 0) await sleep(pause())
    }
  }
  const running = Promise.all(Array.from({ length: visitors }, visitRepeatedly))
  return {
    answered: confirmed,
    visits: () => visits,
    setPaused(on) {
      isPaused = on
    },
    async end() {
      ended = true
      await running
      agent.destroy()
    },
    tally: async (databaseUrl) => verify(await storedVisits(databaseUrl, after), confirmed, visits),
  }
}

/** Returns whether the visit was redirected. */
function visit(url: string, number: number, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'user-agent': `${userAgent} visit-${number}` }
    const pending = get(url, { agent, headers, timeout: 10_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 302))
      response.on('error', () => resolve(false))
    })
    pending.on('timeout', () => pending.destroy())
    pending.on('error', () => resolve(false))
  })
}

/** Number of stored rows per visit, counted or pending. */
async function storedVisits(databaseUrl: string, after: number): Promise<Map<number, number>> {
  const rows = await ownerQuery<{ number: number; times: number }>(
    databaseUrl,
    `select substring(user_agent from 'visit-(\\d+)$')::int as number, count(*)::int as times from (
       select c ->> 'userAgent' as user_agent from click_batches, json_array_elements(clicks::json) c where c ->> 'class' = 'human'
       union all select user_agent from clicks where class = 'human') all_clicks
     where user_agent like '%visit-%' group by 1`,
  )
  return new Map(rows.filter(({ number }) => number > after).map(({ number, times }) => [number, times]))
}

function verify(times: Map<number, number>, confirmed: Set<number>, visits: number): VisitTally {
  const unconfirmed = [...times].filter(([number]) => !confirmed.has(number))
  return {
    visits,
    answered: confirmed.size,
    lost: [...confirmed].filter((number) => !times.has(number)).length,
    doubled: [...confirmed].filter((number) => (times.get(number) ?? 0) > 1).length,
    written: unconfirmed.length,
    writtenTwice: unconfirmed.filter(([, count]) => count > 1).length,
  }
}
