import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figures, figuresOf } from './figures.ts'
import type { Place } from './place.ts'

const callsPerSecond = 20

/** How long calls go on, and how long anybody would wait before asking what is wrong. */
export interface Times {
  seconds: number
  patienceSeconds: number
  /** Whoever is told to come later (503) does so: on a machine that is busy with much else nobody is to blame for that. */
  forgiving?: true
}

export interface SteadyReport {
  calls: Figures
  /** The 99th percentile of each kind of call. */
  kinds: { [kind: string]: number }
  /** The 99th percentile of what the harness itself was late by. */
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

/** A call at every tick of the clock, whether or not those before it were answered; each is timed from when it was due. */
export async function steadyCalls(place: Place, { seconds, patienceSeconds, forgiving }: Times): Promise<SteadyReport> {
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
  const kinds = [...times].map(([kind, ofKind]) => [kind, figuresOf(ofKind).p99] as const)
  return {
    calls: figuresOf([...times.values()].flat()),
    kinds: Object.fromEntries(kinds),
    lag: figuresOf(lags).p99,
    failures,
  }
}

/** Goes on calling, one call after the other, without anybody counting. */
export function goOn(place: Place) {
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

/** Asks for everything many times at once, as both accounts: as after a day, every connection knows every statement. */
export async function warmUp(place: Place) {
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

/** A modest mix, in turn. */
function callOf({ url, good }: Place, number: number): Wanted {
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
