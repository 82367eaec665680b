import { sql } from 'kysely'
import type { Approvable, Description, Held, Orphan, Part } from '#areas/approval/approvable.ts'
import { requireMayChange } from '#areas/approval/item/approvers.ts'
import { currentItem, type Item } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { publishingIds } from '../declarations.ts'
import { messageWording, present } from '../message/message.ts'
import {
  draftStatusOf,
  isDraft,
  isQueued,
  lockUnsentPost,
  notifyPostsChanged,
  type PlannedStatus,
  type PostRow,
  requireProfiles,
  scheduledStatusOf,
} from './post.ts'
import { updatePost } from './post-schedule.ts'

/** A post pending approval is a draft. */
export const postApprovable: Approvable = {
  idKind: publishingIds.post,
  noun: 'post',
  describe,
  wording: postWording,
  hold,
  findOrphans,
}

/** Refuses users who may not publish and do not own the post, unless it is a draft. */
export const requireMayChangePost = (context: Context, post: PostRow, item: Item | undefined) =>
  requireMayChange(context, 'post', { createdBy: post.createdBy, isDraft: isFreeDraft(post) }, item)

/** Waits for nothing, not even for the approval of its message. */
export const isFreeDraft = ({ status, awaitsMessage }: Pick<PostRow, 'status' | 'awaitsMessage'>) =>
  isDraft(status) && !awaitsMessage

async function describe({ db, accountId }: Context, ids: readonly string[]): Promise<Map<string, Description>> {
  const posts = await db
    .selectFrom('posts as p')
    .innerJoin('messages as m', (join) => join.on('m.accountId', '=', accountId).onRef('m.id', '=', 'p.messageId'))
    .select(['p.id', 'p.campaignId', 'p.messageId', 'p.network', 'p.startDateTime', 'p.status', 'm.message'])
    .where('p.accountId', '=', accountId)
    .where('p.id', 'in', ids)
    .execute()
  return new Map(
    posts.map(({ id, campaignId: scopeId, messageId, network, message: text, startDateTime, status }) => {
      const about = { scopeId, messageId, postId: id, network, text }
      if (isQueued(status)) return [id, { ...about, planned: 'in the queue of its profiles' }]
      return [id, { ...about, planned: startDateTime.toUTCString(), due: startDateTime }]
    }),
  )
}

async function hold(context: Context, id: string): Promise<Held> {
  const message = await lockCampaignAndMessage(context, id)
  const post = await lockUnsentPost(context, id)
  if (post.messageId !== message?.id) throw conflict('The post was given another message just now. Try again.')
  return {
    async submitted() {
      requireMayChangePost(context, post, await currentItem(context, id))
      if (isDraft(post.status)) return setApproveStatus(context, post, 'Pending')
      await updatePost(context, post, { status: draftStatusOf(post.status as PlannedStatus), approveStatus: 'Pending' })
    },
    async approved() {
      if (message.approveStatus !== 'Approved')
        throw conflict('The message of this post is not approved itself. Have the message approved first.')
      await requireProfiles(context, post.credentialIds, post.network, isQueued(post.status))
      // If approval took longer than planned, it is published now and not held as late.
      const startDateTime = post.startDateTime < context.now ? context.now : post.startDateTime
      await updatePost(context, post, {
        status: scheduledStatusOf(post.status),
        approveStatus: 'Approved',
        startDateTime,
      })
    },
    rejected: () => setApproveStatus(context, post, 'Rejected'),
    // A draft like any other: a contributor who schedules it sends it to approval again.
    withdrawn: ({ wasRejected }) => setApproveStatus(context, post, wasRejected ? 'Rejected' : 'Approved'),
  }
}

/** In lock order, before the post. Returns the message. */
async function lockCampaignAndMessage({ db, accountId }: Context, id: string) {
  const { rows } = await sql<{ id: string; approveStatus: string }>`
    select m.id, m.approve_status from posts p
      join campaigns c on c.account_id = ${accountId} and c.id = p.campaign_id
      join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where p.account_id = ${accountId} and p.id = ${id} ${lockRows('campaigns', 'share', 'c')} ${lockRows('messages', 'share', 'm')}`.execute(
    db,
  )
  return rows[0]
}

async function setApproveStatus(context: Context, post: PostRow, approveStatus: PostRow['approveStatus']) {
  const { db, accountId, now } = context
  await db
    .updateTable('posts')
    // From now on it has its own approvers, regardless of its message.
    .set({ approveStatus, awaitsMessage: false, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', post.id)
    .execute()
  notifyPostsChanged(context, [post])
}

/** A post that was taken back together with its message is covered by the item of the message. */
async function findOrphans({ db, accountId }: Context): Promise<Orphan[]> {
  const { rows } = await sql<Orphan>`
    select p.id, p.created_by from posts p
    where p.account_id = ${accountId} and p.approve_status = 'Pending' and p.status in ('draft', 'inqueue-draft')
      and not exists (select from workflow_items i where i.account_id = ${accountId} and i.status = 'pending'
        and (i.entity_id = p.id or (p.awaits_message and i.entity_id = p.message_id)))
    order by p.id`.execute(db)
  return rows
}

/** The parts of a post that approval covers. Its time is not one of them: rescheduling needs no new approval. */
async function postWording(context: Context, id: string): Promise<Part[]> {
  const { db, accountId } = context
  const post = await db
    .selectFrom('posts')
    .select(['messageId', 'credentialIds', 'targetingPresetId'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!post) return []
  const profiles = await db
    .selectFrom('credentials')
    .select('displayName')
    .where('accountId', '=', accountId)
    .where('id', 'in', post.credentialIds)
    .orderBy('id')
    .execute()
  const comment = await db
    .selectFrom('firstComments')
    .leftJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'firstComments.mediaId'),
    )
    .select(['firstComments.text', 'media.name'])
    .where('firstComments.accountId', '=', accountId)
    .where('firstComments.postId', '=', id)
    .executeTakeFirst()
  const preset = post.targetingPresetId && (await presetName(context, post.targetingPresetId))
  return [
    ...(await messageWording(context, post.messageId)),
    ...present([
      { name: 'First comment', text: [comment?.text, comment?.name].filter(Boolean).join('\n') },
      { name: 'Profiles', text: profiles.map(({ displayName }) => displayName).join('\n') },
      { name: 'Audience', text: preset ?? '' },
    ]),
  ]
}

const presetName = async ({ db, accountId }: Context, id: string) =>
  (
    await db
      .selectFrom('targetingPresets')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
  )?.name
