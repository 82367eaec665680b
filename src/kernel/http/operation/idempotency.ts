import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { type Actor, changeInTurn } from '../../change.ts'
import type { Context } from '../../context.ts'
import type { Database, Db } from '../../database/database.ts'
import { conflict, invalid, Refusal } from '../../errors.ts'
import type { Installation } from '../../installation.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { type Answer, refusalAnswer } from '../response/response.ts'

/** How long a key is kept: replays of a lost answer come within minutes, at the latest within a day. */
const keptFor = 24 * 60 * 60 * 1000

/** Keys made before this moment no longer count. */
const oldestKey = (now: Date) => new Date(now.getTime() - keptFor)

export interface Replayable {
  key: string
  digest: Buffer
}

/** The key of a request together with a digest of what it asks, or nothing when it carries none. */
export function replayable(
  key: string | string[] | undefined,
  operation: string,
  values: unknown,
): Replayable | undefined {
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('Idempotency-Key must be 1 to 255 printable characters without blanks.')
  }
  return { key, digest: hash('sha256', `${operation}\n${JSON.stringify(values)}`, 'buffer') }
}

/** What a kept answer is sealed for. */
export const placeOf = ({ accountId, userId, key }: { accountId: string; userId: string; key: string }) =>
  `idempotency/${accountId}/${userId}/${key}`

/** Deletes the keys of an account that no longer count. */
export async function forgetOldKeys({ db, accountId, now }: Context) {
  await db
    .deleteFrom('idempotencyKeys')
    .where('accountId', '=', accountId)
    .where('created', '<', oldestKey(now))
    .execute()
}

/** How long a claim holds without a sign of life. Times are the database's, so clocks need not agree. */
const leaseSeconds = 10
const renewEvery = 3_000

/** A key that this request works under. The token proves it: whoever takes the key over has another one. */
interface KeyClaim {
  readonly accountId: string
  readonly userId: string
  readonly key: string
  readonly token: string
  /** The answer of a change that stands already; only what follows it is left to do. */
  readonly unfinished?: Answer
}

/** Thrown where another request has the key by now: nothing this one did may stand. */
class LostClaim extends Error {
  override name = 'LostClaim'
}

interface KeyInstallation {
  db: Db
  keyring: Keyring
}

interface KeyRow {
  status: number | null
  answer: string | null
}

const lease = sql`make_interval(secs => ${sql.lit(leaseSeconds)})`
const leaseEnd = sql`statement_timestamp() + ${lease}`
// Told by the end of the new lease, since a cluster knows no moment where rows meet; without a zone, what is added to a moment is always the
// same. One that ends later than any can was given before the database's clock was set back.
const leaseIsOver = sql`(k.lease_until at time zone 'UTC' < excluded.lease_until at time zone 'UTC' - ${lease}
  or k.lease_until > excluded.lease_until)`

/** Claims a key in one statement: gives the claim, the earlier answer, or nothing while another request works under the key. */
async function claimKey(
  { db, keyring }: KeyInstallation,
  { accountId, userId, now }: Actor,
  { key, digest }: Replayable,
): Promise<{ claim: KeyClaim } | { answer: Answer } | undefined> {
  const token = randomUUID()
  const own = { accountId, userId, key }
  const open = ({ status, answer }: KeyRow): Answer | undefined =>
    status === null || answer === null ? undefined : { status, body: keyring.decrypt(answer, placeOf(own)) }
  const old = sql`k.created < ${oldestKey(now)}`
  const claimed = await sql<KeyRow>`
    insert into idempotency_keys as k (account_id, user_id, key, created, request_digest, claim, lease_until)
    values (${accountId}, ${userId}, ${key}, ${now}, ${digest}, ${token}, ${leaseEnd})
    on conflict (account_id, user_id, key) do update set
      created = excluded.created, request_digest = excluded.request_digest, claim = excluded.claim, lease_until = excluded.lease_until,
      status = case when ${old} then null else k.status end, answer = case when ${old} then null else k.answer end
    where ${old} or (${leaseIsOver} and (k.status is null or k.request_digest = excluded.request_digest))
    returning status, answer`.execute(db)
  if (claimed.rows[0]) {
    const unfinished = open(claimed.rows[0])
    return { claim: { ...own, token, ...(unfinished && { unfinished }) } }
  }
  const first = await sql<KeyRow & { same: boolean; final: boolean }>`
    select status, answer, request_digest = ${digest} as same, lease_until is null as final
    from idempotency_keys k where ${ofKey(own)}`.execute(db)
  const [row] = first.rows
  if (!row) return undefined
  if (!row.same)
    throw conflict('This Idempotency-Key was used for a different request. Use a new key for a new request.')
  const answer = row.final ? open(row) : undefined
  return answer && { answer }
}

/** Keeps the answer, encrypted because some show a secret. In the transaction of the effect, so that both stand or neither does. */
async function keepAnswer(
  { db, keyring }: KeyInstallation,
  claim: KeyClaim,
  { status, body }: Answer,
  isFinal: boolean,
) {
  const answer = keyring.encrypt(body, placeOf(claim))
  await underClaim(db, claim, sql`status = ${status}, answer = ${answer}${isFinal ? ended : sql``}`)
}

/** Shows that the work under the claim goes on. */
const renewClaim = (db: Db, claim: KeyClaim) => underClaim(db, claim, sql`lease_until = ${leaseEnd}`)

/** Lets a request that failed be tried again at once; what stands already is kept. */
async function releaseClaim(db: Db, claim: KeyClaim) {
  await sql`delete from idempotency_keys k where ${ofClaim(claim)} and status is null`.execute(db)
  await sql`update idempotency_keys k set lease_until = '-infinity' where ${ofClaim(claim)}`.execute(db)
}

const ended = sql`, claim = null, lease_until = null`

async function underClaim(db: Db, claim: KeyClaim, assignments: RawBuilder<unknown>) {
  const { numAffectedRows } = await sql`update idempotency_keys k set ${assignments} where ${ofClaim(claim)}`.execute(
    db,
  )
  if (numAffectedRows !== 1n) throw new LostClaim('Another request has the Idempotency-Key by now.')
}

type Own = Pick<KeyClaim, 'accountId' | 'userId' | 'key'>

const ofKey = ({ accountId, userId, key }: Own) =>
  sql`k.account_id = ${accountId} and k.user_id = ${userId} and k.key = ${key}`

const ofClaim = (claim: KeyClaim) => sql`${ofKey(claim)} and k.claim = ${claim.token}`

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
