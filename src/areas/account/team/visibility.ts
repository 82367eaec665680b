import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'

/**
 * The condition that the caller's teams may see an entity: it is open to all, or shares a team with the caller. Admins see all.
 * `column` holds the entity's id: a campaign's own, or the campaign's or board's that a message, post or story follows.
 */
export function withinTeams(context: Context, column: string): RawBuilder<boolean> {
  if (context.role === 'admin') return sql`true`
  return isShownTo(context, sql`${context.userId}`, sql.ref(column))
}

/**
 * The condition that the caller's teams may see every entity of an array column: whatever concerns several is seen by those who see all of
 * them. Null says that nobody knows which; then only admins do.
 */
export function withinTeamsOfAll(context: Context, column: string): RawBuilder<boolean> {
  if (context.role === 'admin') return sql`true`
  const scopes = sql.ref(column)
  const isShown = isShownTo(context, sql`${context.userId}`, sql.ref('scope.id'))
  return sql`(${scopes} is not null and not exists (select from unnest(${scopes}) as scope (id) where not ${isShown}))`
}

/** The condition that the teams of a user who is no admin may see an entity; both are named by an expression for their id. */
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

/** Whether the teams of a user, who is no admin, may see an entity. */
export type Sees = (userId: string, entityId: string) => boolean

/** The same for many users and entities, asked at once; what is read grows with their number, not with that of the pairs. */
export async function seenAmong(
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
    // What is kept to the admins has a team that nobody is in.
    return own !== undefined && [...those].some((team) => own.has(team))
  }
}
