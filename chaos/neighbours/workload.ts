import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'
import type { Setup } from './setup.ts'

const callsPerSecond = 20

/** Duration of the workload and timeout of requests. */
export interface Times {
  seconds: number
  patienceSeconds: number
  /** Retries after 503, for runs on a machine that is busy with other work. */
  forgiving?: true
}

export interface SteadyReport {
  calls: Latencies
  /** p99 of each kind of request. */
  kinds: { [kind: string]: number }
  /** p99 of the delay caused by the harness itself. */
  lag: number
  failures: string[]
}

interface Wanted {
  kind: string
  method: string
  url: string
  status: number
  body?: object
}

/** Sends requests at a fixed rate (open loop); latencies are measured from the scheduled time. */
export async function steadyCalls(place: Setup, { seconds, patienceSeconds, forgiving }: Times): Promise<SteadyReport> {
  const agent = new Agent({ keepAlive: true })
  const times = new Map<string, number[]>()
  const lags: number[] = []
  const failures: string[] = []
  const start = performance.now()
  const one = async (number: number) => {
    const due = start + (number * 1000) / callsPerSecond
    await sleep(due - performance.now())
    lags.push(performance.now() - due)
    const { users } = place.good
    const wanted = callOf(place, number)
    const ask = () => statusOf(agent, wanted, users[number % users.length] ?? '', patienceSeconds)
    let status = await ask()
    while (forgiving && status === 503 && performance.now() < due + patienceSeconds * 1000) {
      await sleep(1000)
      status = await ask()
    }
    if (status !== wanted.status) failures.push(`${wanted.kind}: ${status}`)
    const ofKind = times.get(wanted.kind) ?? []
    ofKind.push(performance.now() - due)
    times.set(wanted.kind, ofKind)
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
export function goOn(place: Setup) {
  const agent = new Agent({ keepAlive: true })
  let ended = false
  const calling = (async () => {
    for (let number = 0; !ended; number++) {
      await statusOf(agent, callOf(place, number), place.good.users[0] ?? '')
      await sleep(1000 / callsPerSecond)
    }
    agent.destroy()
  })()
  return {
    end() {
      ended = true
      return calling
    },
  }
}

/** Warms up every connection with every statement, as both accounts. */
export async function warmUp(place: Setup) {
  const agent = new Agent({ keepAlive: true })
  const others = { ...place, good: { ...place.good, campaignId: place.bad.campaignId } }
  for (let round = 0; round < warmUpRounds; round++) {
    await Promise.all([
      ...place.inside.users.map((user, index) => statusOf(agent, callOf(place, round + index), user)),
      ...place.bad.users.map((user, index) => statusOf(agent, callOf(others, round + index), user)),
    ])
  }
  agent.destroy()
}

const warmUpRounds = 24

const today = () => new Date().toISOString().slice(0, 10)

/** The request mix, in turn. */
function callOf({ url, good }: Setup, number: number): Wanted {
  const { campaignId, link } = good
  const calls: Wanted[] = [
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
  return calls[number % calls.length] as Wanted
}

function statusOf(
  agent: Agent,
  { method, url, body }: Wanted,
  authorization: string,
  patienceSeconds = 30,
): Promise<number | string> {
  const bytes = body && Buffer.from(JSON.stringify(body))
  const about = bytes && { 'content-type': 'application/json', 'content-length': bytes.length }
  return new Promise((resolve) => {
    const asking = request(url, { agent, method, headers: { authorization, ...about } }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 'cut'))
    })
    const patience = setTimeout(() => asking.destroy(new Error('no answer')), patienceSeconds * 1000)
    asking.once('close', () => clearTimeout(patience))
    asking.once('error', (error) => resolve(error.message))
    asking.end(bytes)
  })
}

/** Interval between tasks of each kind. */
const everyMs = 2_500
const lookEveryMs = 250

export interface TaskReport {
  /** Duration of successful tasks. */
  done: Latencies
  failures: string[]
}

/** Uploads an image and publishes a post repeatedly, and waits for each to complete. */
export async function backgroundTasks(place: Setup, pictureUrl: string, times: Times) {
  const { seconds } = times
  const [uploads, posts] = await Promise.all([
    repeated(seconds, (number) => upload(place, `${pictureUrl}?${number}`, times)),
    repeated(seconds, (number) => post(place, number, times)),
  ])
  return { uploads, posts }
}

async function repeated(seconds: number, errand: (number: number) => Promise<void>): Promise<TaskReport> {
  const times: number[] = []
  const failures: string[] = []
  const one = async (number: number) => {
    await sleep(number * everyMs)
    const begun = performance.now()
    try {
      await errand(number)
      times.push(performance.now() - begun)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  await Promise.all(Array.from({ length: Math.ceil((seconds * 1000) / everyMs) }, (_, number) => one(number)))
  return { done: latenciesOf(times), failures }
}

async function upload({ good: { caller } }: Setup, source: string, times: Times) {
  const body = { source, name: 'pixel.png', mimeType: 'image/png' }
  const { Upload } = await answered(caller, times, 'POST /upload', body)
  await through(times, async () => (await answered(caller, times, `GET /upload/${Upload.Id}`)).Upload.Status)
}

async function post({ good }: Setup, number: number, times: Times) {
  const { caller, campaignId, credentialId } = good
  const message = `Good news of today ${number} ${Date.now()}`
  const { Message } = await answered(caller, times, 'POST /message', { network: 'Twitter', campaignId, message })
  const { Post } = await answered(caller, times, 'POST /post', {
    messageId: Message.Id,
    credentialIds: credentialId,
  })
  await through(times, async () => (await answered(caller, times, `GET /post/${Post.Id}`)).Post.Status)
}

async function through({ patienceSeconds }: Times, status: () => Promise<string>) {
  const begun = performance.now()
  for (;;) {
    const found = await status()
    if (found === 'complete') return
    if (performance.now() - begun > patienceSeconds * 1000) throw new Error(`still ${found} after ${patienceSeconds} s`)
    await sleep(lookEveryMs)
  }
}

async function answered(caller: Caller, { patienceSeconds, forgiving }: Times, route: string, body?: object) {
  const latest = performance.now() + patienceSeconds * 1000
  for (;;) {
    const answer = await Promise.race([caller(route, body && { body }), noAnswer(patienceSeconds)])
    if (answer.status === 200) return answer.json
    if (forgiving && answer.status === 503 && performance.now() < latest) {
      await sleep(1000)
      continue
    }
    const [method, path = ''] = route.split(' ')
    // Without the id, so that equal failures are grouped.
    throw new Error(`${method} /${path.split('/')[1]}: ${answer.status} ${sentenceIn(answer.text)}`)
  }
}

const sentenceIn = (text: string) => /"Error":"([^"]*)"/.exec(text)?.[1] ?? ''

async function noAnswer(seconds: number): Promise<never> {
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
  const at = (part: number) => tenths(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}

const tenths = (value: number) => Math.round(value * 10) / 10
