import { submitAgain } from '#areas/approval/decision/submission.ts'
import { standingItem } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { requireUnchanged } from '#kernel/unchanged.ts'
import type { MessageRow } from '../../message/message.ts'
import { changeFirstComment } from '../plan/first-comment-change.ts'
import { holdPostMedia } from '../plan/post-media.ts'
import { standingAfter, startFrom } from '../plan/post-standing.ts'
import { holdMessage, refuseNumber, refuseOthers, requireApproved, requirePreset } from '../plan/post-targets.ts'
import { postApprovable } from '../post.approvable.ts'
import { announcePost } from '../post.events.ts'
import { isQueued, isScheduled, type PlannedStatus, type PostRow } from '../post-row.ts'
import { detailsOf } from '../read/post-details.ts'
import type { PostChanges } from '../read/post-shape.ts'
import { holdCampaigns, lockProfiles, lockUnsent, requirePost } from './post-lock.ts'
import { changePost } from './post-status.ts'

/** What is not given stays; the result is judged as a whole. */
export async function update(context: Context, { id, status: asked, firstComment, messageId, ...given }: PostChanges) {
  const known = await requirePost(context, id)
  const isOther = messageId !== undefined && messageId !== known.messageId
  // Before the post, as everybody who needs more than one of them does.
  const message = isOther
    ? await holdMessage(context, messageId, [known.campaignId])
    : await holdOwnMessage(context, known)
  const isAimed = given.credentialIds !== undefined || isOther || asked !== undefined
  const aims = given.credentialIds ?? known.credentialIds
  if (isAimed) refuseNumber(aims)
  const profiles = isAimed ? await lockProfiles(context, aims, isQueued(asked ?? known.status)) : []
  const post = await lockUnsent(context, id)
  requireUnchanged(context, post)
  const { network } = message
  const wanted = asked ?? (post.status as PlannedStatus)
  const credentialIds = given.credentialIds ?? post.credentialIds
  // Somebody may have given it other profiles until it was held.
  const found = isSame(aims, credentialIds) ? profiles : await lockProfiles(context, credentialIds, isQueued(wanted))
  if (isAimed) refuseOthers(credentialIds, found, network)
  // Empty for everybody.
  const targetingPresetId =
    given.targetingPresetId === undefined ? post.targetingPresetId : given.targetingPresetId || null
  await requirePreset(context, targetingPresetId, credentialIds, network)
  const startDateTime = startOf(context, post, given.startDateTime, asked)

  const commentChanged = await changeFirstComment(context, { ...post, network }, firstComment)
  const goesElsewhere = !isSame(credentialIds, post.credentialIds) || targetingPresetId !== post.targetingPresetId
  const item = await standingItem(context, id)
  const saysOther = isOther || commentChanged || goesElsewhere
  const { isForApprovers, ...stands } = standingAfter(context, post, item, { wanted, saysOther })
  if (isScheduled(stands.status)) requireApproved(message)
  const moved = isOther && { messageId: message.id, campaignId: message.campaignId, network }
  const targets = { ...given, credentialIds, targetingPresetId, startDateTime }
  const changed = await changePost(context, post, {
    ...{ ...moved, ...stands, ...targets },
    // Whoever says how it is to stand has decided what becomes of it.
    ...(asked && { awaitsMessage: false }),
  })
  await holdPostMedia(context, changed)
  if (item && isForApprovers) await submitAgain(context, postApprovable, item)
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
    .modifyEnd(heldRows('messages', 'share'))
    .executeTakeFirstOrThrow()
}

/** A draft may wait beyond its time; whoever schedules it then has to say another. In a queue the next place counts. */
function startOf(context: Context, post: PostRow, given: Date | undefined, asked: PlannedStatus | undefined) {
  if (given) return startFrom(context, given)
  return asked === 'pending' ? startFrom(context, post.startDateTime) : post.startDateTime
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))
