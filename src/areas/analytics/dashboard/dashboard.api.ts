import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { integer, listOf } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { analyticsIds } from '../declarations.ts'
import { reportAnswer, reportRows } from '../report/report-shape.ts'
import * as dashboards from './dashboard.ts'
import {
  Dashboard,
  dashboardChanges,
  dashboardDraft,
  EditedDashboard,
  EditedWidget,
  ListedDashboard,
  reportParams,
  visibilities,
  widgetChanges,
  widgetDraft,
} from './dashboard-shape.ts'
import * as widgets from './widget.ts'

const id = z.object({ id: params.pathId(analyticsIds.dashboard) })
const orders = {
  created: 'date',
  name: 'text',
  description: 'text',
  visibility: 'text',
  createdBy: 'text',
  creatorName: 'text',
  createdOn: 'date',
} as const

export const endpoints = [
  endpoint('GET /dashboard/{id}', {
    summary: 'Get a dashboard with its widgets',
    needs: 'read',
    params: id,
    reply: item('Dashboard', Dashboard),
    run: dashboards.get,
  }),
  endpoint('GET /dashboard', {
    summary: 'List dashboards',
    needs: 'read',
    params: listParams(
      { search: params.line({ min: 0 }).optional(), visibility: params.word(visibilities).optional() },
      { count: oneOf(25, 50, 100), order: sortBy(orders, 'created,0') },
    ),
    reply: parts({ Items: listOf(ListedDashboard), Total: integer, TotalUnfiltered: integer }),
    run: dashboards.search,
  }),
  endpoint('GET /dashboard/{dashboardId}/report', {
    summary: 'Run the report of a widget with the days and filters of its dashboard',
    needs: 'read',
    params: reportParams,
    reply: parts(reportRows),
    run: widgets.report,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /dashboard/{id}', {
    summary: 'Get a dashboard with all its settings',
    needs: 'read',
    params: id,
    reply: item('Dashboard', EditedDashboard),
    run: dashboards.getWhole,
  }),
  appEndpoint('POST /dashboard', {
    summary: 'Create a dashboard; teamIds restricts it to teams',
    needs: 'contribute',
    params: dashboardDraft,
    reply: item('Dashboard', EditedDashboard),
    run: dashboards.create,
  }),
  appEndpoint('GET /dashboard/{dashboardId}/report', {
    summary: 'Run the report of a widget, with its days and the data it was counted from',
    needs: 'read',
    params: reportParams,
    reply: parts(reportAnswer),
    run: widgets.report,
  }),
  appEndpoint('PUT /dashboard/{id}', {
    summary: 'Update a dashboard',
    needs: 'contribute',
    params: dashboardChanges,
    reply: item('Dashboard', EditedDashboard),
    run: dashboards.update,
  }),
  appEndpoint('DELETE /dashboard/{id}', {
    summary: 'Delete a dashboard with its widgets',
    needs: 'contribute',
    params: id,
    reply: done,
    run: dashboards.remove,
  }),
  appEndpoint('POST /dashboard/{id}/copy', {
    summary: 'Create a private copy of a dashboard',
    needs: 'contribute',
    params: id.extend({ name: params.line({ max: 128 }).optional() }),
    reply: item('Dashboard', EditedDashboard),
    run: dashboards.copy,
  }),
  appEndpoint('POST /dashboard/{id}/favorite', {
    operationId: 'setDashboardFavorite',
    summary: 'Add a dashboard to the caller’s favorites, or remove it',
    needs: 'contribute',
    params: id.extend({ isFavorite: params.flag }),
    reply: done,
    run: dashboards.setFavorite,
  }),
  appEndpoint('POST /dashboard/{id}/widget', {
    operationId: 'createDashboardWidget',
    summary: 'Add a widget to a dashboard',
    needs: 'contribute',
    params: widgetDraft,
    reply: item('Widget', EditedWidget),
    run: widgets.add,
  }),
  appEndpoint('PUT /widget/{id}', {
    summary: 'Update a widget, its report or its position',
    needs: 'contribute',
    params: widgetChanges,
    reply: item('Widget', EditedWidget),
    run: widgets.change,
  }),
  appEndpoint('DELETE /widget/{id}', {
    summary: 'Delete a widget',
    needs: 'contribute',
    params: z.object({ id: params.pathId(analyticsIds.widget) }),
    reply: done,
    run: widgets.remove,
  }),
]
