import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'

interface CrowdOptions {
  /** The links there are, whole. */
  links: () => string[]
  chance: () => number
  /** Visits at the same time. */
  visitors: number
  /** Their visits have higher numbers, where others have been before. */
  after?: number
  /** Milliseconds between the visits of one of them. */
  pause?: () => number
}

/** What came of the visits of a crowd. */
export interface CrowdTally {
  /** Visits, each by somebody else, and how many of them got their redirect. */
  visits: number
  answered: number
  /** Of those with an answer: not in the database, or there more than once. */
  lost: number
  doubled: number
  /** Of those without an answer: written all the same, and more than once. */
  written: number
  writtenTwice: number
}

export interface Crowd {
  readonly answered: ReadonlySet<number>
  visits(): number
  /** Whether nobody clicks for a while. */
  rest(on: boolean): void
  end(): Promise<void>
  /** Compares, once it has ended, what was answered with what the database has. */
  tally(databaseUrl: string): Promise<CrowdTally>
}

/** People who click one link after the other, each time with a browser that nobody else has. */
export function openCrowd({ links, chance, visitors, after = 0, pause = () => 0 }: CrowdOptions): Crowd {
  const answered = new Set<number>()
  const agent = new Agent({ keepAlive: true })
  let visits = 0
  let ended = false
  let resting = false
  const stroll = async () => {
    while (!ended) {
      if (resting) {
        await sleep(50)
        continue
      }
      const number = after + ++visits
      const all = links()
      if (await visit(all[Math.floor(chance() * all.length)] as string, number, agent)) answered.add(number)
      else await sleep(5)
      if (pause() > 0) await sleep(pause())
    }
  }
  const strolling = Promise.all(Array.from({ length: visitors }, stroll))
  return {
    answered,
    visits: () => visits,
    rest(on) {
      resting = on
    },
    async end() {
      ended = true
      await strolling
      agent.destroy()
    },
    tally: async (databaseUrl) => judge(await written(databaseUrl, after), answered, visits),
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
async function written(databaseUrl: string, after: number): Promise<Map<number, number>> {
  const rows = await ownerQuery<{ number: number; times: number }>(
    databaseUrl,
    `select substring(user_agent from 'visit-(\\d+)$')::int as number, count(*)::int as times from (
       select c ->> 'userAgent' as user_agent from click_bundles, json_array_elements(clicks::json) c where c ->> 'class' = 'human'
       union all select user_agent from clicks where class = 'human') all_clicks
     where user_agent like '%visit-%' group by 1`,
  )
  return new Map(rows.filter(({ number }) => number > after).map(({ number, times }) => [number, times]))
}

function judge(times: Map<number, number>, answered: Set<number>, visits: number): CrowdTally {
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
