import { choice, optionalChoice, wrong } from '../control/choices.ts'
import type { Call } from '../http/call.ts'
import { listOf, numberOf, textOf } from '../http/fields.ts'
import { manifests } from '../manifests.ts'
import type { Grant } from './access-rows.ts'
import { deathOf, issueGrant, longLived } from './grants.ts'
import { graphId, secret, snowflake } from './ids.ts'
import { keyOf } from './items.ts'
import { type Network, networks, type Profile } from './rows.ts'
import type { World } from './world.ts'

interface NewProfile {
  network: Network
  id: string
  kind: Profile['kind']
  name: string
  username: string
  account?: string
  followers?: number
  tier?: string
  page?: string
  business?: string
  access?: 'owned' | 'client'
  tasks?: string[]
  role?: string
  accessToken?: string
  refreshToken?: string
  lifetimeMs?: number | null
}

/** Makes a profile, the account that owns it, and tokens that act for it. */
export function addProfile(world: World, made: NewProfile) {
  const { network, id, kind, name, username, page, role } = made
  const account = made.account ?? (kind === 'page' ? snowflake() : id)
  if (!world.accounts.get(keyOf(network, account))) {
    world.accounts.put({ network, id: account, name, username, email: `${username}@sandbox.example` })
  }
  const { followers = 5000, tier = 'enterprise' } = made
  const createdAt = world.clock.now()
  const { business, access = 'owned', tasks } = made
  const profile: Profile = {
    network,
    id,
    kind,
    name,
    username,
    account,
    followers,
    tier,
    createdAt,
    ...(page ? { page } : {}),
    ...(business ? { business, access } : {}),
    ...(tasks ? { tasks } : {}),
    ...(role ? { role } : {}),
  }
  world.profiles.put(profile)
  const grant = issueGrant(world, {
    network,
    account,
    profile: id,
    scopes: manifests[network].scopes,
    kind: network === 'Facebook' ? 'page' : 'user',
    ...(made.accessToken === undefined ? {} : { token: made.accessToken }),
    ...(made.refreshToken === undefined ? {} : { refreshToken: made.refreshToken }),
    ...(made.lifetimeMs === undefined ? {} : { lifetimeMs: made.lifetimeMs }),
  })
  // Instagram's short tokens cannot be renewed, so what is made here is a long one.
  if (network === 'Instagram') world.grants.change(grant, { longLived: true })
  return shape(profile, grant)
}

/** POST /__sandbox/profile; an id that exists gets new values and a new token. */
export function createProfile(call: Call) {
  const network = choice(call, 'network', networks)
  const kind =
    optionalChoice(call, 'kind', ['page', 'member', 'channel', 'account'] as const) ?? manifests[network].usualKind
  const name = textOf(call, 'name')
  if (!name) throw wrong('name is missing.')
  const seconds = numberOf(call, 'expiresInSeconds')
  const texts = ['account', 'tier', 'page', 'business', 'role', 'accessToken', 'refreshToken'] as const
  const access = optionalChoice(call, 'access', ['owned', 'client'] as const)
  const tasks = listOf(call, 'tasks').map(String)
  const given = texts.map((field) => [field, textOf(call, field)]).filter(([, value]) => value !== undefined)
  return addProfile(call.world, {
    ...Object.fromEntries(given),
    ...(access ? { access } : {}),
    ...(tasks.length ? { tasks } : {}),
    network,
    kind,
    name,
    id: textOf(call, 'id') ?? newId(network, kind),
    username: textOf(call, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ''),
    followers: numberOf(call, 'followers') ?? 5000,
    ...(seconds === undefined ? usualLifetime(network) : { lifetimeMs: seconds * 1000 }),
  })
}

export function listProfiles({ world }: Call) {
  return world.profiles.all().map((profile) => {
    const grants = world.grants
      .all()
      .filter((grant) => grant.network === profile.network && grant.profile === profile.id)
    const grant = grants.find((row) => !deathOf(world, row)) ?? grants.at(-1)
    return { ...shape(profile, grant), tokenState: grant ? (deathOf(world, grant) ?? 'valid') : 'none' }
  })
}

function shape(profile: Profile, grant: Grant | undefined) {
  return {
    ...profile,
    accessToken: grant?.token ?? null,
    refreshToken: grant?.refreshToken ?? null,
    expiresAt: grant?.expiresAt === undefined ? null : new Date(grant.expiresAt).toISOString(),
    scopes: grant?.scopes ?? [],
  }
}

/** A page's token, taken from a long one, has no end. */
function usualLifetime(network: Network): { lifetimeMs?: number | null } {
  if (network === 'Facebook') return { lifetimeMs: null }
  return network === 'Instagram' ? { lifetimeMs: longLived } : {}
}

function newId(network: Network, kind: Profile['kind']): string {
  if (network === 'YouTube') return secret('UC').slice(0, 24)
  if (network === 'LinkedIn' && kind === 'member') return secret('').slice(0, 10)
  return network === 'Facebook' || network === 'Instagram' || network === 'LinkedIn' ? graphId() : snowflake()
}
