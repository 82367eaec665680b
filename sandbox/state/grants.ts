import { apps, manifests } from '../manifests.ts'
import { day } from './clock.ts'
import { secret } from './ids.ts'
import type { Grant, GrantKind, Network } from './rows.ts'
import type { SandboxState } from './state.ts'
import { keyOf } from './storage.ts'

export const longLived = 60 * day

interface GrantRequest {
  network: Network
  account: string
  profile?: string
  scopes: string[]
  kind?: GrantKind
  withRefresh?: boolean
  token?: string
  refreshToken?: string
  /** Milliseconds; `null` for a token that does not expire. */
  lifetimeMs?: number | null
  refreshExpiresAt?: number
}

export function issueGrant(state: SandboxState, request: GrantRequest): Grant {
  const now = state.clock.now()
  const { network } = request
  const { access, refresh } = manifests[network].lifetimes
  const lifetime = request.lifetimeMs === undefined ? access : request.lifetimeMs
  const grant: Grant = {
    token: request.token ?? secret(`${network.toLowerCase()}-access-`),
    network,
    kind: request.kind ?? 'user',
    app: apps[network].id,
    account: request.account,
    scopes: request.scopes,
    issuedAt: now,
  }
  if (request.profile !== undefined) grant.profile = request.profile
  if (lifetime) grant.expiresAt = now + lifetime
  if (refresh && request.withRefresh !== false) {
    grant.refreshToken = request.refreshToken ?? secret(`${network.toLowerCase()}-refresh-`)
    grant.refreshExpiresAt = request.refreshExpiresAt ?? now + refresh
  }
  return state.grants.put(grant)
}

/** Why a token is invalid; undefined if it is valid. */
export function endReasonOf(state: SandboxState, grant: Grant): NonNullable<Grant['endReason']> | undefined {
  if (grant.endReason) return grant.endReason
  return grant.expiresAt !== undefined && grant.expiresAt <= state.clock.now() ? 'expired' : undefined
}

export function findGrant(state: SandboxState, network: Network, token: string | undefined): Grant | undefined {
  const grant = token === undefined ? undefined : state.grants.get(token)
  return grant?.network === network ? grant : undefined
}

/** The grant of a refresh token, unless it was rotated, revoked or has expired. */
export function findRenewableGrant(
  state: SandboxState,
  network: Network,
  refreshToken: string | undefined,
): Grant | undefined {
  if (refreshToken === undefined) return undefined
  const grant = state.grants.find((row) => row.network === network && row.refreshToken === refreshToken)
  if (!grant || grant.endReason === 'revoked' || grant.endReason === 'rotated') return undefined
  return (grant.refreshExpiresAt ?? 0) > state.clock.now() ? grant : undefined
}

/** Revokes or expires every token of a profile. */
export function endGrants(
  state: SandboxState,
  network: Network,
  profile: string,
  endReason: 'expired' | 'revoked' | 'password',
) {
  const ended = grantsOfProfile(state, network, profile)
  for (const grant of ended) state.grants.change(grant, { endReason })
  return ended.length
}

/** Removes one scope from the tokens of a profile. */
export function removeScope(state: SandboxState, network: Network, profile: string, scope: string) {
  const narrowed = grantsOfProfile(state, network, profile).filter(({ scopes }) => scopes.includes(scope))
  for (const grant of narrowed)
    state.grants.change(grant, { scopes: grant.scopes.filter((granted) => granted !== scope) })
  return narrowed.length
}

function grantsOfProfile(state: SandboxState, network: Network, profile: string): Grant[] {
  const owner = state.profiles.get(keyOf(network, profile))?.account
  return state.grants
    .all()
    .filter((grant) => grant.network === network && !grant.endReason)
    .filter((grant) => (grant.profile === undefined ? grant.account === owner : grant.profile === profile))
}
