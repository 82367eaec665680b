import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Approvable, Description, Held, Orphan } from '#areas/approval/approvable.ts'
import { requireMayChange } from '#areas/approval/item/approvers.ts'
import { standingItem } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { publishingIds } from '../declarations.ts'
import { holdAwaiting, holdCampaignsOfAwaiting, markAwaiting, resumeAwaiting } from './awaiting-posts.ts'
import { messageWording } from './message.ts'

/** No post of a message can be scheduled while the message is pending approval. */
export const messageApprovable: Approvable = {
  idKind: publishingIds.message,
  noun: 'message',
  describe,
  wording: messageWording,
  hold,
  findOrphans,
}

async function describe(context: Context, ids: readonly string[]): Promise<Map<string, Description>> {
  const messages = await existing(context)
    .select(['id', 'campaignId', 'network', 'message'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    messages.map(({ id, campaignId: scopeId, network, message: text }) => {
      return [id, { scopeId, messageId: id, network, text, planned: 'not yet' }]
    }),
  )
}

async function hold(context: Context, id: string): Promise<Held> {
  await holdCampaignsOfAwaiting(context, id)
  const message = await existing(context)
    .select(['id', 'createdBy'])
    .where('id', '=', id)
    .where(withinTeams(context, 'messages.campaign_id'))
    .modifyEnd(lockRows('messages', 'update'))
    .executeTakeFirst()
  if (!message) throw missing('Message')
  const posts = await holdAwaiting(context, id)
  const markAll = async (approveStatus: ApproveStatus) => {
    await mark(context, id, approveStatus)
    await markAwaiting(context, posts, approveStatus)
  }
  return {
    async submitted() {
      const about = { createdBy: message.createdBy, isDraft: true }
      requireMayChange(context, 'message', about, await standingItem(context, id))
      await refuseWhileScheduled(context, id)
      await markAll('Pending')
    },
    async approved() {
      await mark(context, id, 'Approved')
      await resumeAwaiting(context, posts)
    },
    rejected: () => markAll('Rejected'),
    async withdrawn({ wasRejected }) {
      if (wasRejected) return markAll('Rejected')
      await mark(context, id, 'Approved')
      await markAwaiting(context, posts, 'Approved', { stillAwait: false })
    },
  }
}

async function findOrphans({ db, accountId }: Context): Promise<Orphan[]> {
  const { rows } = await sql<Orphan>`
    select m.id, m.created_by from messages m
    where m.account_id = ${accountId} and m.approve_status = 'Pending' and m.deleted is null
      and not exists (select from workflow_items i
        where i.account_id = ${accountId} and i.status = 'pending' and i.entity_id = m.id)
    order by m.id`.execute(db)
  return rows
}

type ApproveStatus = 'Approved' | 'Pending' | 'Rejected'

const existing = ({ db, accountId }: Context) =>
  db.selectFrom('messages').where('accountId', '=', accountId).where('deleted', 'is', null)

/** Scheduling a post locks its message; the caller holds that lock too, so the count is stable. */
async function refuseWhileScheduled({ db, accountId }: Context, messageId: string) {
  const { count } = await db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('status', 'in', ['pending', 'inqueue'])
    .executeTakeFirstOrThrow()
  if (count === 0) return
  const many = count === 1 ? '1 scheduled post uses' : `${count} scheduled posts use`
  throw conflict(`${many} this message. Make drafts of them, or send the posts to approval instead.`)
}

async function mark({ db, accountId, now }: Context, id: string, approveStatus: ApproveStatus) {
  await db
    .updateTable('messages')
    .set({ approveStatus, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}
