import type { Db } from '#kernel/database/database.ts'
import type { Progress } from '#networks/connector/draft.ts'
import type { Attempt } from './attempt.ts'
import { holdLane, holdNetwork } from './lane-claim.ts'
import type { Publishing } from './publishing.ts'
import { LostSend, park, putBack } from './send-writes.ts'
import type { TakenSend } from './taken-send.ts'

/** Writes down what came of an attempt or a look. */
export async function record(publishing: Publishing, db: Db, send: TakenSend, { outcome, progress }: Attempt) {
  const now = publishing.world.clock.now()
  switch (outcome.kind) {
    case 'sent':
    case 'failed':
    case 'unconfirmed':
      if (!(await publishing.together.complete(send.accountId, { send, outcome })))
        throw new LostSend('Another process has taken the send over.')
      return publishing.watch('completed', send)
    case 'again':
      if (outcome.wait?.scope === 'network') await holdNetwork(db, send.network, outcome.wait.until)
      if (outcome.wait?.scope === 'profile') await holdLane(db, send.credentialId, outcome.wait.until)
      return putBack(db, send, { due: outcome.due, now, progress: repeatable(progress), error: outcome.error })
    case 'pending':
      return park(db, send, {
        state: outcome.progress.stage === 'committed' ? 'sending' : 'preparing',
        due: outcome.due,
        progress: outcome.progress,
      })
    case 'look':
      // What the network was given until then helps to find it: it stays as it was written down.
      return park(db, send, { state: 'unknown', due: outcome.due, error: outcome.error })
  }
}

/** What may be gone on from; a call that was refused is made again from before it. */
const repeatable = (progress: Progress | null) => (progress?.stage === 'committing' ? null : progress)
