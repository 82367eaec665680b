import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, changeInTurn } from '../../change.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../database/database.ts'
import { Refusal } from '../../errors.ts'
import type { Installation } from '../../installation.ts'
import { type Answer, refusalAnswer } from '../answer/answer.ts'
import { placeOf, type Replayable } from './idempotency.ts'
import { claimKey, type KeyClaim, keepAnswer, LostClaim, releaseClaim, renewClaim, renewEvery } from './key-claim.ts'

/** What there is to do for one request, in this order. No connection is held before and after the change. */
export interface Stages {
  before(): Promise<unknown>
  change(context: Context, found: unknown): Promise<Answer>
  /** Absent where nothing follows. Gives another answer if it has changed meanwhile. */
  after?: (() => Promise<Answer | undefined>) | undefined
}

export interface Outcome extends Answer {
  /** The answer is an earlier one, given again for the same Idempotency-Key. */
  replayed?: true
}

interface Request {
  installation: Installation
  actor: Actor
  replay: Replayable
  stages: Stages
}

/** How long a request waits for an equal one that is under way. */
const patience = 25_000
const firstPause = 20
const longestPause = 500

/** Does a request once for its key, however often it comes, and gives everybody the first answer. Who waits holds no connection. */
export async function once(request: Request): Promise<Outcome> {
  const { installation, actor, replay } = request
  const flights = flightsOf(installation.database)
  const place = placeOf({ ...actor, key: replay.key })
  const until = performance.now() + patience
  for (let ahead = flights.get(place); ahead; ahead = flights.get(place)) {
    const answer = await within(until, ahead.landed)
    if (answer && ahead.digest.equals(replay.digest)) return { ...answer, replayed: true }
  }
  const flying = fly(request, until)
  flights.set(place, { digest: replay.digest, landed: flying.catch(() => undefined) })
  try {
    return await flying
  } finally {
    flights.delete(place)
  }
}

/** Requests with a key that this process is working on. */
interface Flight {
  digest: Buffer
  /** Nothing when it failed in a way that may end. */
  landed: Promise<Answer | undefined>
}

const allFlights = new WeakMap<Database, Map<string, Flight>>()

function flightsOf(database: Database): Map<string, Flight> {
  const flights = allFlights.get(database) ?? new Map()
  allFlights.set(database, flights)
  return flights
}

async function within<Result>(until: number, landed: Promise<Result>): Promise<Result> {
  const enough = new AbortController()
  const tooLong = sleep(Math.max(0, until - performance.now()), undefined, { signal: enough.signal }).then(() => {
    throw stillUnderWay()
  })
  try {
    return await Promise.race([landed, tooLong])
  } finally {
    tooLong.catch(() => {})
    enough.abort()
  }
}

const stillUnderWay = () =>
  new Refusal('conflict', 'A request with the same Idempotency-Key is still being worked on. Try again in a moment.', {
    retryAfter: 5,
  })

/** Claims the key and does the work, or waits for the process that does. */
async function fly(request: Request, until: number): Promise<Outcome> {
  const { installation, actor, replay } = request
  const db = installation.database.forAccount(actor.accountId)
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const found = await claimKey({ db, keyring: installation.keyring }, actor, replay)
    if (found && 'answer' in found) return { ...found.answer, replayed: true }
    const answer = found && (await work(request, found.claim))
    if (answer) return answer
    if (performance.now() >= until) throw stillUnderWay()
    await sleep(pause)
  }
}

/** Nothing when another request took the key over meanwhile. */
async function work(request: Request, claim: KeyClaim): Promise<Answer | undefined> {
  const db = request.installation.database.forAccount(claim.accountId)
  // Nobody waits for these: a claim that was not renewed or released ends by itself.
  const renewing = setInterval(() => renewClaim(db, claim).catch(() => {}), renewEvery)
  try {
    return await answerUnder(request, claim)
  } catch (error) {
    if (error instanceof LostClaim) return undefined
    const releasing = releaseClaim(db, claim).catch(() => {})
    if (error instanceof Refusal && error.kind !== 'unavailable') await releasing
    throw error
  } finally {
    clearInterval(renewing)
  }
}

async function answerUnder({ installation, actor, stages }: Request, claim: KeyClaim): Promise<Answer> {
  const { database, keyring } = installation
  const { after } = stages
  const standing = { db: database.forAccount(claim.accountId), keyring }
  const make = async () => {
    const found = await stages.before()
    return changeInTurn(installation, actor, async (context) => {
      const made = await stages.change(context, found)
      await keepAnswer(context, claim, made, !after)
      return made
    })
  }
  const keepRefusal = async (error: unknown) => {
    // It undid the transaction; it is the first answer and is kept like any other.
    if (!(error instanceof Refusal) || !lasting.has(error.kind)) throw error
    const refused = refusalAnswer(error)
    await keepAnswer(standing, claim, refused, true)
    return { ...refused, refused: true }
  }
  const made: Answer & { refused?: true } = claim.unfinished ?? (await make().catch(keepRefusal))
  if (!after || made.refused) return made
  const last = (await after()) ?? made
  await keepAnswer(standing, claim, last, true)
  return last
}

const lasting = new Set(['invalid', 'missing'])
