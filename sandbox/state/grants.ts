import { apps, manifests } from '../manifests.ts'
import { day } from './clock.ts'
import { secret } from './ids.ts'
import type { Grant, GrantKind, Network } from './rows.ts'
import type { World } from './state.ts'
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
  /** Milliseconds; `null` for a token without an end. */
  lifetimeMs?: number | null
  refreshExpiresAt?: number
}

export function issueGrant(world: World, request: GrantRequest): Grant {
  const now = world.clock.now()
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
  return world.grants.put(grant)
}

/** Why a token opens nothing, if it does not. */
export function deathOf(world: World, grant: Grant): NonNullable<Grant['death']> | undefined {
  if (grant.death) return grant.death
  return grant.expiresAt !== undefined && grant.expiresAt <= world.clock.now() ? 'expired' : undefined
}

export function grantOf(world: World, network: Network, token: string | undefined): Grant | undefined {
  const grant = token === undefined ? undefined : world.grants.get(token)
  return grant?.network === network ? grant : undefined
}

/** The grant a refresh token renews, unless that token was used up, taken away or is too old. */
export function renewable(world: World, network: Network, refreshToken: string | undefined): Grant | undefined {
  if (refreshToken === undefined) return undefined
  const grant = world.grants.find((row) => row.network === network && row.refreshToken === refreshToken)
  if (!grant || grant.death === 'revoked' || grant.death === 'rotated') return undefined
  return (grant.refreshExpiresAt ?? 0) > world.clock.now() ? grant : undefined
}

/** Takes away every token of a profile, or makes them look too old. */
export function endGrants(world: World, network: Network, profile: string, death: 'expired' | 'revoked' | 'password') {
  const ended = grantsOfProfile(world, network, profile)
  for (const grant of ended) world.grants.change(grant, { death })
  return ended.length
}

/** The owner takes one permission back and leaves the others. */
export function narrowGrants(world: World, network: Network, profile: string, scope: string) {
  const narrowed = grantsOfProfile(world, network, profile).filter(({ scopes }) => scopes.includes(scope))
  for (const grant of narrowed)
    world.grants.change(grant, { scopes: grant.scopes.filter((granted) => granted !== scope) })
  return narrowed.length
}

function grantsOfProfile(world: World, network: Network, profile: string): Grant[] {
  const owner = world.profiles.get(keyOf(network, profile))?.account
  return world.grants
    .all()
    .filter((grant) => grant.network === network && !grant.death)
    .filter((grant) => (grant.profile === undefined ? grant.account === owner : grant.profile === profile))
}
