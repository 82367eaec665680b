import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import { complete } from './completion.ts'
import type { LaneClaim } from './lanes.ts'
import { type Intent, writeIntents } from './send-writes.ts'
import type { Ended, Sendable } from './sendable.ts'
import { type SendablesByKind, type Take, type Taken, takeSends } from './take.ts'

/** What many sends do at the same time goes to the database together: one statement for many is far cheaper than one for each. */
export interface Batches {
  /** The profile's next send that is due. */
  take(claim: LaneClaim): Promise<Taken | undefined>
  /** Whether the call may be made. */
  intend(sendable: Sendable, intent: Intent): Promise<boolean>
  /** Whether it was written down: not when another process has the send. */
  complete(sendable: Sendable, ended: Ended): Promise<boolean>
}

export function openSendBatches(
  installation: ProfileInstallation,
  sendables: SendablesByKind,
  taking: () => Take,
): Batches {
  const { database, clock } = installation
  const take = createBatcher<LaneClaim, Taken | undefined>({
    maxSize: 64,
    maxDelay: 10,
    run: (accountId, claims) => takeSends(database.forAccount(accountId), sendables, accountId, claims, taking()),
  })
  const intend = createBatcher<{ sendable: Sendable } & Intent, boolean>({
    maxSize: 64,
    maxDelay: 10,
    run(_, intents) {
      const [{ sendable, send }] = intents as [(typeof intents)[number]]
      const db = database.forAccount(send.accountId)
      return writeIntents(db, sendable, send.accountId, intents, clock.now())
    },
  })
  const end = createBatcher<{ sendable: Sendable } & Ended, boolean>({
    maxSize: 64,
    maxDelay: 25,
    run(_, ends) {
      const [{ sendable, send }] = ends as [(typeof ends)[number]]
      return complete(installation, sendable, send.accountId, ends)
    },
  })
  // Of one account and one kind: what each kind holds is held in an order of its own.
  const together = (accountId: string, kind: string) => `${accountId} ${kind}`
  return {
    take: (claim) => take(claim.account, claim),
    intend: (sendable, intent) => intend(together(intent.send.accountId, sendable.kind), { sendable, ...intent }),
    complete: (sendable, ended) => end(together(ended.send.accountId, sendable.kind), { sendable, ...ended }),
  }
}
