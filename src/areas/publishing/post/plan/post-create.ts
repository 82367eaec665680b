import { submit } from '#areas/approval/decision/submission.ts'
import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { makeRoom } from '#kernel/room/room.ts'
import type { MessageRow } from '../../message/message.ts'
import { requirePost } from '../change/post-lock.ts'
import { postApprovable } from '../post.approvable.ts'
import { announcePost } from '../post.events.ts'
import { postsChanged } from '../post-count.ts'
import { draftOf, isQueued, isScheduled, type PostRow, plannedStatuses } from '../post-row.ts'
import { detailsOf } from '../read/post-details.ts'
import type { PostDraft } from '../read/post-shape.ts'
import { changeFirstComment } from './first-comment-change.ts'
import { holdPostMedia } from './post-media.ts'
import { planSends } from './post-plan.ts'
import { newStanding, startFrom } from './post-standing.ts'
import { holdMessage, holdProfiles, requireApproved, requirePreset } from './post-targets.ts'

export async function create(context: Context, { messageId, ...draft }: PostDraft) {
  const planned = await write(context, await holdMessage(context, messageId), draft)
  return detailsOf(context, draft.workflowId ? await submitPost(context, planned.id, draft.workflowId) : planned)
}

/** Writes a post of a message that is held, with what is to be sent of it. One that is for approval is a draft until `submitPost` lets it wait there. */
export async function write(
  context: Context,
  message: MessageRow,
  draft: Omit<PostDraft, 'messageId'>,
): Promise<PostRow> {
  const { status: asked = 'pending', workflowId = '', firstComment, ...given } = draft
  const { credentialIds } = given
  const { status, approveStatus } =
    workflowId === '' ? newStanding(context, asked) : { status: draftOf(asked), approveStatus: 'Pending' as const }
  if (isScheduled(status)) requireApproved(message)
  const { id: messageId, network, campaignId } = message
  await holdProfiles(context, credentialIds, network, isQueued(status))
  const targetingPresetId = given.targetingPresetId || null
  await requirePreset(context, targetingPresetId, credentialIds, network)

  const startDateTime = startFrom(context, given.startDateTime ?? context.now)
  const about = { ...given, messageId, campaignId, network, targetingPresetId }
  const post = await insert(context, { ...about, status, approveStatus, startDateTime })
  await changeFirstComment(context, post, firstComment ?? undefined)
  await holdPostMedia(context, post)
  const planned = await plan(context, post)
  await postsChanged(context, [], [planned])
  await announcePost(context, 'postCreated', planned)
  return planned
}

/** Lets a new post wait at the first step of a workflow. */
export async function submitPost(context: Context, id: string, workflowId: string) {
  await submit(context, postApprovable, { entityId: id, workflowId })
  return requirePost(context, id)
}

type Given = 'messageId' | 'campaignId' | 'network' | 'credentialIds' | 'targetingPresetId' | 'status' | 'approveStatus'

async function insert(context: Context, row: Pick<PostRow, Given | 'startDateTime'>) {
  const { db, accountId, userId, now, via } = context
  const unsent = db.selectFrom('posts').where('accountId', '=', accountId).where('status', 'in', plannedStatuses)
  await makeRoom(context, 'posts', unsent)
  const made = { accountId, id: newId('post', now), created: now, modified: now, createdBy: userId, modifiedBy: userId }
  return db
    .insertInto('posts')
    .values({ ...made, ...row, source: via?.by === 'session' ? 'UI' : 'API', queued: isQueued(row.status) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** In a queue it starts when its first place comes. */
async function plan(context: Context, post: PostRow): Promise<PostRow> {
  const startDateTime = await planSends(context, post)
  if (startDateTime.getTime() === post.startDateTime.getTime()) return post
  await context.db
    .updateTable('posts')
    .set({ startDateTime })
    .where('accountId', '=', context.accountId)
    .where('id', '=', post.id)
    .execute()
  return { ...post, startDateTime }
}
