import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { pendingItem, restartApproval } from '../approval/approval.ts'
import type { MessageRow } from '../message/message.ts'
import { type CommentChange, changeFirstComment } from './first-comment-change.ts'
import { announcePost } from './post.events.ts'
import { detailsOf } from './post-details.ts'
import { holdCampaigns, lockUnsent, requirePost } from './post-lock.ts'
import { holdPostMedia } from './post-media.ts'
import { isQueued, isScheduled, type PlannedStatus, type PostRow } from './post-row.ts'
import { atLeastNow, standing } from './post-standing.ts'
import { changePost } from './post-status.ts'
import { holdMessage, holdProfiles, requireApproved, requirePreset } from './post-targets.ts'

interface Changes {
  id: string
  messageId?: string | undefined
  credentialIds?: string[] | undefined
  startDateTime?: Date | undefined
  status?: PlannedStatus | undefined
  /** Empty for everybody. */
  targetingPresetId?: string | undefined
  firstComment?: CommentChange | undefined
}

/** What is not given stays; the result is judged as a whole. */
export async function update(context: Context, { id, status: asked, firstComment, ...given }: Changes) {
  const known = await requirePost(context, id)
  const isOther = given.messageId !== undefined && given.messageId !== known.messageId
  // Before the post, as everybody who needs more than one of them does.
  const message = isOther
    ? await holdMessage(context, given.messageId as string, [known.campaignId])
    : await holdOwnMessage(context, known)
  const post = await lockUnsent(context, id)
  const item = await pendingItem(context, id)
  if (item && asked && isScheduled(asked))
    throw conflict(`The post waits for approval at the step "${item.stepName}"; it is scheduled when it is approved.`)

  const stands = standing(context, asked ?? (post.status as PlannedStatus), post.approveStatus)
  if (isScheduled(stands.status)) requireApproved(message)
  const { network } = message
  const credentialIds = given.credentialIds ?? post.credentialIds
  if (given.credentialIds || isOther) await holdProfiles(context, credentialIds, network, isQueued(stands.status))
  const targetingPresetId =
    given.targetingPresetId === undefined ? post.targetingPresetId : given.targetingPresetId || null
  await requirePreset(context, targetingPresetId, credentialIds, network)

  await changeFirstComment(context, { ...post, network }, firstComment)
  const moved = isOther && { messageId: message.id, campaignId: message.campaignId, network }
  const startDateTime = startOf(context, post, given.startDateTime, asked)
  const changed = await changePost(context, post, {
    ...moved,
    ...stands,
    credentialIds,
    targetingPresetId,
    startDateTime,
  })
  await holdPostMedia(context, changed)
  if (item) await restartApproval(context, id)
  await announcePost(context, 'postModified', changed)
  return detailsOf(context, await requirePost(context, id))
}

/** That of the post as it is, whoever may see it. */
async function holdOwnMessage(context: Context, { campaignId, messageId }: PostRow): Promise<MessageRow> {
  await holdCampaigns(context, [campaignId])
  return context.db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', '=', messageId)
    .forShare()
    .executeTakeFirstOrThrow()
}

/** Who schedules a draft whose time has passed means now. */
function startOf(context: Context, post: PostRow, given: Date | undefined, asked: PlannedStatus | undefined) {
  if (given) return atLeastNow(context, given)
  return asked && isScheduled(asked) ? atLeastNow(context, post.startDateTime) : post.startDateTime
}
