import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { prepared } from '#kernel/database/prepared.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertLastWithin } from '#kernel/quotas/quotas.ts'
import { accountIds, accountQuotas } from '../declarations.ts'
import { holdAssignments, notifyTeamsChanged, restrictThoseOf } from './team-entity.ts'
import { withinTeams } from './visibility.ts'

export async function get(context: Context, { id }: { id: string }) {
  const team = await teamWithId.first(context.db, { accountId: context.accountId, id })
  if (!team) throw missing('Team')
  return team
}

const teamWithId = prepared((db, { accountId, id }: { accountId: string; id: string }) =>
  visible({ db, accountId }).where('id', '=', id),
)

export const search = (context: Context, { page }: { page: OpenPage }) =>
  paginateOrAll(context.db, visible(context), page, { size: 500 })

interface Draft {
  name: string
}

export function create(context: Context, draft: Draft) {
  const { accountId, now } = context
  notifyTeamsChanged(context)
  const row = { accountId, id: newId(accountIds.team, now), created: now, modified: now, ...draft }
  return insertLastWithin(context, accountQuotas.teams, () => visible(context), { into: 'teams', row })
}

export async function update(context: Context, { id, ...changes }: Draft & { id: string }) {
  const { db, accountId, now } = context
  notifyTeamsChanged(context)
  const team = await db
    .updateTable('teams')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!team) throw missing('Team')
  return team
}

/** Entities without another team do not become visible to everyone: they stay restricted to admins until one decides. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, remark } = context
  await holdAssignments(context)
  const restricted = await restrictThoseOf(context, id)
  const { numDeletedRows } = await db
    .deleteFrom('teams')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Team')
  remark({ team: id, restricted })
}

const visible = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>) =>
  db.selectFrom('teams').selectAll().where('accountId', '=', accountId)

/** The members of teams, and the entities whose visibility teams control. */
export const entityKinds = ['user', 'campaign', 'workflow', 'board'] as const
type EntityKind = (typeof entityKinds)[number]

interface TeamRow {
  id: string
  created: Date
  name: string
  users: number
  campaigns: number
  workflows: number
  boards: number
}

/** All teams by name. Entities that the caller may not see are not counted. */
export async function list(context: Context) {
  const { db, accountId } = context
  const counted = (kind: EntityKind) => sql`(count(c.id) filter (where c.kind = ${sql.lit(kind)}))::int`
  const { rows } = await sql<TeamRow>`
    select t.id, t.created, t.name, ${counted('user')} as users, ${counted('campaign')} as campaigns,
      ${counted('workflow')} as workflows, ${counted('board')} as boards
    from teams t left join ${contents(context)} c on c.team_id = t.id
    where t.account_id = ${accountId} group by t.account_id, t.id, t.created, t.name
    order by lower(t.name), t.id`.execute(db)
  return { items: rows, total: rows.length }
}

/** The members and entities of a team, by kind and name. */
export async function ofTeam(context: Context, { id }: { id: string }) {
  await get(context, { id })
  const entities = context.db
    .selectFrom(contents(context).as('c'))
    .select(['c.id', 'c.kind', 'c.name'])
    .where('c.teamId', '=', id)
    .orderBy(sql`array_position(array['user', 'campaign', 'workflow', 'board'], c.kind)`)
    .orderBy(sql`lower(c.name)`)
    .orderBy('c.id')
  return listedWithTotal(context.db, entities, { size: 500, id: 'c.id' })
}

interface Contained {
  teamId: string
  id: string
  kind: EntityKind
  name: string
}

/** All members and entities of teams that the caller may see. */
function contents(context: Context) {
  const { accountId } = context
  const assigned = sql`team_entities e where e.account_id = ${accountId}`
  return sql<Contained>`(
    select e.team_id, u.id, 'user' as kind, u.name from users u, ${assigned}
      and u.account_id = ${accountId} and u.id = e.entity_id and u.status <> 'deleted'
    union all select e.team_id, c.id, 'campaign', c.name from campaigns c, ${assigned}
      and c.account_id = ${accountId} and c.id = e.entity_id and c.deleted is null and ${withinTeams(context, 'c.id')}
    union all select e.team_id, w.id, 'workflow', w.name from workflows w, ${assigned}
      and w.account_id = ${accountId} and w.id = e.entity_id and ${withinTeams(context, 'w.id')}
    union all select e.team_id, b.id, 'board', b.name from boards b, ${assigned}
      and b.account_id = ${accountId} and b.id = e.entity_id and ${withinTeams(context, 'b.id')})`
}
