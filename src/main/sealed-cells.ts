import { placeOf as exportPlace } from '#areas/analytics/export/export-row.ts'
import { placeOf as integrationPlace } from '#areas/leads/integration/integration-row.ts'
import { placeOf as credentialPlace } from '#areas/profiles/access/profile-row.ts'
import { placeOf as offerPlace } from '#areas/profiles/connect/attempt.ts'
import { secretScope as webhookPlace } from '#areas/webhooks/webhook.ts'
import { placeOf as answerPlace } from '#kernel/http/operation/idempotency.ts'
import { type SealedCell, sealedCell } from '#kernel/secrets/reencrypt.ts'
import { demoKeyPlace } from './demo.ts'

/** Every column that a keyring seals, and for which place: what is not listed here does not survive the rotation of a key. */
export const sealedCells: readonly SealedCell[] = [
  sealedCell('installation', 'demoApiKey', ['singleton'], () => demoKeyPlace),
  sealedCell('idempotencyKeys', 'answer', ['accountId', 'userId', 'key'], answerPlace),
  sealedCell('credentials', 'secret', ['accountId', 'id'], credentialPlace),
  sealedCell('connectOffers', 'grants', ['accountId', 'id'], offerPlace),
  sealedCell('integrations', 'secret', ['accountId', 'id'], integrationPlace),
  sealedCell('exports', 'secret', ['accountId', 'id'], exportPlace),
  sealedCell('webhooks', 'secret', ['accountId', 'id'], webhookPlace),
  sealedCell('webhooks', 'previousSecret', ['accountId', 'id'], webhookPlace),
]
