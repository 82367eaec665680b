import { sql } from 'kysely'
import type { Approvable, Description, Held } from '#areas/approval/approvable.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { lockUnsent } from './change/post-lock.ts'
import { changePost } from './change/post-status.ts'
import { holdProfiles } from './plan/post-targets.ts'
import { hintPosts } from './post-hints.ts'
import { draftOf, isDraft, isQueued, type PlannedStatus, type PostRow, scheduledOf } from './post-row.ts'
import { postWording } from './post-wording.ts'

/** Posts wait for approval as drafts. */
export const postApprovable: Approvable = { idKind: 'post', noun: 'post', describe, wording: postWording, hold }

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
  const message = await holdAbove(context, id)
  const post = await lockUnsent(context, id)
  if (post.messageId !== message?.id) throw conflict('The post was given another message just now. Try again.')
  return {
    async submitted() {
      if (isDraft(post.status)) return mark(context, post, 'Pending')
      await changePost(context, post, { status: draftOf(post.status as PlannedStatus), approveStatus: 'Pending' })
    },
    async approved() {
      if (message.approveStatus !== 'Approved')
        throw conflict('The message of this post is not approved itself. Have the message approved first.')
      await holdProfiles(context, post.credentialIds, post.network, isQueued(post.status))
      // Approval took longer than planned: it goes out now, not late.
      const startDateTime = post.startDateTime < context.now ? context.now : post.startDateTime
      await changePost(context, post, { status: scheduledOf(post.status), approveStatus: 'Approved', startDateTime })
    },
    rejected: () => mark(context, post, 'Rejected'),
    async withdrawn({ wasRejected }) {
      if (wasRejected) return mark(context, post, 'Rejected')
      // What a contributor made still needs somebody who approves it.
      await mark(context, post, (await isByContributor(context, post)) ? 'Pending' : 'Approved')
    },
  }
}

/** Holds campaign and message, in this order and before the post, as everybody does. Gives the message. */
async function holdAbove({ db, accountId }: Context, id: string) {
  const { rows } = await sql<{ id: string; approveStatus: string }>`
    select m.id, m.approve_status from posts p
      join campaigns c on c.account_id = ${accountId} and c.id = p.campaign_id
      join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where p.account_id = ${accountId} and p.id = ${id} ${heldRows('campaigns', 'share', 'c')} ${heldRows('messages', 'share', 'm')}`.execute(
    db,
  )
  return rows[0]
}

/** A draft stays what it is, whatever is thought of it. */
async function mark(context: Context, post: PostRow, approveStatus: PostRow['approveStatus']) {
  const { db, accountId, now } = context
  await db
    .updateTable('posts')
    .set({ approveStatus, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', post.id)
    .execute()
  hintPosts(context, [post])
}

async function isByContributor({ db, accountId }: Context, { createdBy }: PostRow): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select('role')
    .where('accountId', '=', accountId)
    .where('id', '=', createdBy)
    .executeTakeFirst()
  return user?.role === 'contributor'
}
