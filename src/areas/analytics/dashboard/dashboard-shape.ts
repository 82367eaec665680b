import { z } from 'zod'
import { accountIds } from '#areas/account/declarations.ts'
import { boolean, choice, datetime, integer, json, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { analyticsIds } from '../declarations.ts'
import { definitionFields, extraCriteria, filterParams, rangeFields } from '../report/report-shape.ts'

export const visibilities = ['shared', 'private'] as const
export const chartTypes = ['line', 'bar', 'stacked', 'pie', 'number', 'table'] as const

export const ListedDashboard = shape('ListedDashboard', {
  Id: text,
  Name: text,
  Description: text,
  Visibility: choice(visibilities),
  CreatedBy: text,
  Created: datetime,
  IsFavorite: boolean,
  CreatorName: text,
  LinkSharingVisibility: text,
})

const widgetFields = {
  Id: text,
  Type: text,
  Name: text,
  Description: text,
  ChartType: choice(chartTypes),
  Source: text,
  X: integer,
  Y: integer,
  Width: integer,
  Height: integer,
}

const dashboardFields = {
  Id: text,
  Name: text,
  Description: text,
  Type: choice(['custom', 'template']),
  Visibility: choice(visibilities),
}

const teams = { Teams: listOf(shape('DashboardTeam', { Id: text, Name: text })) }

export const Dashboard = shape('Dashboard', {
  ...dashboardFields,
  Widgets: listOf(shape('Widget', widgetFields)),
  ...teams,
})

/** A widget with its report definition. */
export const EditedWidget = shape('EditedWidget', { ...widgetFields, DashboardId: text, Report: json })

/** Fields for editing a dashboard. */
export const EditedDashboard = shape('EditedDashboard', {
  ...dashboardFields,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  CreatorName: text,
  IsFavorite: boolean,
  LinkSharingVisibility: text,
  Range: json,
  Filters: json,
  Widgets: listOf(EditedWidget),
  ...teams,
})

const written = z.object({
  name: params.line({ max: 128 }),
  description: params.text({ max: 2_000 }).optional(),
  visibility: params.word(visibilities).optional(),
  teamIds: params.idList(accountIds.team).optional(),
  filters: filterParams.optional(),
  ...rangeFields,
})

export const dashboardDraft = written
export const dashboardChanges = written.partial().extend({ id: params.pathId(analyticsIds.dashboard) })
export type DashboardDraft = z.output<typeof dashboardDraft>
export type DashboardChanges = z.output<typeof dashboardChanges>

/** A grid of twelve columns. */
const position = {
  x: params.count(0, 11).optional(),
  y: params.count(0, 10_000).optional(),
  width: params.count(1, 12).optional(),
  height: params.count(1, 100).optional(),
}

const writtenWidget = z.object({
  name: params.line({ max: 128 }),
  description: params.text({ max: 2_000 }).optional(),
  chartType: params.word(chartTypes),
  ...definitionFields,
  ...position,
})

export const widgetDraft = writtenWidget.extend({ id: params.pathId(analyticsIds.dashboard) })
export const widgetChanges = writtenWidget.partial().extend({ id: params.pathId(analyticsIds.widget) })
export type WidgetDraft = z.output<typeof widgetDraft>
export type WidgetChanges = z.output<typeof widgetChanges>

export const reportParams = z.object({
  dashboardId: params.pathId(analyticsIds.dashboard),
  id: params.idOf(analyticsIds.widget),
  filter: extraCriteria.optional(),
})
export type WidgetReportParams = z.output<typeof reportParams>
