import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

/**
 * Whether the caller may see an entity: it has no team, or shares one with the caller. Admins see everything. `column` holds the entity's
 * id: a campaign's own, or that of the campaign or board a message, post or story belongs to.
 */
export function withinTeams(context: Context, column: string): RawBuilder<boolean> {
  if (context.role === 'admin') return sql`true`
  return isShownTo(context, sql`${context.userId}`, sql.ref(column))
}

/** Whether the caller may see every entity of an array column. Null means that the entities are unknown; only admins may see those rows. */
export function withinTeamsOfAll(context: Context, column: string): RawBuilder<boolean> {
  if (context.role === 'admin') return sql`true`
  const scopes = sql.ref(column)
  const isShown = isShownTo(context, sql`${context.userId}`, sql.ref('scope.id'))
  return sql`(${scopes} is not null and not exists (select from unnest(${scopes}) as scope (id) where not ${isShown}))`
}

/** Whether a user who is not an admin may see an entity; both are given as SQL expressions for their ids. */
export function isShownTo(
  { accountId }: Pick<Context, 'accountId'>,
  userId: RawBuilder<unknown>,
  entityId: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const teamsOfEntity = sql`team_entities its where its.account_id = ${accountId} and its.entity_id = ${entityId}`
  return sql`((not exists (select from ${teamsOfEntity}) and not exists (
      select from restricted_entities r where r.account_id = ${accountId} and r.entity_id = ${entityId}))
    or exists (select from ${teamsOfEntity} and its.team_id in (
      select team_id from team_entities where account_id = ${accountId} and entity_id = ${userId})))`
}

/** Whether a user who is not an admin may see an entity. */
export type Sees = (userId: string, entityId: string) => boolean

/** The same for many users and entities in one query; the rows read grow with their number, not with the number of pairs. */
export async function visibleAmong(
  db: Db,
  accountId: string,
  userIds: readonly string[],
  entityIds: readonly string[],
): Promise<Sees> {
  if (userIds.length === 0 || entityIds.length === 0) return () => false
  const { rows } = await sql<{ entityId: string; teamId: string }>`
    select entity_id, team_id from team_entities where account_id = ${accountId} and entity_id = any (${[...userIds, ...entityIds]})
    union all select entity_id, '' from restricted_entities where account_id = ${accountId} and entity_id = any (${entityIds})`.execute(
    db,
  )
  const teams = new Map<string, Set<string>>()
  for (const { entityId, teamId } of rows) teams.set(entityId, (teams.get(entityId) ?? new Set()).add(teamId))
  return (userId, entityId) => {
    const those = teams.get(entityId)
    if (!those) return true
    const own = teams.get(userId)
    // Entities restricted to admins have a team without members.
    return own !== undefined && [...those].some((team) => own.has(team))
  }
}
