import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Sendable } from '#areas/sending/sendable.ts'
import { firstCommentSendable } from './post/send/first-comment.sendable.ts'
import { openLinkBatches } from './post/send/link-batches.ts'
import { postSendable } from './post/send/post.sendable.ts'

/** What publishing has sent. */
export function publishingSendables(installation: ProfileInstallation): Sendable[] {
  const makeLinks = openLinkBatches(installation)
  return [postSendable(installation, makeLinks), firstCommentSendable(installation, makeLinks)]
}
