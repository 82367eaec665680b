import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'
import type { Setup } from './setup.ts'

const callsPerSecond = 20

/** Duration of the workload and timeout of requests. */
export interface Times {
  seconds: number
  timeoutSeconds: number
  /** Retries after 503, for runs on a machine that is busy with other work. */
  retryUnavailable?: true
}

export interface SteadyReport {
  calls: Latencies
  /** p99 of each kind of request. */
  kinds: { [kind: string]: number }
  /** p99 of the delay caused by the harness itself. */
  lag: number
  failures: string[]
}

interface PlannedRequest {
  kind: string
  method: string
  url: string
  status: number
  body?: object
}

/** Sends requests at a fixed rate (open loop); latencies are measured from the scheduled time. */
export async function steadyCalls(
  setup: Setup,
  { seconds, timeoutSeconds, retryUnavailable }: Times,
): Promise<SteadyReport> {
  const agent = new Agent({ keepAlive: true })
  const times = new Map<string, number[]>()
  const lags: number[] = []
  const failures: string[] = []
  const start = performance.now()
  const one = async (number: number) => {
    const due = start + (number * 1000) / callsPerSecond
    await sleep(due - performance.now())
    lags.push(performance.now() - due)
    const { users } = setup.good
    const planned = callOf(setup, number)
    const send = () => statusOf(agent, planned, users[number % users.length] ?? '', timeoutSeconds)
    let status = await send()
    while (retryUnavailable && status === 503 && performance.now() < due + timeoutSeconds * 1000) {
      await sleep(1000)
      status = await send()
    }
    if (status !== planned.status) failures.push(`${planned.kind}: ${status}`)
    const ofKind = times.get(planned.kind) ?? []
    ofKind.push(performance.now() - due)
    times.set(planned.kind, ofKind)
  }
  await Promise.all(Array.from({ length: seconds * callsPerSecond }, (_, number) => one(number)))
  agent.destroy()
  const kinds = [...times].map(([kind, ofKind]) => [kind, latenciesOf(ofKind).p99] as const)
  return {
    calls: latenciesOf([...times.values()].flat()),
    kinds: Object.fromEntries(kinds),
    lag: latenciesOf(lags).p99,
    failures,
  }
}

/** Sends requests one after another without measuring. */
export function startUnmeasuredCalls(setup: Setup) {
  const agent = new Agent({ keepAlive: true })
  let ended = false
  const loop = (async () => {
    for (let number = 0; !ended; number++) {
      await statusOf(agent, callOf(setup, number), setup.good.users[0] ?? '')
      await sleep(1000 / callsPerSecond)
    }
    agent.destroy()
  })()
  return {
    end() {
      ended = true
      return loop
    },
  }
}

/** Warms up every connection with every statement, as both accounts. */
export async function warmUp(setup: Setup) {
  const agent = new Agent({ keepAlive: true })
  const others = { ...setup, good: { ...setup.good, campaignId: setup.bad.campaignId } }
  for (let round = 0; round < warmUpRounds; round++) {
    await Promise.all([
      ...setup.inside.users.map((user, index) => statusOf(agent, callOf(setup, round + index), user)),
      ...setup.bad.users.map((user, index) => statusOf(agent, callOf(others, round + index), user)),
    ])
  }
  agent.destroy()
}

const warmUpRounds = 24

const today = () => new Date().toISOString().slice(0, 10)

/** The request mix, in turn. */
function callOf({ url, good: regular }: Setup, number: number): PlannedRequest {
  const { campaignId, link } = regular
  const calls: PlannedRequest[] = [
    { kind: 'GET /me', method: 'GET', url: `${url}/v2/me`, status: 200 },
    { kind: 'GET /campaign', method: 'GET', url: `${url}/v2/campaign?_count=15`, status: 200 },
    {
      kind: 'POST /message',
      method: 'POST',
      url: `${url}/v2/message`,
      status: 200,
      body: { network: 'LinkedIn', campaignId, message: `Good news ${number}` },
    },
    {
      kind: 'POST /calendar',
      method: 'POST',
      url: `${url}/v2/calendar`,
      status: 200,
      body: { fromDate: today(), toDate: today() },
    },
    { kind: 'GET /media', method: 'GET', url: `${url}/v2/media?_count=25`, status: 200 },
    { kind: 'short link', method: 'GET', url: link, status: 302 },
  ]
  return calls[number % calls.length] as PlannedRequest
}

function statusOf(
  agent: Agent,
  { method, url, body }: PlannedRequest,
  authorization: string,
  timeoutSeconds = 30,
): Promise<number | string> {
  const bytes = body && Buffer.from(JSON.stringify(body))
  const about = bytes && { 'content-type': 'application/json', 'content-length': bytes.length }
  return new Promise((resolve) => {
    const pending = request(url, { agent, method, headers: { authorization, ...about } }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 'cut'))
    })
    const timeout = setTimeout(() => pending.destroy(new Error('no answer')), timeoutSeconds * 1000)
    pending.once('close', () => clearTimeout(timeout))
    pending.once('error', (error) => resolve(error.message))
    pending.end(bytes)
  })
}

/** Interval between tasks of each kind. */
const everyMs = 2_500
const pollMs = 250

export interface TaskReport {
  /** Duration of successful tasks. */
  done: Latencies
  failures: string[]
}

/** Uploads an image and publishes a post repeatedly, and waits for each to complete. */
export async function backgroundTasks(setup: Setup, pictureUrl: string, times: Times) {
  const { seconds } = times
  const [uploads, posts] = await Promise.all([
    repeated(seconds, (number) => upload(setup, `${pictureUrl}?${number}`, times)),
    repeated(seconds, (number) => post(setup, number, times)),
  ])
  return { uploads, posts }
}

async function repeated(seconds: number, task: (number: number) => Promise<void>): Promise<TaskReport> {
  const times: number[] = []
  const failures: string[] = []
  const one = async (number: number) => {
    await sleep(number * everyMs)
    const started = performance.now()
    try {
      await task(number)
      times.push(performance.now() - started)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  await Promise.all(Array.from({ length: Math.ceil((seconds * 1000) / everyMs) }, (_, number) => one(number)))
  return { done: latenciesOf(times), failures }
}

async function upload({ good: { caller } }: Setup, source: string, times: Times) {
  const body = { source, name: 'pixel.png', mimeType: 'image/png' }
  const { Upload } = await requestJson(caller, times, 'POST /upload', body)
  await waitUntilComplete(
    times,
    async () => (await requestJson(caller, times, `GET /upload/${Upload.Id}`)).Upload.Status,
  )
}

async function post({ good: regular }: Setup, number: number, times: Times) {
  const { caller, campaignId, credentialId } = regular
  const message = `Good news of today ${number} ${Date.now()}`
  const { Message } = await requestJson(caller, times, 'POST /message', { network: 'Twitter', campaignId, message })
  const { Post } = await requestJson(caller, times, 'POST /post', {
    messageId: Message.Id,
    credentialIds: credentialId,
  })
  await waitUntilComplete(times, async () => (await requestJson(caller, times, `GET /post/${Post.Id}`)).Post.Status)
}

async function waitUntilComplete({ timeoutSeconds }: Times, status: () => Promise<string>) {
  const started = performance.now()
  for (;;) {
    const found = await status()
    if (found === 'complete') return
    if (performance.now() - started > timeoutSeconds * 1000) throw new Error(`still ${found} after ${timeoutSeconds} s`)
    await sleep(pollMs)
  }
}

async function requestJson(caller: Caller, { timeoutSeconds, retryUnavailable }: Times, route: string, body?: object) {
  const latest = performance.now() + timeoutSeconds * 1000
  for (;;) {
    const answer = await Promise.race([caller(route, body && { body }), rejectAfter(timeoutSeconds)])
    if (answer.status === 200) return answer.json
    if (retryUnavailable && answer.status === 503 && performance.now() < latest) {
      await sleep(1000)
      continue
    }
    const [method, path = ''] = route.split(' ')
    // Without the id, so that equal failures are grouped.
    throw new Error(`${method} /${path.split('/')[1]}: ${answer.status} ${sentenceIn(answer.text)}`)
  }
}

const sentenceIn = (text: string) => /"Error":"([^"]*)"/.exec(text)?.[1] ?? ''

async function rejectAfter(seconds: number): Promise<never> {
  await sleep(seconds * 1000, undefined, { ref: false })
  throw new Error('no answer')
}

/** Times in milliseconds. */
export interface Latencies {
  count: number
  p50: number
  p99: number
  slowest: number
}

function latenciesOf(times: readonly number[]): Latencies {
  const sorted = [...times].sort((one, other) => one - other)
  const at = (part: number) => roundToTenths(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}

const roundToTenths = (value: number) => Math.round(value * 10) / 10
