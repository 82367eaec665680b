import { type Selectable, sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { Dashboards, DashboardWidgets } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { analyticsChanges, analyticsIds, analyticsQuotas } from '../declarations.ts'
import type { Range } from '../report/period.ts'
import type { Filters, ReportDefinition } from '../report/report-definition.ts'
import { rangeOf } from '../report/report-shape.ts'
import type { DashboardChanges, DashboardDraft } from './dashboard-shape.ts'

type DashboardRow = Omit<Selectable<Dashboards>, 'range' | 'filters'> & { range: Range; filters: Filters }
type WidgetRow = Omit<Selectable<DashboardWidgets>, 'report'> & { report: Omit<ReportDefinition, 'source'> }

/** Dashboards visible to the caller: their own, and those shared with all or with one of the caller's teams. */
const visibleDashboards = (context: Context) => {
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

type DashboardVisibility = Pick<DashboardRow, 'id' | 'visibility' | 'forTeams' | 'createdBy'>

/** Unless visible to everyone, only the creator gets change notifications. */
const scopeOf = ({ visibility, forTeams, createdBy }: Omit<DashboardVisibility, 'id'>) =>
  visibility === 'private' || forTeams ? createdBy : null

export const notifyDashboardChanged = ({ notifyChange }: Context, dashboard: DashboardVisibility) =>
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

interface Search {
  search?: string | undefined
  visibility?: 'shared' | 'private' | undefined
  page: Page
}

export async function search(context: Context, { search: terms = '', visibility, page }: Search) {
  const all = visibleDashboards(context)
    .selectAll()
    .select([
      creatorName(context).as('creatorName'),
      isFavorite(context).as('isFavorite'),
      sql<Date>`dashboards.created`.as('createdOn'),
    ])
  const matching = context.db
    .selectFrom(all.as('listed'))
    .selectAll()
    .$if(terms !== '', (rows) => rows.where('name', 'ilike', contains(terms)))
    .$if(visibility !== undefined, (rows) => rows.where('visibility', '=', visibility ?? 'shared'))
  const { items, total } = await paginate(matching, page)
  const counted = await visibleDashboards(context).select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()
  return { items, total, totalUnfiltered: counted.count }
}

export async function get(context: Context, { id }: { id: string }) {
  const dashboard = await requireDashboard(context, id)
  return { ...dashboard, widgets: await widgetsOf(context, id), teams: await teamsOf(context, id) }
}

/** With all editable fields. */
export async function getWhole(context: Context, { id }: { id: string }) {
  const dashboard = await get(context, { id })
  const more = await visibleDashboards(context)
    .select([creatorName(context).as('creatorName'), isFavorite(context).as('isFavorite')])
    .where('dashboards.id', '=', id)
    .executeTakeFirst()
  if (!more) throw missing('Dashboard')
  return { ...dashboard, ...more }
}

const defaultRange: Range = { name: 'last30Days' }

export async function create(context: Context, draft: DashboardDraft) {
  const { name, description = '', visibility = 'shared', teamIds = [], filters = {} } = draft
  const id = await insert(context, {
    name,
    description,
    visibility,
    filters,
    range: rangeOf(draft) ?? defaultRange,
    forTeams: teamIds.length > 0,
  })
  await setTeams(context, id, teamIds)
  return getWhole(context, { id })
}

export async function update(context: Context, changes: DashboardChanges) {
  const { id, name, description, visibility, teamIds, filters } = changes
  const { db, accountId, now } = context
  const before = await requireDashboard(context, id)
  const range = rangeOf(changes)
  const { numUpdatedRows } = await db
    .updateTable('dashboards')
    .set({
      modified: now,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(visibility && { visibility }),
      ...(teamIds && { forTeams: teamIds.length > 0 }),
      ...(filters && { filters: JSON.stringify(filters) }),
      ...(range && { range: JSON.stringify(range) }),
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Dashboard')
  if (teamIds) await setTeams(context, id, teamIds)
  notifyDashboardChanged(context, before)
  // A user who restricts another user's dashboard may no longer see it.
  const visible = await visibleDashboards(context)
    .select('dashboards.id')
    .where('dashboards.id', '=', id)
    .executeTakeFirst()
  if (!visible) throw invalid('You would not see this dashboard any more. Copy it, and hide the copy.')
  const after = await getWhole(context, { id })
  notifyDashboardChanged(context, after)
  return after
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const dashboard = await requireDashboard(context, id)
  await db.deleteFrom('dashboards').where('accountId', '=', accountId).where('id', '=', id).execute()
  notifyDashboardChanged(context, dashboard)
}

/** A private copy with the same widgets. */
export async function copy(context: Context, { id, name }: { id: string; name?: string | undefined }) {
  const { description, range, filters, ...original } = await requireDashboard(context, id)
  const widgets = await widgetsOf(context, id)
  const made = await insert(context, {
    name: name ?? `${original.name} (copy)`.slice(0, 128),
    description,
    range,
    filters,
    visibility: 'private' as const,
    forTeams: false,
  })
  await insertWidgets(context, made, widgets)
  return getWhole(context, { id: made })
}

export async function setFavorite(context: Context, { id, isFavorite: is }: { id: string; isFavorite: boolean }) {
  const { db, accountId, userId } = context
  const dashboard = await requireDashboard(context, id)
  if (is)
    await db
      .insertInto('dashboardFavorites')
      .values({ accountId, userId, dashboardId: id })
      .onConflict((on) => on.doNothing())
      .execute()
  else
    await db
      .deleteFrom('dashboardFavorites')
      .where('accountId', '=', accountId)
      .where('userId', '=', userId)
      .where('dashboardId', '=', id)
      .execute()
  notifyDashboardChanged(context, dashboard)
}

interface NewDashboard {
  name: string
  description: string
  visibility: 'shared' | 'private'
  forTeams: boolean
  range: Range
  filters: object
  /** Set on default dashboards, with the user they are created for. */
  template?: { createdBy: string }
}

export async function insert(
  context: Context,
  { range, filters, template, ...dashboard }: NewDashboard,
): Promise<string> {
  const { db, accountId, userId, now } = context
  const existing = db.selectFrom('dashboards').where('accountId', '=', accountId)
  if (!template) await reserveQuota(context, analyticsQuotas.dashboards, existing)
  const createdBy = template?.createdBy ?? userId
  const made = { accountId, id: newId(analyticsIds.dashboard, now), created: now, modified: now, createdBy }
  const type = template ? ('template' as const) : ('custom' as const)
  const settings = { range: JSON.stringify(range), filters: JSON.stringify(filters), type }
  await db
    .insertInto('dashboards')
    .values({ ...made, ...dashboard, ...settings })
    .execute()
  notifyDashboardChanged(context, { ...made, ...dashboard })
  return made.id
}

const teamsOf = ({ db, accountId }: Context, dashboardId: string) =>
  db
    .selectFrom('dashboardTeams as d')
    .innerJoin('teams as t', (join) => join.on('t.accountId', '=', accountId).onRef('t.id', '=', 'd.teamId'))
    .select(['t.id', 't.name'])
    .where('d.accountId', '=', accountId)
    .where('d.dashboardId', '=', dashboardId)
    .orderBy('t.name')
    .orderBy('t.id')
    .execute()

async function setTeams({ db, accountId }: Context, dashboardId: string, teamIds: readonly string[]) {
  await db
    .deleteFrom('dashboardTeams')
    .where('accountId', '=', accountId)
    .where('dashboardId', '=', dashboardId)
    .execute()
  if (teamIds.length === 0) return
  const found = await db
    .selectFrom('teams')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', teamIds)
    .modifyEnd(lockRows('teams', 'share'))
    .execute()
  const absent = teamIds.find((id) => !found.some((team) => team.id === id))
  if (absent) throw invalid(`teamIds names ${absent}, but there is no such team.`)
  await db
    .insertInto('dashboardTeams')
    .values(teamIds.map((teamId) => ({ accountId, dashboardId, teamId })))
    .execute()
}

type NewWidget = Pick<WidgetRow, 'type' | 'name' | 'description' | 'chartType' | 'source'> &
  Pick<WidgetRow, 'x' | 'y' | 'width' | 'height' | 'report'>

/** Adds widgets to a dashboard, and returns their ids. */
export async function insertWidgets(
  { db, accountId, now }: Context,
  dashboardId: string,
  widgets: readonly NewWidget[],
) {
  const rows = widgets.map(({ type, name, description, chartType, source, x, y, width, height, report }) => ({
    accountId,
    id: newId(analyticsIds.widget, now),
    dashboardId,
    created: now,
    modified: now,
    type,
    name,
    description,
    chartType,
    source,
    x,
    y,
    width,
    height,
    report: JSON.stringify(report),
  }))
  if (rows.length > 0) await db.insertInto('dashboardWidgets').values(rows).execute()
  return rows.map(({ id }) => id)
}
