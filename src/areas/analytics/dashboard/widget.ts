import type { Context } from '#kernel/context.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { runReport } from '../report/report.ts'
import type { SourceName } from '../report/report-definition.ts'
import { checkDefinition, type Filters } from '../report/report-definition.ts'
import { definitionOf, rangeOf } from '../report/report-shape.ts'
import { insertWidgets, notifyDashboardChanged, requireDashboard, requireWidget, widgetsOf } from './dashboard.ts'
import type { WidgetChanges, WidgetDraft, WidgetReportParams } from './dashboard-shape.ts'

const mostWidgets = 60

export async function add(
  context: Context,
  { id: dashboardId, name, description = '', chartType, ...draft }: WidgetDraft,
) {
  const dashboard = await requireDashboard(context, dashboardId)
  const definition = definitionOf(draft)
  checkDefinition(definition)
  const present = await widgetsOf(context, dashboardId)
  if (present.length >= mostWidgets) throw conflict(`A dashboard has at most ${mostWidgets} widgets.`)
  // Below all others by default.
  const bottom = Math.max(0, ...present.map(({ y, height }) => y + height))
  const { x = 0, y = bottom, width = 6, height = 4 } = draft
  const { source, ...report } = definition
  const [made] = await insertWidgets(context, dashboardId, [
    { type: 'report', name, description, chartType, source, x, y, width, height, report },
  ])
  notifyDashboardChanged(context, dashboard)
  return requireWidget(context, made ?? '')
}

export async function change(context: Context, { id, name, description, chartType, ...changes }: WidgetChanges) {
  const { db, accountId, now } = context
  const before = await requireWidget(context, id)
  const dashboard = await requireDashboard(context, before.dashboardId)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const stored = { ...before.report, measures: [...before.report.measures], source: before.source as SourceName }
  const definition = definitionOf({ ...(stored as object), ...given } as Parameters<typeof definitionOf>[0])
  checkDefinition(definition)
  const { source, ...report } = definition
  const { x = before.x, y = before.y, width = before.width, height = before.height } = changes
  const { numUpdatedRows } = await db
    .updateTable('dashboardWidgets')
    .set({
      modified: now,
      source,
      report: JSON.stringify(report),
      x,
      y,
      width,
      height,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(chartType && { chartType }),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Widget')
  notifyDashboardChanged(context, dashboard)
  return requireWidget(context, id)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { dashboardId } = await requireWidget(context, id)
  const dashboard = await requireDashboard(context, dashboardId)
  const { db, accountId } = context
  await db.deleteFrom('dashboardWidgets').where('accountId', '=', accountId).where('id', '=', id).execute()
  notifyDashboardChanged(context, dashboard)
}

/** Report of a widget with the dates and filters of its dashboard and of the caller. */
export async function report(context: Context, { dashboardId, id, filter = {} }: WidgetReportParams) {
  const dashboard = await requireDashboard(context, dashboardId)
  const widget = (await widgetsOf(context, dashboardId)).find((one) => one.id === id)
  if (!widget) throw invalid(`id names no widget of this dashboard: "${id.slice(0, 40)}".`)
  const { range, from, to, ...extra } = filter
  const definition = { ...widget.report, source: widget.source as SourceName }
  return runReport(context, {
    ...definition,
    filters: intersection(intersection(dashboard.filters, definition.filters), extra),
    range: rangeOf({ range, from, to }) ?? dashboard.range,
  })
}

/** Intersection: of a dimension in both, the values allowed by both. */
function intersection(some: Filters, more: Filters): Filters {
  const both = Object.entries(more).flatMap(([dimension, values]) => {
    const known = some[dimension as keyof Filters]
    return values ? [[dimension, known ? values.filter((value) => known.includes(value)) : values]] : []
  })
  return { ...some, ...Object.fromEntries(both) }
}
