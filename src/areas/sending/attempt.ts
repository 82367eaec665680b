import { withProfile } from '#areas/profiles/access/profile-access.ts'
import { profileOf } from '#areas/profiles/access/profile-row.ts'
import type { Db } from '#kernel/database/database.ts'
import { leaveOut, UnreadableRow } from '#kernel/unreadable.ts'
import type { Checkpoint, Progress } from '#networks/connector/draft.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { keepProgress, LostSend, reasonAgainst } from './send-writes.ts'
import type { Sending, TakenSend } from './sending.ts'

/** What came of an attempt, and how far it had come before the call that cannot be repeated. */
export interface Attempt {
  outcome: Outcome
  progress: Progress | null
}

/** Goes as far as the network lets it. Only a send that was lost throws. */
export async function attempt(
  sending: Sending,
  db: Db,
  { send, content, sendable, profile }: TakenSend,
): Promise<Attempt> {
  const { installation, rules, batches, watch, log } = sending
  const { clock } = installation
  const place = { accountId: send.accountId, id: send.credentialId }
  let progress = send.progress
  let intent: Date | undefined
  const save: Checkpoint = async (next) => {
    if (next.stage !== 'committing') {
      await keepProgress(db, send, next)
      progress = next
      return
    }
    if (!(await batches.intend(sendable, { send, progress: next }))) throw await reasonAgainst(db, sendable, send)
    intent = clock.now()
    watch('intended', send)
  }
  try {
    const step = await withProfile(
      installation,
      place,
      (connector, actor) => sendable.perform({ send, content, connector, actor }, save, progress ?? undefined),
      () => profileOf(installation, place, profile),
    )
    watch('answered', send)
    if (step.state === 'done') return { outcome: { kind: 'sent', receipt: step }, progress }
    const due = new Date(clock.now().getTime() + step.checkAfterMs)
    return { outcome: { kind: 'pending', due, progress: step.progress }, progress }
  } catch (error) {
    if (error instanceof LostSend) throw error
    if (error instanceof UnreadableRow) leaveOut(log, error, error)
    return { outcome: outcomeOf(error, { send, intent, rules, now: clock.now() }), progress }
  }
}
