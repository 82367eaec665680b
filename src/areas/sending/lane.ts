import type { Db } from '#kernel/database/database.ts'
import type { Released, RunningPartition } from '#kernel/jobs/partitions.ts'
import type { Progress } from '#networks/connector/draft.ts'
import { type Attempt, attempt } from './attempt.ts'
import { holdLane, holdNetwork, type LaneClaim, readWakes, releaseProfile } from './lanes.ts'
import { search } from './search.ts'
import { LostSend, park, putBack, putOff } from './send-writes.ts'
import type { Sending, TakenSend } from './sending.ts'
import { isToBeServed, type Taken } from './take.ts'

/** A profile is let go after this long if others wait for their turn. */
const turn = 1_000

/** Sends for one profile whatever is due, one after the other, until nothing is left or its turn is over. */
export const runLane = (sending: Sending, claim: LaneClaim): RunningPartition => ({
  account: claim.account,
  done: run(sending, claim),
})

async function run(sending: Sending, claim: LaneClaim): Promise<Released | undefined> {
  const { installation, worker, stopping, isCrowded } = sending
  const db = installation.database.forAccount(claim.account)
  const until = performance.now() + turn
  let { wakes } = claim
  for (;;) {
    const isOver = stopping() || (performance.now() > until && isCrowded())
    if (!isOver && (await sendNext(sending, claim))) continue
    const released = await releaseProfile(db, worker, { ...claim, wakes })
    if (released) return released
    const read = await readWakes(db, worker, claim)
    if (read === undefined) return undefined
    wakes = read
  }
}

/** Whether there was something to do. */
async function sendNext(sending: Sending, claim: LaneClaim): Promise<boolean> {
  const taken = await sending.batches.take(claim)
  if (!taken) return false
  if (!isToBeServed(taken.send.state, taken.was)) return true
  sending.watch('taken', taken.send)
  try {
    await serve(sending, sending.installation.database.forAccount(claim.account), taken)
  } catch (error) {
    // Somebody has changed or deleted it meanwhile, or holds it now; what is next is read anew.
    if (!(error instanceof LostSend)) throw error
  }
  return true
}

const unknownKind = 'This version of the service does not know how to send it.'
const minute = 60_000

async function serve(sending: Sending, db: Db, { send, sendable, content, profile }: Taken) {
  if (!sendable) return putOff(db, send, new Date(sending.installation.clock.now().getTime() + minute), unknownKind)
  const taken = { send, sendable, content, profile }
  if (content === undefined)
    return record(sending, db, taken, {
      outcome: { kind: 'failed', error: 'What was to be sent is gone.' },
      progress: null,
    })
  if (send.state !== 'unknown') return record(sending, db, taken, await attempt(sending, db, taken))
  const { searches, ...outcome } = await search(sending, taken)
  return record(sending, db, { ...taken, send: { ...send, searches } }, { outcome, progress: null })
}

/** Writes down what came of an attempt or a search. */
async function record(
  sending: Sending,
  db: Db,
  { send, content, sendable }: TakenSend,
  { outcome, progress }: Attempt,
) {
  const now = sending.installation.clock.now()
  switch (outcome.kind) {
    case 'sent':
    case 'failed':
    case 'unconfirmed':
      if (!(await sending.batches.complete(sendable, { send, content, outcome })))
        throw new LostSend('Another process has taken the send over.')
      return sending.watch('completed', send)
    case 'again':
      if (outcome.wait?.scope === 'network') await holdNetwork(db, send.network, outcome.wait.until)
      if (outcome.wait?.scope === 'profile') await holdLane(db, send.accountId, send.credentialId, outcome.wait.until)
      return putBack(db, sendable, send, {
        due: outcome.due,
        now,
        progress: repeatable(progress),
        error: outcome.error,
      })
    case 'pending':
      return park(db, send, {
        state: outcome.progress.stage === 'committed' ? 'sending' : 'preparing',
        due: outcome.due,
        progress: outcome.progress,
      })
    case 'search':
      // What the network was given until then helps to find it: it stays as it was written down.
      return park(db, send, { state: 'unknown', due: outcome.due, error: outcome.error })
  }
}

/** What may be gone on from; a call that was refused is made again from before it. */
const repeatable = (progress: Progress | null) => (progress?.stage === 'committing' ? null : progress)
