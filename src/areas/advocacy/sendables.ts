import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { openLinkBatches } from '#areas/publishing/post/send/link-batches.ts'
import type { Sendable } from '#areas/sending/sendable.ts'
import { shareSendable } from './share/share.sendable.ts'

/** What advocates have sent. */
export const advocacySendables = (installation: ProfileInstallation): Sendable[] => [
  shareSendable(installation, openLinkBatches(installation)),
]
