import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { Db } from '#kernel/database/database.ts'
import { leaveOut, UnreadableRow } from '#kernel/unreadable.ts'
import type { Checkpoint, Progress } from '#networks/connector/draft.ts'
import { deedOf } from './deed.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { Publishing } from './publishing.ts'
import { keepProgress, LostSend, reasonAgainst } from './send-writes.ts'
import type { TakenSend } from './taken-send.ts'

/** What came of an attempt, and how far it had come before the call that cannot be repeated. */
export interface Attempt {
  outcome: Outcome
  progress: Progress | null
}

/** Goes as far as the network lets it. Only a send that was lost throws. */
export async function attempt(publishing: Publishing, db: Db, send: TakenSend): Promise<Attempt> {
  const { world, rules, together, watch, log } = publishing
  const { clock } = world
  const place = { accountId: send.accountId, id: send.credentialId }
  let progress = send.progress
  let intent: Date | undefined
  const save: Checkpoint = async (next) => {
    if (next.stage !== 'committing') {
      await keepProgress(db, send, next)
      progress = next
      return
    }
    if (!(await together.intend(send.accountId, { send, progress: next }))) throw await reasonAgainst(db, send)
    intent = clock.now()
    watch('intended', send)
  }
  try {
    const deed = deedOf(publishing, send)
    const step = await withProfile(world, place, (connector, actor) =>
      deed.perform(connector, actor, save, progress ?? undefined),
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
