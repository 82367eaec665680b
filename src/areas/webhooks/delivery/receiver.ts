import type { Installation } from '#kernel/installation.ts'
import { openSecret } from '../webhook/webhook-secret.ts'
import type { Lane } from './due.ts'
import type { LaneClaim } from './lane-claim.ts'

/** Who is called, and how it is proved that we call. */
export interface Receiver {
  webhookId: string
  url: string
  secrets: readonly [current: string, ...previous: string[]]
}

/** For a day after a change of the secret the one before proves it as well. */
export function receiverOf({ keyring, clock }: Installation, { account, webhook }: LaneClaim, lane: Lane): Receiver {
  const place = { accountId: account, id: webhook }
  const { secret, previousSecret, previousUntil, url } = lane
  const isValid = previousSecret && previousUntil && previousUntil > clock.now()
  const previous = isValid ? [openSecret(keyring, place, previousSecret)] : []
  return { webhookId: webhook, url, secrets: [openSecret(keyring, place, secret), ...previous] }
}
