import { createHash } from 'node:crypto'
import { followersOf } from '../behaviour/growth.ts'
import type { Profile } from '../state/rows.ts'
import type { World } from '../state/world.ts'
import { badField } from './refusals.ts'

/** LinkedIn's own page for trials is content with one reader. */
const trialPage = '2414183'
const facets = [
  'staffCountRanges',
  'industries',
  'jobFunctions',
  'seniorities',
  'geoLocations',
  'interfaceLocales',
  'degrees',
  'fieldsOfStudy',
  'organizations',
  'schools',
]

/** A post for some followers only: pages alone may, and not for too few. */
export function checkTargeting(world: World, author: Profile, targets: unknown[]) {
  if (!targets.length) return
  const path = '/distribution/targetEntities'
  if (author.kind === 'member') badField(path, 'INVALID_VALUE', 'Only organizations can target their posts')
  const needed = author.id === trialPage ? 1 : 300
  for (const target of targets) {
    const chosen = Object.entries((target ?? {}) as Record<string, unknown>)
    const unknown = chosen.find(([facet]) => !facets.includes(facet))
    if (unknown) badField(`${path}/${unknown[0]}`, 'UNKNOWN_FIELD', `Unknown facet ${unknown[0]}`, 400)
    if (audience(world, author, chosen) < needed) {
      badField(path, 'TARGET_AUDIENCE_TOO_SMALL', `The target audience must have at least ${needed} members`)
    }
  }
}

/** Values of one facet add up, facets cut each other down; the same question has the same answer every time. */
function audience(world: World, author: Profile, chosen: [string, unknown][]): number {
  const share = ([facet, values]: [string, unknown]) => {
    const parts = (Array.isArray(values) ? values : []).map((value) => shareOf(facet, JSON.stringify(value)))
    return Math.min(
      1,
      parts.reduce((left, right) => left + right, 0),
    )
  }
  return Math.floor(chosen.map(share).reduce((left, right) => left * right, followersOf(world, author)))
}

/** Between a fiftieth and a third of the followers. */
export function shareOf(facet: string, value: string): number {
  const digest = createHash('sha256').update(`${facet}:${value}`).digest()
  return 0.02 + (digest.readUInt16BE() / 65_536) * 0.3
}
