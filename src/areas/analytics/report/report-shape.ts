import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import type { ReferenceKind } from '#kernel/ids.ts'
import type { JsonSchema } from '#kernel/wire/fields.ts'
import { choice, type Field, json, longList, shape, text } from '#kernel/wire/fields.ts'
import { listSchema, param, readLines, refersTo, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { filters } from '#kernel/wire/structured-params.ts'
import { networkNames, networkSpellings } from '#networks/manifests.ts'
import { dayOf, dayText, type Range, rangeNames, units } from './period.ts'
import type { ReportRow } from './report.ts'
import { dimensionNames, mostMeasures, sourceNames } from './report-definition.ts'

const mostValues = 500

/** Values in any array encoding, or a single one. Impossible ids match nothing. */
const values = (more: JsonSchema = {}) =>
  param<string[], readonly string[] | string>(
    { ...listSchema({ type: 'string' }, { max: mostValues }), ...more },
    (raw) => readLines(raw, mostValues).map((value) => (isValidText(value) ? value : 'nothing')),
  )

const isValidText = (value: string) => !value.includes('\0') && value.isWellFormed()

const idsOf = (kind: ReferenceKind) => values(refersTo(kind))

const networks = new Map<string, string>(networkNames.map((name) => [name.toLowerCase(), name]))
for (const [spelling, name] of Object.entries(networkSpellings)) networks.set(spelling.toLowerCase(), name)

const networkList = param<string[], readonly string[] | string>(
  listSchema({ type: 'string', enum: [...networkNames, ...Object.keys(networkSpellings)] }),
  (raw) =>
    readLines(raw, mostValues).map(
      (name) => networks.get(name.toLowerCase()) ?? refuse(`must be any of ${networkNames.join(', ')}`),
    ),
)

const day = param(
  { type: 'string', format: 'date', description: 'A day in the caller’s time zone, as YYYY-MM-DD.' },
  (raw) => {
    const given = scalar(raw).trim()
    if (!/^\d{4}-\d{2}-\d{2}$/.test(given) || Number.isNaN(dayOf(given)) || dayText(dayOf(given)) !== given)
      refuse('must be a day, as YYYY-MM-DD')
    return given
  },
)

const filterFields = {
  network: networkList,
  profile: idsOf(profileKey),
  campaign: idsOf(scopeIds.campaign),
  tag: idsOf(publishingIds.tag),
  team: idsOf(accountIds.team),
  author: idsOf(accountIds.user),
  country: values(),
  board: idsOf(scopeIds.board),
  advocate: idsOf(accountIds.user),
}

export const filterParams = filters(filterFields)

/** Restrictions of a widget's report: more filters, or other dates. */
export const extraCriteria = filters({
  ...filterFields,
  range: params.word(rangeNames),
  from: day,
  to: day,
})

export const rangeFields = {
  range: params.word(rangeNames).optional(),
  from: day.optional(),
  to: day.optional(),
}

interface GivenRange {
  range?: (typeof rangeNames)[number] | undefined
  from?: string | undefined
  to?: string | undefined
}

/** A named range, or from one day to another; undefined if not given. */
export function rangeOf({ range, from, to }: GivenRange): Range | undefined {
  if (from !== undefined && to !== undefined) return { from, to }
  return range && { name: range }
}

export const definitionFields = {
  source: params.word(sourceNames),
  measures: params.lineList({ max: mostMeasures }),
  unit: params.word(units).optional(),
  dimension: params.word(dimensionNames).optional(),
  filters: filterParams.optional(),
  compare: params.flag.optional(),
  top: params.count(1, 100).optional(),
}

const definitionParams = z.object(definitionFields)
type DefinitionDraft = z.output<typeof definitionParams>

export const defaultTop = 10

/** With defaults for omitted fields. */
export const definitionOf = ({ source, measures, unit, dimension, filters, compare, top }: DefinitionDraft) => ({
  source,
  measures,
  unit,
  dimension,
  filters: filters ?? {},
  compare: compare ?? false,
  top: top ?? defaultTop,
})

/** Rows keyed by dimensions and measures, and the names of the ids in them. */
export const reportRows = {
  Data: longList(json as Field<ReportRow, ReportRow>),
  Entities: json,
}

/** The same with the covered days and the data source. */
export const reportAnswer = {
  ...reportRows,
  Report: shape('ReportBasis', { From: text, To: text, Timezone: text, Basis: choice(['rollups', 'clicks']) }),
}
