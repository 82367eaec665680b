import { shareSendable } from '#areas/advocacy/share/share.sendable.ts'
import { replySendable } from '#areas/inbox/reply/reply.sendable.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { publishingSendables } from '#areas/publishing/post/post.sendable.ts'
import { createLinkMaker } from '#areas/publishing/post/post-content.ts'
import type { Sendable } from '#areas/sending/sendable.ts'

/** Everything that takes effect at networks, once. */
export const sendablesOf = (installation: ProfileInstallation): Sendable[] => [
  ...publishingSendables(installation),
  shareSendable(installation, createLinkMaker(installation)),
  replySendable(installation),
]
