import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { Role } from '#kernel/permissions.ts'
import { visible } from './user.ts'
import type { userStatuses } from './user-shape.ts'

interface Search {
  id?: string | undefined
  q?: string | undefined
  role?: Role | undefined
  page: Page
}

/** The users of the account with their teams and the time of their last activity, by session, key or board. */
export async function list(context: Context, { id, q = '', role, page }: Search) {
  const { accountId } = context
  const of = sql`account_id = ${accountId} and user_id = users.id`
  const lastSeen = sql<Date | null>`greatest(last_login, last_board_login,
    (select max(last_used) from sessions where ${of}), (select max(last_used) from api_keys where ${of}))`
  const teamIds = sql<string[]>`array(select team_id from team_entities
    where account_id = ${accountId} and entity_id = users.id order by team_id)`
  const matching = visible(context)
    .select(['id', 'created', 'name', 'firstName', 'lastName', 'email', 'role', 'status', 'timezone', 'mediaLibrary'])
    .select([lastSeen.as('lastSeen'), teamIds.as('teamIds')])
    .select(sql<Date | null>`case when password_hash is null then invited end`.as('invited'))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(Boolean(id), (rows) => rows.where('id', '=', id as string))
    .$if(role !== undefined, (rows) => rows.where('role', '=', role as Role))
  const { items, total } = await paginate(matching, page)
  return {
    items: items.map((user) => ({
      ...user,
      role: user.role as Role,
      status: user.status as (typeof userStatuses)[number],
    })),
    total,
  }
}
