import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Credentials } from '#kernel/database/tables.ts'
import { profileRules } from '#networks/connector/connector.ts'
import { standardOptions } from '#networks/connector/manifest.ts'
import type { Capabilities, Limits } from '#networks/content/limits.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { openSecret } from './profile-secret.ts'

/** The columns of a profile that decide what it may do. */
export const ruledColumns = ['id', 'network', 'kind', 'tier', 'secret'] as const
export type RuledProfile = Pick<Selectable<Credentials>, (typeof ruledColumns)[number]>

export interface Rules {
  network: Network
  limits: Limits
  capabilities: Capabilities
}

/** What a profile may do with the app of this installation and what its login was granted; where there is no app the send says so. */
export function rulesOf(context: Pick<Context, 'accountId' | 'appOptions' | 'keyring'>, profile: RuledProfile): Rules {
  const network = profile.network as Network
  const manifest = manifestOf(network)
  const options = context.appOptions(network) ?? standardOptions(manifest)
  const { kind, tier } = profile
  const facts = { kind, tier: tier ?? undefined, secret: { scopes: grantedTo(context, profile) } }
  return { network, ...profileRules(manifest, { options }, facts) }
}

/** None where nobody knows: then the network decides. */
function grantedTo(
  { accountId, keyring }: Pick<Context, 'accountId' | 'keyring'>,
  { id, secret }: RuledProfile,
): string[] {
  if (secret === null) return []
  try {
    return openSecret(keyring, { accountId, id }, secret).scopes
  } catch {
    return []
  }
}
