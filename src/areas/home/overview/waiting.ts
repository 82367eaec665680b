import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { isCallersStep, isLeftToAdmins } from '#areas/approval/item/people.ts'
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
 * Items that wait for the caller's decision: at a step that they are an approver of and have not decided at; for admins also where no approver
 * can decide any more. Ordered by when the content is due.
 */
export async function waitingFor(context: Context): Promise<{ items: Approval[]; total: number }> {
  const { db, accountId, userId, role } = context
  if (!may(role, 'approve')) return { items: [], total: 0 }
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
        and ((${isCallersStep(context, sql`i.step_id`)} and not ${isDecided}) or ${nobodyElseCan(context)})
      order by due nulls last, i.created, i.id`,
  )
}

const nobodyElseCan = (context: Context) =>
  may(context.role, 'administer') ? isLeftToAdmins(context, sql`i.step_id`, sql`i.scope_id`) : sql`false`
