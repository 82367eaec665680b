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

/** Retention of a key: clients retry a lost response within minutes, at the latest within a day. */
const keptFor = 24 * 60 * 60 * 1000

/** Keys created before this time have expired. */
const oldestKey = (now: Date) => new Date(now.getTime() - keptFor)

export interface Replayable {
  key: string
  digest: Buffer
}

/** The idempotency key with a digest of the request, or undefined without a key. */
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

/** Encryption context of a stored response. */
export const storageKeyOf = ({ accountId, userId, key }: { accountId: string; userId: string; key: string }) =>
  `idempotency/${accountId}/${userId}/${key}`

/** Deletes the expired keys of an account. */
export async function forgetOldKeys({ db, accountId, now }: Context) {
  await db
    .deleteFrom('idempotencyKeys')
    .where('accountId', '=', accountId)
    .where('created', '<', oldestKey(now))
    .execute()
}

/** Lease of a claim without renewal. Times are the database's, so process clocks may differ. */
const leaseSeconds = 10
const renewEvery = 3_000

/** A key claimed by this request. The token is a fencing token: a request that takes the key over gets another one. */
interface KeyClaim {
  readonly accountId: string
  readonly userId: string
  readonly key: string
  readonly token: string
  /** The response of a change that is already committed; only its `after` stage remains. */
  readonly unfinished?: Answer
}

/** Thrown if another request has taken the key over: this one must not commit anything. */
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
// Derived from the end of the new lease, since a cluster doesn't accept now() where rows conflict; in UTC, interval arithmetic doesn't
// depend on a time zone. A lease that ends later than the new one was granted before the database clock was set back.
const leaseIsOver = sql`(k.lease_until at time zone 'UTC' < excluded.lease_until at time zone 'UTC' - ${lease}
  or k.lease_until > excluded.lease_until)`

/** Claims a key in one statement: returns the claim, the stored response, or undefined while another request holds the key. */
async function claimKey(
  { db, keyring }: KeyInstallation,
  { accountId, userId, now }: Actor,
  { key, digest }: Replayable,
): Promise<{ claim: KeyClaim } | { answer: Answer } | undefined> {
  const token = randomUUID()
  const own = { accountId, userId, key }
  const open = ({ status, answer }: KeyRow): Answer | undefined =>
    status === null || answer === null ? undefined : { status, body: keyring.decrypt(answer, storageKeyOf(own)) }
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

/**
 * Stores the response, encrypted because some contain a secret. It runs in the transaction of the change, so both are committed or neither
 * is.
 */
async function keepAnswer(
  { db, keyring }: KeyInstallation,
  claim: KeyClaim,
  { status, body }: Answer,
  isFinal: boolean,
) {
  const answer = keyring.encrypt(body, storageKeyOf(claim))
  await underClaim(db, claim, sql`status = ${status}, answer = ${answer}${isFinal ? ended : sql``}`)
}

/** Renews the lease of the claim. */
const renewClaim = (db: Db, claim: KeyClaim) => underClaim(db, claim, sql`lease_until = ${leaseEnd}`)

/** Lets a failed request be retried immediately; a committed change is kept. */
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

/** The stages of one request, in this order. No connection is held before and after the change. */
export interface Stages {
  before(): Promise<unknown>
  change(context: Context, found: unknown): Promise<Answer>
  /** Absent if nothing follows. Returns another response if it has changed meanwhile. */
  after?: (() => Promise<Answer | undefined>) | undefined
}

export interface Outcome extends Answer {
  /** The response is a stored one, replayed for the same Idempotency-Key. */
  replayed?: true
}

interface Request {
  installation: Installation
  actor: Actor
  replay: Replayable
  stages: Stages
}

/** How long a request waits for an identical one in progress. */
const patience = 25_000
const firstPause = 20
const longestPause = 500

/** Executes a request once per key and returns the first response to every retry. Waiting requests hold no connection. */
export async function once(request: Request): Promise<Outcome> {
  const { installation, actor, replay } = request
  const inFlight = inFlightOf(installation.database)
  const storageKey = storageKeyOf({ ...actor, key: replay.key })
  const until = performance.now() + patience
  for (let ahead = inFlight.get(storageKey); ahead; ahead = inFlight.get(storageKey)) {
    const answer = await within(until, ahead.outcome)
    if (answer && ahead.digest.equals(replay.digest)) return { ...answer, replayed: true }
  }
  const execution = execute(request, until)
  inFlight.set(storageKey, { digest: replay.digest, outcome: execution.catch(() => undefined) })
  try {
    return await execution
  } finally {
    inFlight.delete(storageKey)
  }
}

/** Requests with a key that this process is executing. */
interface InFlightRequest {
  digest: Buffer
  /** Undefined after a failure that may be transient. */
  outcome: Promise<Answer | undefined>
}

const allInFlight = new WeakMap<Database, Map<string, InFlightRequest>>()

function inFlightOf(database: Database): Map<string, InFlightRequest> {
  const inFlight = allInFlight.get(database) ?? new Map()
  allInFlight.set(database, inFlight)
  return inFlight
}

async function within<Result>(until: number, outcome: Promise<Result>): Promise<Result> {
  const enough = new AbortController()
  const tooLong = sleep(Math.max(0, until - performance.now()), undefined, { signal: enough.signal }).then(() => {
    throw stillInProgress()
  })
  try {
    return await Promise.race([outcome, tooLong])
  } finally {
    tooLong.catch(() => {})
    enough.abort()
  }
}

const stillInProgress = () =>
  new Refusal('conflict', 'A request with the same Idempotency-Key is still being worked on. Try again in a moment.', {
    retryAfter: 5,
  })

/** Claims the key and executes the request, or waits for the process that does. */
async function execute(request: Request, until: number): Promise<Outcome> {
  const { installation, actor, replay } = request
  const db = installation.database.forAccount(actor.accountId)
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const found = await claimKey({ db, keyring: installation.keyring }, actor, replay)
    if (found && 'answer' in found) return { ...found.answer, replayed: true }
    const answer = found && (await work(request, found.claim))
    if (answer) return answer
    if (performance.now() >= until) throw stillInProgress()
    await sleep(pause)
  }
}

/** Undefined if another request took the key over meanwhile. */
async function work(request: Request, claim: KeyClaim): Promise<Answer | undefined> {
  const db = request.installation.database.forAccount(claim.accountId)
  // Not awaited: a claim that was not renewed or released expires.
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
    // The refusal rolled the transaction back; it is the first response and is stored like any other.
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
