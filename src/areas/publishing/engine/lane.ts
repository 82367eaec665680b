import type { RunningLane } from '#kernel/jobs/lane-keeper.ts'
import { attempt } from './attempt.ts'
import { type LaneClaim, readWakes, releaseLane } from './lane-claim.ts'
import { look } from './look.ts'
import type { Publishing } from './publishing.ts'
import { record } from './record.ts'
import { LostSend } from './send-writes.ts'
import type { TakenSend } from './taken-send.ts'

/** A profile is let go after this long if others wait for their turn. */
const turn = 1_000

/** Sends for one profile whatever is due, one after the other, until nothing is left or its turn is over. */
export const runLane = (publishing: Publishing, claim: LaneClaim): RunningLane => ({ done: run(publishing, claim) })

async function run(publishing: Publishing, claim: LaneClaim) {
  const { world, worker, stopping, isCrowded } = publishing
  const db = world.database.forAccount(claim.account)
  const until = performance.now() + turn
  let { wakes } = claim
  for (;;) {
    const isOver = stopping() || (performance.now() > until && isCrowded())
    if (!isOver && (await sendNext(publishing, claim))) continue
    if (await releaseLane(db, worker, { ...claim, wakes })) return
    const read = await readWakes(db, worker, claim)
    if (read === undefined) return
    wakes = read
  }
}

/** Whether there was something to do. */
async function sendNext(publishing: Publishing, claim: LaneClaim): Promise<boolean> {
  const { together, watch } = publishing
  const send = await together.take(claim.account, claim)
  if (!send) return false
  // Held for a person, or to be looked for when its time has come.
  if (send.state === 'late' || (send.state === 'unknown' && send.was === 'sending')) return true
  watch('taken', send)
  try {
    await serve(publishing, send)
  } catch (error) {
    // Somebody has changed or deleted the post meanwhile, or holds it now; what is next is read anew.
    if (!(error instanceof LostSend)) throw error
  }
  return true
}

async function serve(publishing: Publishing, send: TakenSend) {
  const db = publishing.world.database.forAccount(send.accountId)
  if (send.state === 'unknown') {
    const { looks, ...outcome } = await look(publishing, db, send)
    return record(publishing, db, { ...send, looks }, { outcome, progress: null })
  }
  return record(publishing, db, send, await attempt(publishing, db, send))
}
