import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../change.ts'
import type { Db } from '../../database/database.ts'
import { conflict } from '../../errors.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import type { Answer } from '../answer/answer.ts'
import { oldestKey, placeOf, type Replayable } from './idempotency.ts'

/** How long a claim holds without a sign of life. Times are the database's, so clocks need not agree. */
const leaseSeconds = 10
export const renewEvery = 3_000

/** A key that this request works under. The token proves it: whoever takes the key over has another one. */
export interface KeyClaim {
  readonly accountId: string
  readonly userId: string
  readonly key: string
  readonly token: string
  /** The answer of a change that stands already; only what follows it is left to do. */
  readonly unfinished?: Answer
}

/** Thrown where another request has the key by now: nothing this one did may stand. */
export class LostClaim extends Error {
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
export async function claimKey(
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
export async function keepAnswer(
  { db, keyring }: KeyInstallation,
  claim: KeyClaim,
  { status, body }: Answer,
  isFinal: boolean,
) {
  const answer = keyring.encrypt(body, placeOf(claim))
  await underClaim(db, claim, sql`status = ${status}, answer = ${answer}${isFinal ? ended : sql``}`)
}

/** Shows that the work under the claim goes on. */
export const renewClaim = (db: Db, claim: KeyClaim) => underClaim(db, claim, sql`lease_until = ${leaseEnd}`)

/** Lets a request that failed be tried again at once; what stands already is kept. */
export async function releaseClaim(db: Db, claim: KeyClaim) {
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
