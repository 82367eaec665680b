import { type ApiRequest, choice, controlError, listOf, numberOf, optionalChoice, textOf } from '../http/request.ts'
import { manifests } from '../manifests.ts'
import { endReasonOf, issueGrant, longLived } from './grants.ts'
import { graphId, secret, snowflake } from './ids.ts'
import { type Grant, type Network, networks, type Profile } from './rows.ts'
import type { SandboxState } from './state.ts'
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

/** Creates a profile, its account and its tokens. */
function addProfile(state: SandboxState, made: NewProfile) {
  const { network, id, kind, name, username, page, role } = made
  const account = made.account ?? (kind === 'page' ? snowflake() : id)
  if (!state.accounts.get(keyOf(network, account))) {
    state.accounts.put({ network, id: account, name, username, email: `${username}@sandbox.example` })
  }
  const { followers = 5000, tier = 'enterprise' } = made
  const createdAt = state.clock.now()
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
  state.profiles.put(profile)
  const grant = issueGrant(state, {
    network,
    account,
    profile: id,
    scopes: manifests[network].scopes,
    kind: network === 'Facebook' ? 'page' : 'user',
    ...(made.accessToken === undefined ? {} : { token: made.accessToken }),
    ...(made.refreshToken === undefined ? {} : { refreshToken: made.refreshToken }),
    ...(made.lifetimeMs === undefined ? {} : { lifetimeMs: made.lifetimeMs }),
  })
  // Short-lived Instagram tokens cannot be refreshed, so this is a long-lived one.
  if (network === 'Instagram') state.grants.change(grant, { longLived: true })
  return shape(profile, grant)
}

/** POST /__sandbox/profile; an existing id gets new values and a new token. */
export function createProfile(request: ApiRequest) {
  const network = choice(request, 'network', networks)
  const kind =
    optionalChoice(request, 'kind', ['page', 'member', 'channel', 'account'] as const) ?? manifests[network].defaultKind
  const name = textOf(request, 'name')
  if (!name) throw controlError('name is missing.')
  const seconds = numberOf(request, 'expiresInSeconds')
  const texts = ['account', 'tier', 'page', 'business', 'role', 'accessToken', 'refreshToken'] as const
  const access = optionalChoice(request, 'access', ['owned', 'client'] as const)
  const tasks = listOf(request, 'tasks').map(String)
  const given = texts.map((field) => [field, textOf(request, field)]).filter(([, value]) => value !== undefined)
  return addProfile(request.state, {
    ...Object.fromEntries(given),
    ...(access ? { access } : {}),
    ...(tasks.length ? { tasks } : {}),
    network,
    kind,
    name,
    id: textOf(request, 'id') ?? newId(network, kind),
    username: textOf(request, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ''),
    followers: numberOf(request, 'followers') ?? 5000,
    ...(seconds === undefined ? defaultLifetime(network) : { lifetimeMs: seconds * 1000 }),
  })
}

export function listProfiles({ state }: ApiRequest) {
  return state.profiles.all().map((profile) => {
    const grants = state.grants
      .all()
      .filter((grant) => grant.network === profile.network && grant.profile === profile.id)
    const grant = grants.find((row) => !endReasonOf(state, row)) ?? grants.at(-1)
    return { ...shape(profile, grant), tokenState: grant ? (endReasonOf(state, grant) ?? 'valid') : 'none' }
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

/** Page tokens from a long-lived token do not expire. */
function defaultLifetime(network: Network): { lifetimeMs?: number | null } {
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

/** Default profiles, listed in the README. A page precedes the profiles linked to it. */
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

/** Seeds an empty state and returns whether it was empty; restored state is left unchanged. */
export function seed(state: SandboxState): boolean {
  if (state.profiles.all().length) return false
  for (const made of seeds) {
    const name = `sandbox-${made.network.toLowerCase()}-${made.id}`
    addProfile(state, { ...made, accessToken: `${name}-access`, refreshToken: `${name}-refresh`, lifetimeMs: null })
  }
  state.accounts.put({
    network: 'Facebook',
    id: '100200300400900',
    name: 'Ada Marsh',
    username: 'ada',
    email: 'ada@sandbox.example',
  })
  return true
}
