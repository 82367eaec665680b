import type { FigureName } from '#areas/figures/figure.ts'
import { type Attribute, type Dimension, dimensions, type Source, series } from './catalogue.ts'
import type { Bucket } from './period.ts'
import type { Filters } from './report-definition.ts'
import type { Conditions } from './visible-facts.ts'

/** What a report is counted from: a rollup, by the kind of its figures, or single clicks. */
export type Basis = { readonly kind: (typeof series)[number]['kind']; readonly parts: readonly Attribute[] } | 'clicks'

/** What is read to answer a report. */
export interface Question {
  basis: Basis
  names: readonly FigureName[]
  buckets: readonly Bucket[]
  conditions: Conditions
  /** Divides by what this attribute says. */
  by?: Attribute | undefined
  /** Gives the groups that values belong to, instead of the values: any number each, and the last group for all others. */
  groups?: readonly (readonly [id: string, group: string])[] | undefined
}

/**
 * The cheapest rollup that knows everything a report asks for; single clicks where none does and they can tell; nothing where nobody can.
 * What is kept from the caller is told by campaigns, or by boards where a rollup has those.
 */
export function basisOf(
  source: Source,
  dimension: Dimension | undefined,
  filters: Filters,
  hidden: { campaigns: readonly string[] },
): Basis | undefined {
  const asked = new Set<Attribute>(
    [...(dimension ? [dimension] : []), ...(Object.keys(filters) as Dimension[])].map((name) => dimensions[name]),
  )
  const knows = (attribute: Attribute) => source.attributes.includes(attribute)
  if (![...asked].every(knows)) return undefined
  const isWithin = (parts: readonly Attribute[]) => {
    const isOfBoards = parts.includes('board')
    const needsCampaign = hidden.campaigns.length > 0 && knows('campaign') && !isOfBoards
    const needed = needsCampaign ? new Set<Attribute>([...asked, 'campaign']) : asked
    return [...needed].every((attribute) => parts.includes(attribute)) && parts.every((part) => isKept(source, part))
  }
  const found = series.find(({ parts }) => isWithin(parts))
  return found ?? (source.raw ? 'clicks' : undefined)
}

/** A cell is kept of everything that has a network, whatever else is known of it. */
const isKept = (source: Source, part: Attribute) =>
  source.attributes.includes(part) || !['board', 'advocate', 'country'].includes(part)
