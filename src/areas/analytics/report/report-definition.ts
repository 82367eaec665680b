import { invalid } from '#kernel/errors.ts'
import { type Dimension, dimensions, type Measure, type SourceName, sourceOf } from './catalogue.ts'
import type { Range, Unit } from './period.ts'

/** For each dimension the values of which one must hold; what is not named is not asked for. */
export type Filters = { readonly [dimension in Dimension]?: readonly string[] }

/** What a report asks for, as it is kept with a widget. */
export interface ReportDefinition {
  source: SourceName
  measures: readonly string[]
  /** Divides by time, in these units of the reader's clocks. */
  unit?: Unit | undefined
  /** Divides by something else, or by both. */
  dimension?: Dimension | undefined
  filters: Filters
  /** Shows the same for as many days before. */
  compare: boolean
  /** How many values of the dimension stand alone; the others are one. */
  top: number
}

/** When and of what a report is asked for. */
export interface AskedReport extends ReportDefinition {
  range: Range
}

export const mostMeasures = 8

/** Refuses what its source does not know. */
export function checkDefinition({ source, measures, dimension, filters }: ReportDefinition) {
  const { measures: known, attributes } = sourceOf(source)
  if (measures.length === 0) throw invalid('measures must name at least one measure.')
  const strange = measures.find((name) => !Object.hasOwn(known, name))
  if (strange !== undefined)
    throw invalid(
      `measures names "${strange.slice(0, 40)}"; the source ${source} has ${Object.keys(known).join(', ')}.`,
    )
  const asked = [...(dimension ? [dimension] : []), ...(Object.keys(filters) as Dimension[])]
  const absent = asked.find((name) => !attributes.includes(dimensions[name]))
  if (absent) throw invalid(`The source ${source} knows no ${absent}.`)
}

export const measureOf = (source: SourceName, name: string): Measure => sourceOf(source).measures[name] as Measure
