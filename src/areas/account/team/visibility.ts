import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/**
 * The condition that the caller's teams may see an entity: it has no team, or shares one with the caller. Admins see all.
 * `column` holds the entity's id: a campaign's own, or the campaign's or board's that a message, post or story follows.
 */
export function withinTeams({ accountId, userId, role }: Context, column: string): RawBuilder<boolean> {
  if (role === 'admin') return sql`true`
  const teamsOfEntity = sql`team_entities its where its.account_id = ${accountId} and its.entity_id = ${sql.ref(column)}`
  return sql`(not exists (select from ${teamsOfEntity}) or exists (
    select from ${teamsOfEntity} and its.team_id in (
      select team_id from team_entities where account_id = ${accountId} and entity_id = ${userId})))`
}
