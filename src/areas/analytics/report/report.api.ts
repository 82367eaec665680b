import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { json } from '#kernel/wire/fields.ts'
import { parts } from '#kernel/wire/replies.ts'
import { rangeNames, units } from './period.ts'
import { runReport } from './report.ts'
import { dimensionNames, sourceNames, sourceOf } from './report-definition.ts'
import { definitionFields, definitionOf, rangeFields, rangeOf, reportAnswer } from './report-shape.ts'

const request = z.object({ ...definitionFields, ...rangeFields })

export const endpoints = [
  appEndpoint('POST /report', {
    operationId: 'runReport',
    summary: 'Run a report without a dashboard',
    needs: 'read',
    readsOnly: true,
    params: request,
    reply: parts(reportAnswer),
    run: (context: Context, input: z.output<typeof request>) =>
      runReport(context, { ...definitionOf(input), range: rangeOf(input) ?? { name: 'last30Days' } }),
  }),
  appEndpoint('GET /report/catalogue', {
    summary: 'List report sources with their measures, dimensions, units and ranges',
    needs: 'read',
    params: z.object({}),
    reply: parts({ Sources: json, Dimensions: json, Units: json, Ranges: json }),
    run: async () => ({ sources: sourceNames.map(described), dimensions: dimensionNames, units, ranges: rangeNames }),
  }),
]

function described(name: (typeof sourceNames)[number]) {
  const { about, attributes, measures } = sourceOf(name)
  return {
    Name: name,
    About: about,
    Attributes: attributes,
    Measures: Object.entries(measures).map(([measure, { about: says }]) => ({ Name: measure, About: says })),
  }
}
