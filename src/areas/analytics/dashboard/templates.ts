import type { Context, Emitted } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import type { RangeName } from '../report/period.ts'
import type { ReportDefinition } from '../report/report-definition.ts'
import { defaultTop } from '../report/report-shape.ts'
import { insert, insertWidgets } from './dashboard.ts'
import type { chartTypes } from './dashboard-shape.ts'

interface Template {
  name: string
  description: string
  range: RangeName
  widgets: readonly TemplateWidget[]
}

type TemplateWidget = {
  name: string
  chartType: (typeof chartTypes)[number]
  width: number
  height: number
} & Pick<ReportDefinition, 'source' | 'measures' | 'unit' | 'dimension'> & { compare?: true; top?: number }

const number = { chartType: 'number', width: 3, height: 2, compare: true } as const
const half = { width: 6, height: 4 } as const

/** Default dashboards. */
export const templates: readonly Template[] = [
  {
    name: 'Overview',
    description: 'What went out, and what came of it',
    range: 'last30Days',
    widgets: [
      { name: 'Posts sent', source: 'post', measures: ['postsSent'], ...number },
      { name: 'Impressions', source: 'post', measures: ['impressions'], ...number },
      { name: 'Clicks', source: 'click', measures: ['clicks'], ...number },
      { name: 'Conversions', source: 'conversion', measures: ['conversions'], ...number },
      {
        name: 'Clicks by day',
        source: 'click',
        measures: ['clicks'],
        unit: 'day',
        chartType: 'line',
        ...half,
        compare: true,
      },
      {
        name: 'Clicks by network',
        source: 'click',
        measures: ['clicks'],
        dimension: 'network',
        chartType: 'pie',
        ...half,
      },
      {
        name: 'Campaigns',
        source: 'conversion',
        measures: ['conversions', 'conversionRate'],
        dimension: 'campaign',
        chartType: 'table',
        width: 12,
        height: 5,
        top: 20,
      },
    ],
  },
  {
    name: 'Audience',
    description: 'Who follows, who clicks and where they are',
    range: 'last90Days',
    widgets: [
      { name: 'Followers', source: 'follower', measures: ['followers'], ...number },
      {
        name: 'Followers by network',
        source: 'follower',
        measures: ['followers'],
        unit: 'week',
        dimension: 'network',
        chartType: 'stacked',
        width: 9,
        height: 4,
      },
      { name: 'Countries', source: 'click', measures: ['clicks'], dimension: 'country', chartType: 'bar', ...half },
      {
        name: 'Engagement by network',
        source: 'post',
        measures: ['engagements', 'engagementRate'],
        dimension: 'network',
        chartType: 'table',
        ...half,
      },
    ],
  },
  {
    name: 'Advocacy and team',
    description: 'What advocates share, how fast the inbox is answered, and who became known',
    range: 'last90Days',
    widgets: [
      { name: 'Shares by week', source: 'advocacy', measures: ['shares'], unit: 'week', chartType: 'bar', ...half },
      {
        name: 'Advocates',
        source: 'advocacy',
        measures: ['shareClicks', 'shares', 'shareConversions'],
        dimension: 'advocate',
        chartType: 'table',
        ...half,
      },
      {
        name: 'Clicks by author',
        source: 'click',
        measures: ['clicks'],
        unit: 'month',
        dimension: 'author',
        chartType: 'stacked',
        ...half,
        top: 5,
      },
      {
        name: 'Inbox',
        source: 'inbox',
        measures: ['received', 'replied', 'responseTime'],
        unit: 'week',
        chartType: 'line',
        ...half,
      },
      {
        name: 'Who answers',
        source: 'inbox',
        measures: ['replied', 'closed', 'responseTime'],
        dimension: 'author',
        chartType: 'table',
        ...half,
      },
      {
        name: 'Leads by week',
        source: 'lead',
        measures: ['leads', 'activities'],
        unit: 'week',
        chartType: 'bar',
        ...half,
      },
    ],
  },
]

/**
 * Creates the default dashboards of an account once: deleted ones aren't recreated. They belong to its first admin; an account
 * without one gets them later.
 */
async function createDashboards(context: Context): Promise<boolean> {
  const { db, accountId, now } = context
  const admin = await db
    .selectFrom('users')
    .select('id')
    .where('accountId', '=', accountId)
    .where('role', '=', 'admin')
    .where('status', '<>', 'deleted')
    .orderBy('created')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!admin) return false
  const begun = await db
    .insertInto('dashboardSetups')
    .values({ accountId, created: now })
    .onConflict((on) => on.doNothing())
    .returning('accountId')
    .executeTakeFirst()
  if (!begun) return false
  for (const template of templates) await createFrom(context, template, admin.id)
  return true
}

/** For new accounts. */
export async function createForNewAccount(context: Context, _events: readonly Emitted[]) {
  await createDashboards(context)
}

/** Creates default dashboards for accounts older than dashboards. */
export const createDashboardsJob = job<Record<string, never>>('analytics.create-dashboards', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, createDashboards)),
})

async function createFrom(context: Context, { name, description, range, widgets }: Template, createdBy: string) {
  const id = await insert(context, {
    name,
    description,
    range: { name: range },
    filters: {},
    visibility: 'shared' as const,
    forTeams: false,
    template: { createdBy },
  })
  await insertWidgets(context, id, laidOut(widgets))
}

/** From left to right, wrapping at twelve columns. */
function laidOut(widgets: readonly TemplateWidget[]) {
  let [x, y, bottom] = [0, 0, 0]
  return widgets.map(({ source, measures, unit, dimension, compare = false, top = defaultTop, ...widget }) => {
    if (x + widget.width > 12) [x, y] = [0, bottom]
    const position = { x, y }
    x += widget.width
    bottom = Math.max(bottom, y + widget.height)
    const report = { measures, unit, dimension, filters: {}, compare, top }
    return { ...widget, ...position, type: 'report' as const, description: '', source, report }
  })
}
