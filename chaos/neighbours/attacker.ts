import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sources } from './sources.ts'

/** Below the rate limit of 24 requests per second over five seconds, so that a stall of the service does not cause a block. */
const callsPerSecond = 16
const timeoutMs = 60_000
/** Bytes of a response that are kept. */
const maxResponseBytes = 2 ** 16

export interface RequestOptions {
  query?: string
  /** Buffers are sent unchanged, other values as JSON. */
  body?: unknown
  type?: string
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  text: string
}

/** An attacker with some users of an account and its rate limits. */
export interface Attacker {
  readonly targets: Targets
  readonly sources: Sources
  readonly random: () => number
  /** A request of one of the users, as soon as the rate limit allows it. */
  call(route: string, requestOptions?: RequestOptions): Promise<Answer>
  /** A request without credentials. */
  visit(url: string, headers?: Record<string, string>): Promise<Answer>
  /** Repeats the work endlessly in parallel. */
  repeat(concurrency: number, work: (nextUser: number) => Promise<unknown>): Promise<void>
  count(answer: string): void
}

interface AttackerOptions extends Pick<Attacker, 'targets' | 'sources' | 'random' | 'count'> {
  /** Users that take part in the attack. */
  users: readonly string[]
}

export function openAttacker({ users, ...options }: AttackerOptions): Attacker {
  const { targets, count } = options
  const agent = new Agent({ keepAlive: true })
  const nextUser = openUserRotation(users, callsPerSecond)

  const send = async (method: string, url: string, { body, type, headers }: RequestOptions): Promise<Answer> => {
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
    async call(route, { query, ...requestOptions } = {}) {
      const [method = '', path = ''] = route.split(' ')
      const base = path.startsWith('/app/') ? targets.url : `${targets.url}/v2`
      const authorization = await nextUser()
      const headers = { authorization, ...requestOptions.headers }
      return send(method, `${base}${path}${query ? `?${query}` : ''}`, { ...requestOptions, headers })
    },
    visit: (url, headers = {}) => send('GET', url, { headers }),
    async repeat(concurrency, work) {
      let iteration = 0
      const worker = async () => {
        for (;;) await work(iteration++)
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
    },
  }
}

/** Returns the users in turn at an even rate; missed slots are skipped. */
function openUserRotation(users: readonly string[], perSecond: number): () => Promise<string> {
  const intervalMs = 1000 / (perSecond * users.length)
  let next = performance.now()
  let index = 0
  return async () => {
    const user = users[index++ % users.length] ?? ''
    next = Math.max(next + intervalMs, performance.now())
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
    const pending = request(url, { agent, method, headers, timeout: timeoutMs }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
    pending.once('timeout', () => pending.destroy(new Error('timeout')))
    pending.once('error', (error) => reject(error.message === 'timeout' ? error : new Error('cut')))
    pending.end(body)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < maxResponseBytes) chunks.push(chunk)
    bytes += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Targets of an attack; plain values, because they are sent to another process. */
export interface Targets {
  url: string
  /** Authorization headers of the users of one account. */
  users: readonly string[]
  campaignId: string
  /** A profile at X. */
  credentialId: string
  link: { id: string; url: string }
}

export const attackNames = ['hung', 'drips', 'bombs', 'bodies', 'tags', 'texts', 'webhooks', 'reads'] as const

/** In addition to attacks by an account: `anonymous` has no credentials, `large` is an account with much data that requests all of it. */
export type AttackName = (typeof attackNames)[number] | 'anonymous' | 'large'

/** Message from the harness to the attacking process. */
export interface AttackOrder {
  names: readonly AttackName[]
  targets: Targets
  seed: number
}

/** Per attack: the number of requests (`asked`) and of each response: a status, `timeout`, or `cut` for a closed connection. */
export type AnswerCounts = { [name in AttackName]?: { [answer: string]: number } }
