import { sql } from 'kysely'
import { isShownTo, withinTeams } from '#areas/account/team/visibility.ts'
import { canApprove } from '#areas/approval/workflow/workflow-step.ts'
import type { Context } from '#kernel/context.ts'
import { may } from '#kernel/permissions.ts'
import { listed } from './listed.ts'

export interface Approval {
  id: string
  entityId: string
  postId: string
  network: string
  createdBy: string
  created: Date
  due: Date | null
  text: string
}

/**
 * What waits for the caller's word: items at a step where they are named and have not decided yet; for admins also those at steps where nobody
 * who is named can decide any more. What goes out first stands first.
 */
export async function waitingFor(context: Context): Promise<{ items: Approval[]; total: number }> {
  const { db, accountId, userId, role } = context
  if (!may(role, 'approve')) return { items: [], total: 0 }
  const isNamed = sql`exists (select from workflow_approvers a
    where a.account_id = ${accountId} and a.step_id = i.step_id and a.user_id = ${userId})`
  const isDecided = sql`exists (select from workflow_decisions d where d.account_id = ${accountId} and d.item_id = i.id
    and d.round = i.round and d.step_id = i.step_id and d.user_id = ${userId})`
  return listed(
    db,
    sql<Approval>`
      select i.id, i.entity_id, i.post_id, i.network, i.created_by, i.created,
        (select p.start_date_time from posts p where p.account_id = ${accountId} and p.id = i.post_id) as due,
        coalesce((select left(m.message, 90) from messages m where m.account_id = ${accountId} and m.id = i.message_id
          and ${withinTeams(context, 'm.campaign_id')}),
          (select left(coalesce(nullif(s.title, ''), s.description), 90) from stories s
          where s.account_id = ${accountId} and s.id = i.entity_id), '') as text
      from workflow_items i
      where i.account_id = ${accountId} and i.status = 'pending' and ${withinTeams(context, 'i.scope_id')}
        and ((${isNamed} and not ${isDecided}) or ${nobodyElseCan(context)})
      order by due nulls last, i.created, i.id`,
  )
}

const nobodyElseCan = ({ accountId, role }: Context) =>
  may(role, 'administer')
    ? sql`not exists (select from workflow_approvers a join users u on u.account_id = ${accountId} and u.id = a.user_id
        where a.account_id = ${accountId} and a.step_id = i.step_id and ${canApprove}
        and (u.role = 'admin' or ${isShownTo({ accountId }, sql`u.id`, sql`i.scope_id`)}))`
    : sql`false`
