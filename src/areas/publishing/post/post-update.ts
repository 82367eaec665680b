import { submitAgain, submitToDefault } from '#areas/approval/decision/submission.ts'
import { mayDecide } from '#areas/approval/item/approvers.ts'
import { currentItem, type Item, moveItems } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forbidden, invalid, Refusal } from '#kernel/errors.ts'
import { expectedOf, requireUnchanged, tagOf } from '#kernel/etag.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { may } from '#kernel/permissions.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import type { MessageRow } from '../message/message.ts'
import { postApprovable, requireMayChangePost } from './post.approvable.ts'
import { announceChange } from './post.events.ts'
import {
  checkProfileCount,
  checkProfiles,
  draftStatusOf,
  isQueued,
  isScheduled,
  lockCampaigns,
  lockProfiles,
  lockUnsentPost,
  type PlannedStatus,
  type PostRow,
  requirePost,
} from './post.ts'
import {
  lockMessage,
  refuseGatedPost,
  requireApprovedMessage,
  requireTargetingPreset,
  setFirstComment,
} from './post-create.ts'
import { deletePost } from './post-end.ts'
import { detailsOf } from './post-queries.ts'
import { holdPostMedia, resolveStartTime, statusAfterChange, updatePost } from './post-schedule.ts'
import type { PostChanges } from './post-shape.ts'
/** Omitted fields stay; the result is validated as a whole. */
export async function update(
  context: Context,
  { id, status: requested, firstComment, messageId, ...given }: PostChanges,
) {
  const known = await requirePost(context, id)
  const isOtherMessage = messageId !== undefined && messageId !== known.messageId
  // Lock order: campaign and message before profiles, profiles before the post.
  const message = isOtherMessage
    ? await lockMessage(context, messageId, [known.campaignId])
    : await lockOwnMessage(context, known)
  const targetsChange = given.credentialIds !== undefined || isOtherMessage || requested !== undefined
  const targetIds = given.credentialIds ?? known.credentialIds
  if (targetsChange) checkProfileCount(targetIds)
  const profiles = targetsChange ? await lockProfiles(context, targetIds, isQueued(requested ?? known.status)) : []
  const post = await lockUnsentPost(context, id)
  requireUnchanged(context, post)
  const item = await currentItem(context, id)
  requireMayChangePost(context, post, item)
  const { network } = message
  const wanted = requested ?? (post.status as PlannedStatus)
  const credentialIds = given.credentialIds ?? post.credentialIds
  // The profiles may have changed before we got the lock.
  const found = isSameSet(targetIds, credentialIds)
    ? profiles
    : await lockProfiles(context, credentialIds, isQueued(wanted))
  if (targetsChange) {
    checkProfiles(credentialIds, found, network)
    await refuseGatedPost(context, { credentialIds, message })
  }
  // An empty value removes the preset.
  const targetingPresetId =
    given.targetingPresetId === undefined ? post.targetingPresetId : given.targetingPresetId || null
  await requireTargetingPreset(context, targetingPresetId, credentialIds, network)
  const startDateTime = chooseStartTime(context, post, given.startDateTime, requested)

  const commentChanged = await setFirstComment(context, { ...post, network, credentialIds }, firstComment)
  const targetChanged = !isSameSet(credentialIds, post.credentialIds) || targetingPresetId !== post.targetingPresetId
  // An explicit status or another message overrides waiting for the approval of the message.
  const awaitsMessage = post.awaitsMessage && requested === undefined && !isOtherMessage
  const { approval, ...status } = statusAfterChange(context, post, item, {
    requested,
    contentChanged: isOtherMessage || commentChanged || targetChanged,
    timeChanged: startDateTime.getTime() !== post.startDateTime.getTime() || isQueued(wanted) !== isQueued(post.status),
    awaits: awaitsMessage,
  })
  if (isScheduled(status.status)) requireApprovedMessage(message)
  const moved = isOtherMessage && { messageId: message.id, campaignId: message.campaignId, network }
  const targets = { ...given, credentialIds, targetingPresetId, startDateTime }
  const changed = await updatePost(context, post, {
    ...moved,
    ...status,
    ...targets,
    awaitsMessage: awaitsMessage && approval === 'none',
  })
  await holdPostMedia(context, changed)
  if (changed.campaignId !== post.campaignId) await moveItems(context, id, changed.campaignId)
  if (approval !== 'none') await returnToApproval(context, changed, item)
  await announceChange(context, post, changed)
  return detailsOf(context, await requirePost(context, id))
}

/** Sends a locked post, which was made a draft pending approval, to its approvers again or to the default workflow. */
const returnToApproval = (context: Context, post: PostRow, item: Item | undefined) =>
  item
    ? submitAgain(context, postApprovable, item)
    : submitToDefault(context, postApprovable, { entityId: post.id, createdBy: context.userId })

/** Regardless of whether the caller may see the message. */
async function lockOwnMessage(context: Context, { campaignId, messageId }: PostRow): Promise<MessageRow> {
  await lockCampaigns(context, [campaignId])
  return context.db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', '=', messageId)
    .modifyEnd(lockRows('messages', 'share'))
    .executeTakeFirstOrThrow()
}

/** The time of a draft may have passed; scheduling it then requires a new one. A queued post takes the next slot. */
function chooseStartTime(
  context: Context,
  post: PostRow,
  given: Date | undefined,
  requested: PlannedStatus | undefined,
) {
  if (given) return resolveStartTime(context, given)
  return requested === 'pending' ? resolveStartTime(context, post.startDateTime) : post.startDateTime
}

const isSameSet = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))

/**
 * Moves a post to another campaign; its message stays, and so does its approval if the caller may publish. Others could otherwise move it out
 * of a paused campaign.
 */
export async function changeCampaign(context: Context, { id, campaignId }: { id: string; campaignId: string }) {
  const known = await requirePost(context, id)
  await requireCampaign(context, campaignId)
  const campaigns = await lockCampaigns(context, [known.campaignId, campaignId])
  const target = campaigns.find((campaign) => campaign.id === campaignId)
  if (!target || target.deleted || target.status === 'archived')
    throw invalid('campaignId names a campaign that is archived; nothing is published in it any more.')
  const post = await lockUnsentPost(context, id)
  requireUnchanged(context, post)
  const item = await currentItem(context, id)
  requireMayChangePost(context, post, item)
  if (item?.status === 'pending' && !(await mayDecide(context, item)))
    throw forbidden('The post waits for approval; only the approvers of its step and admins move it.')
  const isPlanned = isScheduled(post.status) || post.awaitsMessage
  const needsApproval = !may(context.role, 'approve') && isPlanned && campaignId !== post.campaignId
  const draft = {
    status: draftStatusOf(post.status as PlannedStatus),
    approveStatus: 'Pending',
    awaitsMessage: false,
  } as const
  const changed = await updatePost(context, post, { campaignId, ...(needsApproval && draft) })
  await moveItems(context, id, campaignId)
  if (needsApproval) await returnToApproval(context, changed, item)
  await announceChange(context, post, changed)
  return detailsOf(context, changed)
}

export async function remove(context: Context, { id }: { id: string }) {
  const post = await lockUnsentPost(context, id)
  requireUnchanged(context, post)
  requireMayChangePost(context, post, await currentItem(context, id))
  await deletePost(context, post)
}

export const bulkActions = ['move', 'change-campaign', 'delete'] as const

interface BulkChange {
  action: (typeof bulkActions)[number]
  items: readonly {
    id: string
    startDateTime?: Date | undefined
    /** The entity tag the caller knows; a post changed since then is refused. */
    ifMatch?: string | undefined
  }[]
  campaignId?: string | undefined
}

export interface BulkResult {
  id: string
  /** Empty if it succeeded. */
  problem: string
  /** The new entity tag; empty if it was refused or deleted. */
  tag: string
}

/** Applies an action to each post in a transaction of its own; a refusal does not affect the others. */
export async function bulkChange(outside: ExternalIo, changes: BulkChange): Promise<BulkResult[]> {
  if (changes.action === 'change-campaign' && !changes.campaignId) throw invalid('campaignId must be given.')
  if (changes.action === 'move' && changes.items.some(({ startDateTime }) => !startDateTime))
    throw invalid('startDateTime must be given for each of the items.')
  const results: BulkResult[] = []
  for (const item of changes.items) {
    const outcome = await outside
      .step((context) => changeOne({ ...context, expected: expectedOf(item.ifMatch || undefined) }, changes, item))
      .then((changed) => ({ problem: '', tag: changed ? tagOf(changed.modified) : '' }))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
        return { problem: error.message, tag: '' }
      })
    results.push({ id: item.id, ...outcome })
  }
  return results
}

async function changeOne(
  context: Context,
  { action, campaignId = '' }: BulkChange,
  item: BulkChange['items'][number],
): Promise<{ modified: Date } | undefined> {
  const { id, startDateTime } = item
  if (action === 'move') return update(context, { id, startDateTime })
  if (action === 'change-campaign') return changeCampaign(context, { id, campaignId })
  await remove(context, { id })
  return undefined
}

/** Records the number of posts in the audit log. */
export async function auditBulkChange(context: Context, results: readonly BulkResult[]) {
  const changed = results.filter(({ problem }) => problem === '')
  const [first = results[0]] = changed
  if (first) context.about({ id: first.id, count: changed.length })
  return { items: results }
}
