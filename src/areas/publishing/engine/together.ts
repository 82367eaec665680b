import type { LinksByUrl, WantedLinks } from '#areas/links/link/link-making.ts'
import { linksWithin } from '#areas/links/link/link-room.ts'
import type { ProfileWorld } from '#areas/profiles/access/profile-row.ts'
import { openBatches } from '#kernel/jobs/batches.ts'
import { complete, type Ended } from './completion.ts'
import type { LaneClaim } from './lane-claim.ts'
import { type Intent, writeIntents } from './send-writes.ts'
import { type Take, type TakenSend, takeSends } from './taken-send.ts'

/** What many sends do at the same time goes to the database together: one statement for many is far cheaper than one for each. */
export interface Together {
  /** The profile's next send that is due. */
  take(accountId: string, claim: LaneClaim): Promise<TakenSend | undefined>
  /** The links of what is about to be sent, made unless they are there. */
  link(accountId: string, wanted: WantedLinks): Promise<LinksByUrl>
  /** Whether the call may be made. */
  intend(accountId: string, intent: Intent): Promise<boolean>
  /** Whether it was written down: not when another process has the send. */
  complete(accountId: string, ended: Ended): Promise<boolean>
}

export function openTogether(world: ProfileWorld, taking: () => Take): Together {
  const { database, clock } = world
  return {
    take: openBatches<LaneClaim, TakenSend | undefined>({
      size: 64,
      gathering: 10,
      run: (accountId, claims) => takeSends(database.forAccount(accountId), accountId, claims, taking()),
    }),
    link: openBatches<WantedLinks, LinksByUrl>({
      size: 64,
      gathering: 10,
      run: (accountId, wanted) => linksWithin(world, accountId, clock.now(), wanted),
    }),
    intend: openBatches<Intent, boolean>({
      size: 64,
      gathering: 10,
      run: (accountId, intents) => writeIntents(database.forAccount(accountId), accountId, intents, clock.now()),
    }),
    complete: openBatches<Ended, boolean>({
      size: 64,
      gathering: 25,
      run: (accountId, ends) => complete(world, accountId, ends),
    }),
  }
}
