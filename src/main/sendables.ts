import { advocacySendables } from '#areas/advocacy/sendables.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { publishingSendables } from '#areas/publishing/sendables.ts'
import type { Sendable } from '#areas/sending/sendable.ts'

/** Everything that takes effect at networks, once. */
export const sendablesOf = (installation: ProfileInstallation): Sendable[] => [
  ...publishingSendables(installation),
  ...advocacySendables(installation),
]
