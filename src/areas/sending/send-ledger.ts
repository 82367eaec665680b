import { sql } from 'kysely'
import { type CredentialRow, credentialRows, type ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import type { Progress } from '#networks/connector/draft.ts'
import type { ProfileClaim } from './profile-partitions.ts'
import { type EndedSend, type Send, type Sendable, type SendKey, type SendState, sendKey } from './sendable.ts'

/**
 * The state transitions a worker makes in the `sends` table: waiting → preparing → sending → sent, failed, unconfirmed; sending → unknown
 * if the response was lost; waiting → late if it is too late to send without a user's decision. Every transition checks the fence of the
 * profile's claim.
 */

/** A due send, taken by the process that holds its profile. */
export interface TakenSend {
  send: Send
  /** The state before it was taken. */
  previous: SendState
  /** Undefined if this version does not know the kind. */
  sendable: Sendable | undefined
  /** Undefined if the content was deleted. */
  content: unknown
  /** Undefined if the profile was deleted. */
  profile: CredentialRow | undefined
}

type SendablesByKind = ReadonlyMap<string, Sendable>

interface TakeLimits {
  now: Date
  /** Sends planned before this and never attempted are held for a user's decision. */
  lateBefore: Date
  /** Sends planned before this are held even if they were attempted, unless the request may have been made. */
  holdBefore: Date
  /** Milliseconds from the request to the first confirmation. */
  firstConfirmation: number
}

interface Intent {
  send: Send
  progress: Progress
}

export type SendLedger = ReturnType<typeof openSendLedger>

/** The transitions that many profiles make at the same time; each call joins a batch of its account. */
export function openSendLedger(
  installation: ProfileInstallation,
  sendables: SendablesByKind,
  currentLimits: () => TakeLimits,
) {
  const { database, clock } = installation
  const take = createBatcher<ProfileClaim, TakenSend | undefined>({
    maxSize: 64,
    maxDelay: 10,
    run: (accountId, claims) =>
      takeSends(database.forAccount(accountId), sendables, accountId, claims, currentLimits()),
  })
  const recordIntent = createBatcher<{ sendable: Sendable } & Intent, boolean>({
    maxSize: 64,
    maxDelay: 10,
    run(_, intents) {
      const [{ sendable, send }] = intents as [(typeof intents)[number]]
      return writeIntents(database.forAccount(send.accountId), sendable, send.accountId, intents, clock.now())
    },
  })
  const complete = createBatcher<{ sendable: Sendable } & EndedSend, boolean>({
    maxSize: 64,
    maxDelay: 25,
    run(_, ends) {
      const [{ sendable, send }] = ends as [(typeof ends)[number]]
      return completeSends(installation, sendable, send.accountId, ends)
    },
  })
  // One kind per batch: each kind locks its contents in an order of its own.
  const batchKey = ({ accountId, kind }: Send) => `${accountId} ${kind}`
  return {
    /** Takes the next due send of a profile. */
    take: (claim: ProfileClaim) => take(claim.account, claim),
    /** Records that the request which cannot be repeated is about to be made. False if it must not be made. */
    recordIntent: (sendable: Sendable, intent: Intent) => recordIntent(batchKey(intent.send), { sendable, ...intent }),
    /** Records a final state and its consequences. False if another process has the send. */
    complete: (sendable: Sendable, ended: EndedSend) => complete(batchKey(ended.send), { sendable, ...ended }),
  }
}

/** Reads contents after taking their sends: from then on changes to them are refused or wait. */
async function takeSends(
  db: Db,
  sendables: SendablesByKind,
  account: string,
  claims: readonly ProfileClaim[],
  limits: TakeLimits,
): Promise<(TakenSend | undefined)[]> {
  const rows = await claimNext(db, account, claims, limits)
  const toPerform = rows.filter(needsService).map(({ send }) => send)
  const profileIds = toPerform.map(({ credentialId }) => credentialId)
  const [contents, profiles] = await Promise.all([
    readContents(db, sendables, account, toPerform),
    profileIds.length === 0 ? new Map<string, CredentialRow>() : credentialRows(db, account, profileIds),
  ])
  const byProfile = new Map(rows.map((row) => [row.send.credentialId, row]))
  return claims.map(({ credential }) => {
    const row = byProfile.get(credential)
    const found = { content: contents.get(credential), profile: profiles.get(credential) }
    return row && { ...row, ...found, sendable: sendables.get(row.send.kind) }
  })
}

/** False if taking it only held it for a user's decision, or scheduled its confirmation. */
export const needsService = ({ send, previous }: Pick<TakenSend, 'send' | 'previous'>) =>
  send.state !== 'late' && !(send.state === 'unknown' && previous === 'sending')

/** By profile: each has one send here. */
async function readContents(db: Db, sendables: SendablesByKind, account: string, sends: readonly Send[]) {
  const contents = new Map<string, unknown>()
  for (const [kind, sendable] of sendables) {
    const ofKind = sends.filter((send) => send.kind === kind)
    if (ofKind.length === 0) continue
    const read = await sendable.readContents(db, account, ofKind)
    for (const [index, { credentialId }] of ofKind.entries()) contents.set(credentialId, read[index])
  }
  return contents
}

/**
 * Takes the next due send of each profile. A send that waited too long becomes late; one whose process ended while the request was being
 * made is not repeated but confirmed. In one statement, so that the state cannot change between the decision and the write.
 */
async function claimNext(
  db: Db,
  account: string,
  claims: readonly ProfileClaim[],
  { now, lateBefore, holdBefore, firstConfirmation }: TakeLimits,
): Promise<{ send: Send; previous: SendState }[]> {
  const isLate = sql`(s.state = 'waiting' and s.attempts = 0 and s.planned < ${lateBefore}
    or s.state in ('waiting', 'preparing') and s.planned < ${holdBefore})`
  const isInterrupted = sql`s.state = 'sending' and s.progress ->> 'stage' = 'committing'`
  const { rows } = await sql<Send & { previous: SendState }>`
    with next as materialized (
      select claim.credential, claim.fence, first.content_id, first.kind, first.state, first.confirm_at
      from unnest(${claims.map(({ credential }) => credential)}::text[], ${claims.map(({ fence }) => fence)}::bigint[]) as claim (credential, fence)
      cross join lateral (
        select content_id, kind, state, greatest(${now}::timestamptz, intent + ${firstConfirmation} * interval '1 millisecond') as confirm_at from sends
        where account_id = ${account} and credential_id = claim.credential and due <= ${now}
        order by due, content_id, kind limit 1 ${lockRows('sends', 'update')}) first)
    update sends s set fence = next.fence,
      attempts = s.attempts + case when s.state = 'waiting' and not ${isLate} then 1 else 0 end,
      due = case when ${isLate} then null when ${isInterrupted} then next.confirm_at else s.due end,
      state = case when ${isLate} then 'late' when s.state = 'waiting' then 'preparing' when ${isInterrupted} then 'unknown' else s.state end
    from next where s.account_id = ${account} and s.credential_id = next.credential and s.content_id = next.content_id and s.kind = next.kind
    returning s.account_id, s.content_id, s.credential_id, s.kind, s.group_id, s.network, s.state, s.planned, s.attempts, s.confirmations,
      s.intent, s.progress, s.fence, next.state as previous`.execute(db)
  return rows.map(({ previous, ...send }) => ({ send, previous }))
}

/** Thrown when a send was changed, deleted or taken by another process: this process must not touch it any more. */
export class LostSend extends Error {
  override name = 'LostSend'
}

/** Thrown when a send must not be made now: it is held, or its content is being changed. */
export class HeldSend extends Error {
  override name = 'HeldSend'
}

const isOwn = ({ accountId, contentId, credentialId, kind, fence }: Send) => sql`
  s.account_id = ${accountId} and s.content_id = ${contentId} and s.credential_id = ${credentialId} and s.kind = ${kind} and s.fence = ${fence}`

/** A send that was rescheduled in the meantime is not overwritten. */
const isStarted = sql`s.state in ('preparing', 'sending', 'unknown')`

/**
 * Writes the intents of sends whose content still allows it, and returns which were written. From here on a transaction that
 * would stop the send waits for it.
 */
async function writeIntents(
  db: Db,
  sendable: Sendable,
  accountId: string,
  intents: readonly Intent[],
  now: Date,
): Promise<boolean[]> {
  const column = <Value>(read: (intent: Intent) => Value) => intents.map(read)
  const contents = column(({ send }) => send.contentId)
  const { rows } = await sql<SendKey>`
    with allowed as materialized (${sendable.allowedContents(accountId, contents)})
    update sends s set state = 'sending', intent = ${now}, progress = i.progress
    from unnest(${contents}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.fence)}::bigint[], ${column(({ progress }) => JSON.stringify(progress))}::jsonb[])
      as i (content_id, credential_id, fence, progress), allowed a
    where s.account_id = ${accountId} and s.content_id = i.content_id and s.credential_id = i.credential_id and s.kind = ${sendable.kind}
      and s.fence = i.fence and s.state in ('preparing', 'sending') and a.content_id = s.content_id and not a.is_held
    returning s.content_id, s.credential_id, s.kind`.execute(db)
  const written = new Set(rows.map(sendKey))
  return intents.map(({ send }) => written.has(sendKey(send)))
}

/** The reason why an intent was not written. */
export async function explainRefusal(db: Db, sendable: Sendable, send: Send): Promise<Error> {
  const { rows } = await sql`
    select from sends s where ${isOwn(send)} and s.state in ('preparing', 'sending')`.execute(db)
  if (rows.length === 0) return new LostSend(`The ${sendable.noun} was changed or taken over meanwhile.`)
  const refusal = await sendable.refusalReason(db, send)
  if (refusal !== undefined) return conflict(refusal)
  return new HeldSend(`The ${sendable.noun} is held, or being changed.`)
}

/** Saves a checkpoint of the preparation, such as an uploaded file. */
export async function saveProgress(db: Db, send: Send, progress: Progress) {
  const { numAffectedRows } = await sql`
    update sends s set progress = ${JSON.stringify(progress)} where ${isOwn(send)} and s.state in ('preparing', 'sending')`.execute(
    db,
  )
  if (numAffectedRows === 0n) throw new LostSend('It was changed or taken over meanwhile.')
}

interface Suspension {
  state: 'preparing' | 'sending' | 'unknown'
  due: Date
  /** Unchanged unless given. */
  progress?: Progress
  error?: string
}

/** Returns to a send later: while the network processes it, or to confirm it. */
export async function suspendSend(db: Db, send: Send, { state, due, progress, error = '' }: Suspension) {
  await sql`
    update sends s set state = ${state}, due = ${due}, confirmations = ${send.confirmations}, error = ${error},
      progress = coalesce(${progress ? JSON.stringify(progress) : null}::jsonb, s.progress) where ${isOwn(send)} and ${isStarted}`.execute(
    db,
  )
}

interface Retry {
  due: Date
  now: Date
  progress: Progress | null
  error: string
}

/** Schedules another attempt of a send that did not take effect; one that is held becomes due when its group resumes. */
export async function retrySend(db: Db, sendable: Sendable, send: Send, { due, now, progress, error }: Retry) {
  const soon = new Date(now.getTime() + 1_000)
  await sql`
    with allowed as materialized (${sendable.allowedContents(send.accountId, [send.contentId])})
    update sends s set state = 'waiting', intent = null, confirmations = 0, error = ${error}, progress = ${progress && JSON.stringify(progress)},
      due = case when (select is_held from allowed) then null when not (select is_held from allowed) then ${due}::timestamptz
        else greatest(${soon}::timestamptz, ${due}::timestamptz) end
    where ${isOwn(send)} and ${isStarted}`.execute(db)
}

/** Leaves a send of a kind that this version does not know for a newer one. */
export async function postponeSend(db: Db, send: Send, due: Date, error: string) {
  await sql`update sends s set due = ${due}, error = ${error} where ${isOwn(send)} and ${isStarted}`.execute(db)
}

/** Ends sends of one account and kind together with all consequences, in one transaction. Returns those that this process still held. */
const completeSends = (
  installation: ProfileInstallation,
  sendable: Sendable,
  accountId: string,
  ends: readonly EndedSend[],
) =>
  change(installation, systemActor(accountId, installation.clock.now()), async (context) => {
    const withContent = ends.filter(({ content }) => content !== undefined)
    const locked = await sendable.lockContents(context, withContent)
    const written = await writeEnds(context, ends)
    await locked.applyOutcomes(withContent.filter(({ send }) => written.has(sendKey(send))))
    return ends.map(({ send }) => written.has(sendKey(send)))
  })

async function writeEnds({ db, accountId }: Context, ends: readonly EndedSend[]): Promise<Set<string>> {
  const column = <Value>(read: (end: EndedSend) => Value) => ends.map(read)
  const { rows } = await sql<SendKey>`
    update sends s set state = e.state, due = null, progress = null, error = e.error, remote_id = e.remote_id
    from unnest(${column(({ send }) => send.contentId)}::text[], ${column(({ send }) => send.credentialId)}::text[],
      ${column(({ send }) => send.kind)}::text[], ${column(({ send }) => send.fence)}::bigint[],
      ${column(({ outcome }) => outcome.kind)}::text[], ${column(({ outcome }) => (outcome.kind === 'sent' ? '' : outcome.error))}::text[],
      ${column(({ outcome }) => (outcome.kind === 'sent' ? outcome.receipt.remoteId : ''))}::text[])
      as e (content_id, credential_id, kind, fence, state, error, remote_id)
    where s.account_id = ${accountId} and s.content_id = e.content_id and s.credential_id = e.credential_id and s.kind = e.kind
      and s.fence = e.fence and s.state in ('preparing', 'sending', 'unknown')
    returning s.content_id, s.credential_id, s.kind`.execute(db)
  return new Set(rows.map(sendKey))
}
