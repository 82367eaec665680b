import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Approvable, Description, Held, Orphan } from '#areas/approval/approvable.ts'
import { requireMayChange } from '#areas/approval/item/approvers.ts'
import { currentItem, currentItems } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { publishingIds } from '../declarations.ts'
import { announceChange } from '../post/post.events.ts'
import { lockCampaigns, lockProfilesOf, notifyPostsChanged, type PostRow, scheduledStatusOf } from '../post/post.ts'
import { updatePost } from '../post/post-schedule.ts'
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
  await lockCampaignsOfAwaiting(context, id)
  const message = await existing(context)
    .select(['id', 'createdBy'])
    .where('id', '=', id)
    .where(withinTeams(context, 'messages.campaign_id'))
    .modifyEnd(lockRows('messages', 'update'))
    .executeTakeFirst()
  if (!message) throw missing('Message')
  const posts = await lockAwaiting(context, id)
  const markAll = async (approveStatus: ApproveStatus) => {
    await mark(context, id, approveStatus)
    await markAwaiting(context, posts, approveStatus)
  }
  return {
    async submitted() {
      const about = { createdBy: message.createdBy, isDraft: true }
      requireMayChange(context, 'message', about, await currentItem(context, id))
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
  const subject = count === 1 ? '1 scheduled post uses' : `${count} scheduled posts use`
  throw conflict(`${subject} this message. Make drafts of them, or send the posts to approval instead.`)
}

async function mark({ db, accountId, now }: Context, id: string, approveStatus: ApproveStatus) {
  await db
    .updateTable('messages')
    .set({ approveStatus, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Lock order: campaigns before messages. Deciding on a message therefore locks the campaigns of the posts that await it first. */
async function lockCampaignsOfAwaiting(context: Context, messageId: string) {
  const rows = await awaiting(context, messageId).select('campaignId').distinct().execute()
  const ids = rows.map(({ campaignId }) => campaignId)
  if (ids.length > 0) await lockCampaigns(context, ids)
}

/** Locks the posts that await a message. The caller has locked the message, so their profiles cannot change. */
async function lockAwaiting(context: Context, messageId: string): Promise<PostRow[]> {
  const known = await awaiting(context, messageId).select(['credentialIds', 'status']).execute()
  if (known.length === 0) return []
  await lockProfilesOf(context, known)
  return awaiting(context, messageId).selectAll().orderBy('id').modifyEnd(lockRows('posts', 'update')).execute()
}

/** Called when the message is approved again: posts withdrawn with it are scheduled as planned, or for now if that time has passed. */
async function resumeAwaiting(context: Context, posts: readonly PostRow[]) {
  const items = await currentItems(
    context,
    posts.map(({ id }) => id),
  )
  for (const post of posts) {
    // Its own approval was requested in the meantime.
    if (items.has(post.id)) continue
    const startDateTime = post.startDateTime < context.now ? context.now : post.startDateTime
    const scheduled = { status: scheduledStatusOf(post.status), approveStatus: 'Approved' as const, startDateTime }
    const changed = await updatePost(context, post, { ...scheduled, awaitsMessage: false })
    await announceChange(context, post, changed)
  }
}

/** Marks posts as pending because their message was not approved or is pending again. Without `stillAwait` they become plain drafts. */
async function markAwaiting(
  context: Context,
  posts: readonly PostRow[],
  approveStatus: PostRow['approveStatus'],
  { stillAwait = true } = {},
) {
  if (posts.length === 0) return
  const { db, accountId, now } = context
  await db
    .updateTable('posts')
    .set({ approveStatus, awaitsMessage: stillAwait, modified: now })
    .where('accountId', '=', accountId)
    .where(
      'id',
      'in',
      posts.map(({ id }) => id),
    )
    .execute()
  notifyPostsChanged(context, posts)
}

const awaiting = ({ db, accountId }: Context, messageId: string) =>
  db
    .selectFrom('posts')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .where('awaitsMessage', '=', true)
    .where('status', 'in', ['draft', 'inqueue-draft'])
