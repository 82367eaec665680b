import { addProfile } from './profiles.ts'
import type { World } from './world.ts'

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
