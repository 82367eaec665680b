import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sources } from './sources.ts'
import type { Targets } from './targets.ts'

/** Below the limit of 24 calls a second over five seconds, so that a stall of the service does not bring a block. */
const callsPerSecond = 16
const patienceMs = 60_000
/** Of an answer that anybody looks into. */
const readBytes = 2 ** 16

export interface Asked {
  query?: string
  /** Bytes are sent as they are, anything else as JSON. */
  body?: unknown
  type?: string
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  text: string
}

/** Somebody who means harm, with some users of an account and its limits. */
export interface Attacker {
  readonly targets: Targets
  readonly sources: Sources
  readonly chance: () => number
  /** A call of one of the users, as soon as the limits allow it. */
  call(route: string, asked?: Asked): Promise<Answer>
  /** Without credentials, at once. */
  visit(url: string, headers?: Record<string, string>): Promise<Answer>
  /** Does the work again and again, so many times at once. */
  endlessly(lanes: number, work: (turn: number) => Promise<unknown>): Promise<void>
  count(answer: string): void
}

interface AttackerOptions extends Pick<Attacker, 'targets' | 'sources' | 'chance' | 'count'> {
  /** Those of the account's users that take part. */
  users: readonly string[]
}

export function openAttacker({ users, ...options }: AttackerOptions): Attacker {
  const { targets, count } = options
  const agent = new Agent({ keepAlive: true })
  const turn = openPace(users, callsPerSecond)

  const ask = async (method: string, url: string, { body, type, headers }: Asked): Promise<Answer> => {
    const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const about = bytes && { 'content-type': type ?? 'application/json', 'content-length': String(bytes.length) }
    count('asked')
    try {
      const answer = await exchange(agent, method, url, { ...about, ...headers }, bytes)
      count(String(answer.status))
      return answer
    } catch (error) {
      count((error as Error).message)
      return { status: 0, text: '' }
    }
  }
  return {
    ...options,
    async call(route, { query, ...asked } = {}) {
      const [method = '', path = ''] = route.split(' ')
      const base = path.startsWith('/app/') ? targets.url : `${targets.url}/v2`
      const authorization = await turn()
      const headers = { authorization, ...asked.headers }
      return ask(method, `${base}${path}${query ? `?${query}` : ''}`, { ...asked, headers })
    },
    visit: (url, headers = {}) => ask('GET', url, { headers }),
    async endlessly(lanes, work) {
      let turns = 0
      const lane = async () => {
        for (;;) await work(turns++)
      }
      await Promise.all(Array.from({ length: lanes }, lane))
    },
  }
}

/** Gives the users in turn, each at an even pace; what was missed is not made up for. */
function openPace(users: readonly string[], perSecond: number): () => Promise<string> {
  const gap = 1000 / (perSecond * users.length)
  let next = performance.now()
  let index = 0
  return async () => {
    const user = users[index++ % users.length] ?? ''
    next = Math.max(next + gap, performance.now())
    await sleep(next - performance.now())
    return user
  }
}

function exchange(
  agent: Agent,
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers, timeout: patienceMs }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
    asking.once('timeout', () => asking.destroy(new Error('timeout')))
    asking.once('error', (error) => reject(error.message === 'timeout' ? error : new Error('cut')))
    asking.end(body)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < readBytes) chunks.push(chunk)
    bytes += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8')
}
