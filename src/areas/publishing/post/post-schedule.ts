import { sql } from 'kysely'
import type { Item } from '#areas/approval/item/item.ts'
import { holdMedia } from '#areas/media/asset/asset.ts'
import { addSends, type NewSend, removeSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { takeSlot } from '../queue/queue-slot.ts'
import {
  draftStatusOf,
  isDraft,
  isQueued,
  isScheduled,
  type PlannedStatus,
  type PostRow,
  postsChanged,
} from './post.ts'

/**
 * Replaces the sends of an unsent post: one per profile, and one for the first comment there. A worker that is preparing an old one will
 * not find it any more. Returns the time of the first send.
 */
export async function scheduleSends(context: Context, post: PostRow): Promise<Date> {
  const before = await removeSends(context, [post.id])
  const slots = new Map(
    before.flatMap(({ kind, credentialId, slot }) => (kind === 'post' ? [[credentialId, slot]] : [])),
  )
  const { paused, hasComment } = await readConditions(context, post)
  const scheduled = isScheduled(post.status)
  const about = { contentId: post.id, groupId: post.campaignId, network: post.network }
  const state = scheduled ? 'waiting' : 'idle'

  const sends: NewSend[] = []
  // Sorted: taking a queue slot locks the profile.
  for (const credentialId of [...post.credentialIds].sort()) {
    const slot = isQueued(post.status) ? await chooseSlot(context, post, credentialId, slots.get(credentialId)) : null
    const planned = slot ?? post.startDateTime
    const due = scheduled && !paused ? planned : null
    sends.push({ ...about, credentialId, kind: 'post', state, planned, due, slot })
    if (hasComment) sends.push({ ...about, credentialId, kind: 'first-comment', state: 'idle', planned })
  }
  await addSends(context, sends)
  const times = sends.map(({ planned }) => planned.getTime())
  return times.length > 0 ? new Date(Math.min(...times)) : post.startDateTime
}

/** Keeps the current slot if it is in the future and not before the start time. */
async function chooseSlot(context: Context, post: PostRow, credentialId: string, keptSlot: Date | null | undefined) {
  if (keptSlot && keptSlot > context.now && keptSlot >= post.startDateTime) return keptSlot
  const after = post.startDateTime > context.now ? new Date(post.startDateTime.getTime() - 1) : context.now
  return takeSlot(context, credentialId, after)
}

async function readConditions({ db, accountId }: Context, { campaignId, id }: PostRow) {
  const { rows } = await sql<{ paused: boolean; hasComment: boolean }>`
    select c.status = 'paused' as paused, exists (
      select from first_comments f where f.account_id = ${accountId} and f.post_id = ${id}) as has_comment
    from campaigns c where c.account_id = ${accountId} and c.id = ${campaignId} ${lockRows('campaigns', 'share', 'c')}`.execute(
    db,
  )
  return rows[0] ?? { paused: false, hasComment: false }
}

/** Updates a post locked by `lockUnsentPost`, reschedules its sends and updates the counters. */
export async function updatePost(context: Context, before: PostRow, changes: Partial<PostRow>): Promise<PostRow> {
  const { db, accountId, userId, now } = context
  const status = changes.status ?? before.status
  const next: PostRow = { ...before, ...changes, status, queued: isQueued(status) }
  const startDateTime = await scheduleSends(context, next)
  const after = await db
    .updateTable('posts')
    // Changes by the system, such as an approval, do not count as edits by a user.
    .set({ ...changes, queued: next.queued, startDateTime, modified: now, ...(userId && { modifiedBy: userId }) })
    .where('accountId', '=', accountId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await postsChanged(context, [before], [after])
  return after
}

type PostApproval = Pick<PostRow, 'approveStatus'> & { status: PlannedStatus }

/** The status of a new post: without permission to approve it becomes a draft pending approval. */
export function initialStatus({ role }: Context, wanted: PlannedStatus): PostApproval {
  if (!isScheduled(wanted) || may(role, 'approve')) return { status: wanted, approveStatus: 'Approved' }
  return { status: draftStatusOf(wanted), approveStatus: 'Pending' }
}

interface StatusChange {
  /** As the caller gave it. */
  requested: PlannedStatus | undefined
  /** The content or its targets change. */
  contentChanged: boolean
  timeChanged: boolean
  /** It still waits for the approval of its message, to be scheduled then. */
  awaits: boolean
}

/** Where the post is submitted after a change: to its approvers again, to the default workflow, or not at all. */
type Approval = 'again' | 'default' | 'none'

/** The status after a change, and whether the post needs approval because of it. */
export function statusAfterChange(
  { role }: Context,
  post: PostRow,
  item: Item | undefined,
  { requested, contentChanged, timeChanged, awaits }: StatusChange,
): PostApproval & { approval: Approval } {
  const wanted = requested ?? (post.status as PlannedStatus)
  const mayApprove = may(role, 'approve')
  const schedules = isScheduled(wanted) && isDraft(post.status)
  const isPlanned = (isScheduled(post.status) && isScheduled(wanted)) || awaits
  // Without permission to publish, the approval also covers the time: otherwise a user could publish an approved post right now.
  const needsReview = contentChanged || (!mayApprove && timeChanged && (isPlanned || item?.status === 'pending'))
  const draft = draftStatusOf(wanted)
  const before = post.approveStatus
  if (item && needsApprovers(item, { schedules, needsReview, mayApprove }))
    return { status: draft, approveStatus: 'Pending', approval: 'again' }
  if (item && item.status !== 'approved') return { status: draft, approveStatus: before, approval: 'none' }
  if (!mayApprove && (schedules || (isPlanned && needsReview)))
    return { status: draft, approveStatus: 'Pending', approval: 'default' }
  if (isScheduled(wanted)) return { status: wanted, approveStatus: 'Approved', approval: 'none' }
  // A draft that no longer awaits its message is not pending.
  const isReleased = before === 'Pending' && !awaits
  return { status: wanted, approveStatus: isReleased ? 'Approved' : before, approval: 'none' }
}

interface Edit {
  schedules: boolean
  needsReview: boolean
  mayApprove: boolean
}

/** Only approvers can schedule a pending or rejected post, and an approved one cannot be changed without them. */
function needsApprovers({ status }: Item, { schedules, needsReview, mayApprove }: Edit): boolean {
  if (status === 'pending') return schedules || needsReview
  if (status === 'rejected') return schedules
  return needsReview || (schedules && !mayApprove)
}

/** A time slightly in the past means now. One further back is refused as a likely mistake, since publishing cannot be undone. */
export function resolveStartTime({ now, lateness }: Context, time: Date): Date {
  if (time >= now) return time
  if (now.getTime() - time.getTime() <= lateness) return now
  const formatted = time.toISOString().slice(0, 19).replace('T', ' ')
  throw invalid(
    `startDateTime is ${formatted} UTC, which has passed. Give a moment to come, in Unix seconds or as YYYY-MM-DD HH:MM:SS.`,
  )
}

/** Protects the media of a post and its first comment from deletion; refuses if some were deleted already. */
export async function holdPostMedia(context: Context, { id, messageId }: Pick<PostRow, 'id' | 'messageId'>) {
  const { db, accountId } = context
  const ofMessage = await db
    .selectFrom('messageMedia')
    .select('mediaId')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .execute()
  const ofComment = await db
    .selectFrom('firstComments')
    .select('mediaId')
    .where('accountId', '=', accountId)
    .where('postId', '=', id)
    .where('mediaId', 'is not', null)
    .execute()
  const needed = [...new Set([...ofMessage, ...ofComment].flatMap(({ mediaId }) => mediaId ?? []))]
  await requireMedia(context, needed)
  await holdMedia(context, id, needed, 'a scheduled post')
}

async function requireMedia({ db, accountId }: Context, needed: readonly string[]) {
  if (needed.length === 0) return
  const found = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', needed)
    .execute()
  if (found.length < needed.length)
    throw conflict('Media of the post were deleted: give the message other media, or none, first.')
}
