import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { lockAccount } from '../account.ts'
import { accountChanges, accountIds, scopeIds } from '../declarations.ts'
import { withinTeams } from './visibility.ts'

interface Assignment {
  entityId: string
  teamIds: string[]
}

const mostTeams = 1000

export async function teamsOf(context: Context, { entityId }: { entityId: string }) {
  await findEntity(context, entityId)
  const items = await context.db
    .selectFrom('teamEntities as e')
    .innerJoin('teams as t', (join) => join.on('t.accountId', '=', context.accountId).onRef('t.id', '=', 'e.teamId'))
    .selectAll('t')
    .where('e.accountId', '=', context.accountId)
    .where('e.entityId', '=', entityId)
    .orderBy('t.created', 'desc')
    .orderBy('t.id', 'desc')
    .limit(mostTeams)
    .execute()
  return { items, total: items.length }
}

/** Teams of several entities; the caller has checked that they are visible. */
export const teamsOfAll = ({ db, accountId }: Context, entityIds: readonly string[]) =>
  entityIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('teamEntities as e')
        .innerJoin('teams as t', (join) => join.on('t.accountId', '=', accountId).onRef('t.id', '=', 'e.teamId'))
        .select(['e.entityId', 't.id', 't.name'])
        .where('e.accountId', '=', accountId)
        .where('e.entityId', 'in', entityIds)
        .orderBy('t.name')
        .execute()

export async function assign(context: Context, { entityId, teamIds }: Assignment) {
  await holdAssignments(context)
  await findEntity(context, entityId)
  await findTeams(context, teamIds)
  const { accountId, now: created, db } = context
  await db
    .insertInto('teamEntities')
    .values(teamIds.map((teamId) => ({ accountId, entityId, teamId, created })))
    .onConflict((on) => on.doNothing())
    .execute()
  await settle(context, entityId)
}

/** Removing the last team makes the entity visible to everyone. */
export async function unassign(context: Context, { entityId, teamIds }: Assignment) {
  await holdAssignments(context)
  await findEntity(context, entityId)
  await findTeams(context, teamIds)
  await context.db
    .deleteFrom('teamEntities')
    .where('accountId', '=', context.accountId)
    .where('entityId', '=', entityId)
    .where('teamId', 'in', teamIds)
    .execute()
}

/** The entity of an assignment; the prefix of the id determines its kind. */
async function findEntity(context: Context, entityId: string) {
  const { db, accountId } = context
  const user = () =>
    db
      .selectFrom('users')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', entityId)
      .where('status', '<>', 'deleted')
  const campaign = () =>
    db
      .selectFrom('campaigns')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', entityId)
      .where('deleted', 'is', null)
      .where(withinTeams(context, 'campaigns.id'))
  const workflow = () =>
    db
      .selectFrom('workflows')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', entityId)
      .where(withinTeams(context, 'workflows.id'))
  const board = () =>
    db
      .selectFrom('boards')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', entityId)
      .where(withinTeams(context, 'boards.id'))
  const kinds = { user, campaign, workflow, board }
  const idsOf = { ...scopeIds, user: accountIds.user }
  const kind = (Object.keys(kinds) as (keyof typeof kinds)[]).find((name) => isId(idsOf[name], entityId))
  if (!kind || !(await kinds[kind]().executeTakeFirst())) throw missing('Entity')
}

async function findTeams({ db, accountId }: Context, teamIds: string[]) {
  if (teamIds.length === 0) throw invalid('teamIds must name at least one team.')
  // Locked, so that a concurrently deleted team is either still assigned or refused.
  const found = await db
    .selectFrom('teams')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', teamIds)
    .modifyEnd(lockRows('teams', 'share'))
    .execute()
  const absent = teamIds.find((id) => !found.some((team) => team.id === id))
  if (absent) throw invalid(`teamIds names ${absent}, but there is no such team.`)
}

/** Entities visible only to admins since their last team was deleted. */
export const search = (context: Context, { page }: { page: Page }) => {
  const { accountId } = context
  const nameIn = (table: string) =>
    sql`(select t.name from ${sql.table(table)} t where t.account_id = ${accountId} and t.id = entity_id)`
  const name = sql<string>`coalesce(${nameIn('campaigns')}, ${nameIn('workflows')}, ${nameIn('boards')}, '')`
  return paginate(
    context.db
      .selectFrom('restrictedEntities')
      .select(['entityId', 'entityId as id', 'created', name.as('name')])
      .where('accountId', '=', context.accountId)
      .where(withinTeams(context, 'restricted_entities.entity_id')),
    page,
  )
}

/** Makes the entity visible to everyone, as if it had never had a team. */
export async function open(context: Context, { entityId }: { entityId: string }) {
  await holdAssignments(context)
  if (!(await settle(context, entityId))) throw missing('Restricted entity')
}

/** Restricts entities whose only team is about to be deleted to admins; returns their number. */
export async function restrictThoseOf({ db, accountId, now }: Context, teamId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into restricted_entities (account_id, entity_id, created)
    select ${accountId}, e.entity_id, ${now} from team_entities e
    where e.account_id = ${accountId} and e.team_id = ${teamId} and left(e.entity_id, 3) <> ${accountIds.user.prefix}
      and not exists (select from team_entities o
        where o.account_id = ${accountId} and o.entity_id = e.entity_id and o.team_id <> ${teamId})
    on conflict do nothing returning entity_id`.execute(db)
  return Number(numAffectedRows)
}

/** Lifts the restriction because its visibility was decided. */
async function settle({ db, accountId }: Context, entityId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('restrictedEntities')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Serializes changes of teams: of two transactions that remove an entity's last two teams, one must see that it removes the last.
 * Visibility may change for any user, so the change notification must not name the entity.
 */
export function holdAssignments(context: Context) {
  notifyTeamsChanged(context)
  return lockAccount(context)
}

/** Without an id: the team itself may be confidential. */
export const notifyTeamsChanged = ({ notifyChange }: Context) =>
  notifyChange({ kind: accountChanges.team, id: null, parent: null, scope: null })
