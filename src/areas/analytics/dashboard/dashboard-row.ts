import { type Selectable, sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import type { Dashboards, DashboardWidgets } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { analyticsChanges, analyticsIds } from '../declarations.ts'
import type { Range } from '../report/period.ts'
import type { Filters, ReportDefinition } from '../report/report-definition.ts'

export type DashboardRow = Omit<Selectable<Dashboards>, 'range' | 'filters'> & { range: Range; filters: Filters }
export type WidgetRow = Omit<Selectable<DashboardWidgets>, 'report'> & { report: Omit<ReportDefinition, 'source'> }

/** Dashboards visible to the caller: their own, and those shared with all or with one of the caller's teams. */
export const visibleDashboards = (context: Context) => {
  const { db, accountId, userId, role } = context
  const isInTeam = sql<boolean>`exists (select from dashboard_teams t where t.account_id = ${accountId} and t.dashboard_id = dashboards.id
    and t.team_id in (select e.team_id from team_entities e where e.account_id = ${accountId} and e.entity_id = ${userId}))`
  const isShared = role === 'admin' ? sql`true` : sql`(not dashboards.for_teams or ${isInTeam})`
  return db
    .selectFrom('dashboards')
    .where('dashboards.accountId', '=', accountId)
    .where(sql<boolean>`(dashboards.created_by = ${userId} or dashboards.visibility = 'shared' and ${isShared})`)
}

/** One of them, or not found. */
export async function requireDashboard(context: Context, id: string): Promise<DashboardRow> {
  const row = await visibleDashboards(context).selectAll().where('dashboards.id', '=', id).executeTakeFirst()
  if (!row) throw missing('Dashboard')
  return row as DashboardRow
}

export async function requireWidget(context: Context, id: string): Promise<WidgetRow> {
  const { db, accountId } = context
  const row = await db
    .selectFrom('dashboardWidgets')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('dashboardId', 'in', visibleDashboards(context).select('dashboards.id'))
    .executeTakeFirst()
  if (!row) throw missing('Widget')
  return row as WidgetRow
}

export const widgetsOf = ({ db, accountId }: Context, dashboardId: string): Promise<WidgetRow[]> =>
  db
    .selectFrom('dashboardWidgets')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('dashboardId', '=', dashboardId)
    .orderBy('y')
    .orderBy('x')
    .orderBy('id')
    .execute() as Promise<WidgetRow[]>

/** Name of a dashboard's creator. */
export const creatorName = ({
  accountId,
}: Pick<Context, 'accountId'>) => sql<string>`coalesce((select u.name from users u
  where u.account_id = ${accountId} and u.id = dashboards.created_by), 'Chorus')`

export const isFavorite = ({ accountId, userId }: Pick<Context, 'accountId' | 'userId'>) => sql<boolean>`exists (
  select from dashboard_favorites f where f.account_id = ${accountId} and f.user_id = ${userId} and f.dashboard_id = dashboards.id)`

type Seen = Pick<DashboardRow, 'id' | 'visibility' | 'forTeams' | 'createdBy'>

/** Unless visible to everyone, only the creator gets change notifications. */
const scopeOf = ({ visibility, forTeams, createdBy }: Omit<Seen, 'id'>) =>
  visibility === 'private' || forTeams ? createdBy : null

export const notifyDashboardChanged = ({ notifyChange }: Context, dashboard: Seen) =>
  notifyChange({ kind: analyticsChanges.dashboard, id: dashboard.id, parent: null, scope: scopeOf(dashboard) })

export const watchedDashboards: PresenceKind = {
  kind: analyticsChanges.dashboard,
  reference: analyticsIds.dashboard,
  async find(context, id) {
    const found = await visibleDashboards(context)
      .select(['visibility', 'forTeams', 'createdBy'])
      .where('dashboards.id', '=', id)
      .executeTakeFirst()
    return found && { parent: null, scope: scopeOf(found) }
  },
}
