import type { LinksByUrl, WantedLinks } from '#areas/links/link/link-making.ts'
import { linksWithin } from '#areas/links/link/link-room.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Sendable } from '#areas/sending/sendable.ts'
import { openBatches } from '#kernel/jobs/batches.ts'
import { firstCommentSendable } from './post/send/first-comment.sendable.ts'
import { type MakeLinks, postSendable } from './post/send/post.sendable.ts'

/** What publishing has sent. Links of many sends are made together. */
export function publishingSendables(installation: ProfileInstallation): Sendable[] {
  const link = openBatches<WantedLinks, LinksByUrl>({
    size: 64,
    gathering: 10,
    run: (accountId, wanted) => linksWithin(installation, accountId, installation.clock.now(), wanted),
  })
  const makeLinks: MakeLinks = (accountId) => (wanted) => link(accountId, wanted)
  return [postSendable(installation, makeLinks), firstCommentSendable(installation, makeLinks)]
}
