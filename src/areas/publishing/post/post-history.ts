import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { isOfSeenMessage } from '../message/message.ts'
import { requirePost } from './post.ts'

/** Actions by users, then by the service. */
export const historyKinds = [
  'made',
  'changed',
  'words changed',
  'moved',
  'to approval',
  'out of approval',
  'approved',
  'rejected',
  'repaired',
  'sent',
  'failed',
  'unconfirmed',
] as const

interface Entry {
  at: Date
  kind: (typeof historyKinds)[number]
  userId: string
  userName: string
  credentialId: string
  fields: string[]
  /** The error, or the note of a decision. */
  text: string
  remoteUrl: string
}

const mostEntries = 200

/** Operations in the audit log and their meaning for a post. */
const operations = {
  'POST /post/{id}': 'changed',
  'POST /message/{id}': 'words changed',
  'POST /post/{id}/change-campaign': 'moved',
  'DELETE /workflow-item/{id}': 'out of approval',
  'POST /app/api/post/{id}/repair': 'repaired',
  'POST /app/api/postlog/{id}/repair': 'repaired',
} as const satisfies { [operation: string]: Entry['kind'] }

/** The history of a post, latest first. Its creation comes from its row; changes are known as long as the audit log keeps them. */
export async function history(context: Context, { id }: { id: string }) {
  const { created, createdBy } = await requirePost(context, id)
  const { db, accountId } = context
  const names = Object.keys(operations)
  const { rows } = await sql<Entry>`
    with contents as (
      select ${id}::text as id union all select p.message_id from posts p
      where p.account_id = ${accountId} and p.id = ${id} and ${isOfSeenMessage(context, 'p.message_id')}),
    items as (
      select i.id, i.created, i.created_by from workflow_items i
      where i.account_id = ${accountId} and i.entity_id = any (array(select c.id from contents c))),
    logs as (
      select l.* from postlogs l where l.account_id = ${accountId} and l.post_id = ${id}),
    entries as (
      select d.created as at, k.kind, d.user_id, '' as credential_id, d.fields, '' as text, '' as remote_url
      from deeds d join unnest(${names}::text[], ${Object.values(operations)}::text[]) as k (operation, kind) on k.operation = d.operation
      where d.account_id = ${accountId} and d.entity_id = any (array(select c.id from contents c)
        || array(select i.id from items i) || array(select l.id from logs l))
      union all select i.created, 'to approval', i.created_by, '', '{}', '', '' from items i
      union all select w.created, case when w.is_approve then 'approved' else 'rejected' end, w.user_id, '', '{}', w.note, ''
      from workflow_decisions w where w.account_id = ${accountId} and w.item_id in (select i.id from items i)
      union all select coalesce(l.published_date, l.modified), case when l.status = 'success' then 'sent' when l.is_unconfirmed then 'unconfirmed' else 'failed' end,
        '', l.credential_id, '{}', l.error, l.remote_url from logs l
      union all select ${created}::timestamptz, 'made', ${createdBy}, '', '{}', '', '')
    select e.*, coalesce((select u.name from users u where u.account_id = ${accountId} and u.id = e.user_id), '') as user_name
    from entries e order by e.at desc, e.kind = 'made' limit ${sql.lit(mostEntries + 1)}`.execute(db)
  return { items: rows.slice(0, mostEntries), isAll: rows.length <= mostEntries }
}
