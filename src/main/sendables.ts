import type { ProfileWorld } from '#areas/profiles/access/profile-row.ts'
import { publishingSendables } from '#areas/publishing/sendables.ts'
import type { Sendable } from '#areas/sending/sendable.ts'

/** Everything that takes effect at networks, once. */
export const sendablesOf = (world: ProfileWorld): Sendable[] => [...publishingSendables(world)]
