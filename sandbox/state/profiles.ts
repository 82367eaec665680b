import { type Call, choice, controlError, listOf, numberOf, optionalChoice, textOf } from '../http/request.ts'
import { manifests } from '../manifests.ts'
import { deathOf, issueGrant, longLived } from './grants.ts'
import { graphId, secret, snowflake } from './ids.ts'
import { type Grant, type Network, networks, type Profile } from './rows.ts'
import type { World } from './state.ts'
import { keyOf } from './storage.ts'

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
function addProfile(world: World, made: NewProfile) {
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
  if (!name) throw controlError('name is missing.')
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

type Seed = Parameters<typeof addProfile>[1]

const ada = { network: 'LinkedIn', account: 'aDaM4demo1' } as const

/** The profiles of every new sandbox; the README lists them. The page comes before what is linked to it. */
export const seeds: Seed[] = [
  {
    network: 'Facebook',
    id: '100200300400501',
    kind: 'page',
    name: 'Northwind Outdoor',
    username: 'northwindoutdoor',
    account: '100200300400900',
    followers: 12_400,
  },
  {
    network: 'Instagram',
    id: '17841400000000501',
    kind: 'account',
    name: 'Northwind Outdoor',
    username: 'northwind.outdoor',
    page: '100200300400501',
    followers: 8300,
  },
  { ...ada, id: 'aDaM4demo1', kind: 'member', name: 'Ada Marsh', username: 'ada-marsh', followers: 1240 },
  { ...ada, id: '2414183', kind: 'page', name: 'Northwind Outdoor', username: 'northwind-outdoor', followers: 23_900 },
  { ...ada, id: '2414184', kind: 'page', name: 'Northwind Careers', username: 'northwind-careers', followers: 3100 },
  {
    network: 'Twitter',
    id: '1500000000000000501',
    kind: 'account',
    name: 'Northwind Outdoor',
    username: 'northwindoutdoor',
    followers: 15_800,
  },
  {
    network: 'YouTube',
    id: 'UCsandboxNorthwindOut501',
    kind: 'channel',
    name: 'Northwind Outdoor',
    username: 'northwindoutdoor',
    followers: 4700,
  },
  {
    network: 'TikTok',
    id: '7100000000000000501',
    kind: 'account',
    name: 'Northwind Outdoor',
    username: 'northwindoutdoor',
    followers: 9900,
  },
]

/** Fills an empty world and tells whether it was one; what was restored from its journal stays as it is. */
export function seed(world: World): boolean {
  if (world.profiles.all().length) return false
  for (const made of seeds) {
    const name = `sandbox-${made.network.toLowerCase()}-${made.id}`
    addProfile(world, { ...made, accessToken: `${name}-access`, refreshToken: `${name}-refresh`, lifetimeMs: null })
  }
  world.accounts.put({
    network: 'Facebook',
    id: '100200300400900',
    name: 'Ada Marsh',
    username: 'ada',
    email: 'ada@sandbox.example',
  })
  return true
}
