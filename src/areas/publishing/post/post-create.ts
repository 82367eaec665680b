import { sql } from 'kysely'
import { submit, submitToDefault } from '#areas/approval/decision/submission.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import { type Rules, ruledColumns, rulesOf } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { isId, newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Feature } from '#networks/content/content.ts'
import { firstCommentNetwork, firstCommentProblems, noFirstComment } from '#networks/content/content-check.ts'
import { featuresOf, gateOf, postFeatures } from '#networks/content/gates.ts'
import { publishingIds, publishingQuotas } from '../declarations.ts'
import type { MessageRow } from '../message/message.ts'
import * as messages from '../message/message.ts'
import { postApprovable } from './post.approvable.ts'
import { announcePost } from './post.events.ts'
import {
  draftStatusOf,
  isQueued,
  isScheduled,
  lockCampaigns,
  type PostRow,
  plannedStatuses,
  postsChanged,
  requireActiveCampaign,
  requirePost,
  requireProfiles,
} from './post.ts'
import { detailsOf } from './post-queries.ts'
import { holdPostMedia, initialStatus, resolveStartTime, scheduleSends } from './post-schedule.ts'
import type { PostDraft } from './post-shape.ts'

export async function create(context: Context, { messageId, ...draft }: PostDraft) {
  const planned = await createPost(context, await lockMessage(context, messageId), draft)
  return detailsOf(context, await submitNewPost(context, planned, draft.workflowId))
}

/** Creates a post and its sends for a locked message. `submitNewPost` must follow: a post that needs approval is only a draft so far. */
export async function createPost(
  context: Context,
  message: MessageRow,
  draft: Omit<PostDraft, 'messageId'>,
): Promise<PostRow> {
  const { status: requested = 'pending', workflowId = '', firstComment, ...given } = draft
  const { credentialIds } = given
  const { status, approveStatus } =
    workflowId === ''
      ? initialStatus(context, requested)
      : { status: draftStatusOf(requested), approveStatus: 'Pending' as const }
  if (isScheduled(status)) requireApprovedMessage(message)
  const { id: messageId, network, campaignId } = message
  await requireProfiles(context, credentialIds, network, isQueued(status))
  await refuseGatedPost(context, { credentialIds, message })
  const targetingPresetId = given.targetingPresetId || null
  await requireTargetingPreset(context, targetingPresetId, credentialIds, network)

  const startDateTime = resolveStartTime(context, given.startDateTime ?? context.now)
  const about = { ...given, messageId, campaignId, network, targetingPresetId }
  const post = await insert(context, { ...about, status, approveStatus, startDateTime })
  await setFirstComment(context, post, firstComment ?? undefined)
  await holdPostMedia(context, post)
  const planned = await schedule(context, post)
  await postsChanged(context, [], [planned])
  await announcePost(context, 'postCreated', planned)
  return planned
}

/** Sends a new post to the workflow that was chosen, or to the default one if it needs approval. */
export async function submitNewPost(context: Context, post: PostRow, workflowId = ''): Promise<PostRow> {
  const { id: entityId, createdBy } = post
  if (workflowId !== '') {
    await submit(context, postApprovable, { entityId, workflowId })
    return requirePost(context, entityId)
  }
  if (post.approveStatus === 'Pending') await submitToDefault(context, postApprovable, { entityId, createdBy })
  return post
}

type PlannedColumns =
  | 'messageId'
  | 'campaignId'
  | 'network'
  | 'credentialIds'
  | 'targetingPresetId'
  | 'status'
  | 'approveStatus'

async function insert(context: Context, row: Pick<PostRow, PlannedColumns | 'startDateTime'>) {
  const { db, accountId, userId, now, via } = context
  const unsent = db.selectFrom('posts').where('accountId', '=', accountId).where('status', 'in', plannedStatuses)
  await reserveQuota(context, publishingQuotas.posts, unsent)
  const made = {
    accountId,
    id: newId(publishingIds.post, now),
    created: now,
    modified: now,
    createdBy: userId,
    modifiedBy: userId,
  }
  return db
    .insertInto('posts')
    .values({ ...made, ...row, source: via?.by === 'session' ? 'UI' : 'API', queued: isQueued(row.status) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A queued post starts at its first slot. */
async function schedule(context: Context, post: PostRow): Promise<PostRow> {
  const startDateTime = await scheduleSends(context, post)
  if (startDateTime.getTime() === post.startDateTime.getTime()) return post
  await context.db
    .updateTable('posts')
    .set({ startDateTime })
    .where('accountId', '=', context.accountId)
    .where('id', '=', post.id)
    .execute()
  return { ...post, startDateTime }
}

/** Locks a message with its campaign and further ones; refuses a message of a campaign that has ended. */
export async function lockMessage(
  context: Context,
  id: string,
  otherCampaigns: readonly string[] = [],
): Promise<MessageRow> {
  const find = () => messages.visible(context).where('id', '=', id)
  const found = await find().executeTakeFirst()
  const campaigns = found ? await lockCampaigns(context, [found.campaignId, ...otherCampaigns]) : []
  // It may have been deleted while we waited for the campaign lock.
  const message = found && (await find().modifyEnd(lockRows('messages', 'share')).executeTakeFirst())
  if (!message) throw invalid(`messageId names no message: "${id.slice(0, 40)}".`)
  requireActiveCampaign(campaigns.find((campaign) => campaign.id === message.campaignId))
  return message
}

export function requireApprovedMessage({ approveStatus }: MessageRow) {
  if (approveStatus === 'Pending')
    throw conflict('The message waits for approval; until then only drafts can be made of it.')
  if (approveStatus === 'Rejected') throw conflict('The message was rejected; only drafts can be made of it.')
}

/** Refuses a preset that belongs to none of the profiles. */
export async function requireTargetingPreset(
  context: Context,
  id: string | null,
  profileIds: readonly string[],
  network: string,
) {
  if (id === null) return
  if (network !== 'LinkedIn') throw invalid('targetingPresetId is for LinkedIn profiles only.')
  const preset = await context.db
    .selectFrom('targetingPresets')
    .select('credentialId')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!preset) throw invalid(`targetingPresetId names no targeting preset: "${id.slice(0, 40)}".`)
  if (!profileIds.includes(preset.credentialId))
    throw invalid(`targetingPresetId names a preset of ${preset.credentialId}, which is none of the post's profiles.`)
}

/** Omitted fields stay; empty media removes the image, null the comment. */
type FirstCommentChange = { text?: string; media?: string } | null

/** Sets the first comment of an unsent post; returns whether it changed. */
export async function setFirstComment(
  context: Context,
  post: PostRow,
  change: FirstCommentChange | undefined,
): Promise<boolean> {
  const { db, accountId, now } = context
  const before = await db
    .selectFrom('firstComments')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('postId', '=', post.id)
    .executeTakeFirst()
  if (change === null) {
    if (before)
      await db.deleteFrom('firstComments').where('accountId', '=', accountId).where('id', '=', before.id).execute()
    return before !== undefined
  }
  if (!before && !change) return false
  if (post.network !== firstCommentNetwork) throw invalid(noFirstComment)
  await refuseGatedComment(context, post.credentialIds)
  if (!change) return false
  const text = change.text ?? before?.text ?? ''
  const mediaId = change.media === undefined ? (before?.mediaId ?? null) : change.media || null
  checkFirstComment(text, mediaId)
  if (mediaId && mediaId !== before?.mediaId) await requireImage(context, mediaId)
  const row = { accountId, id: newId(publishingIds.firstComment, now), postId: post.id, text, mediaId }
  await db
    .insertInto('firstComments')
    .values(row)
    .onConflict((on) => on.columns(['accountId', 'postId']).doUpdateSet({ text, mediaId }))
    .execute()
  return text !== before?.text || mediaId !== before.mediaId
}

function checkFirstComment(text: string, mediaId: string | null) {
  if (text === '' && !mediaId) throw invalid('firstComment needs a text or an image.')
  const problems = text === '' ? [] : firstCommentProblems(text)
  if (problems.length > 0) throw invalid(`firstComment cannot be published. ${problems.join(' ')}`)
}

async function requireImage({ db, accountId }: Context, id: string) {
  const asset = isId(mediaIds.media, id)
    ? await db
        .selectFrom('media')
        .select('type')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (!asset) throw invalid(`firstComment names ${id.slice(0, 40)} as its media, but there is no such asset.`)
  if (asset.type !== 'Image' && asset.type !== 'ImageUrl')
    throw invalid('firstComment takes an image; videos and PDFs cannot stand in a comment.')
}

interface Targets {
  credentialIds: readonly string[]
  message: Pick<MessageRow, 'id' | 'linkUrl'>
}

/** Refuses a post on a profile that is known to lack a permission for it; the message says how to fix that. */
export async function refuseGatedPost(context: Context, { credentialIds, message }: Targets) {
  const profiles = await profilesWithRules(context, credentialIds)
  const isGated = ({ capabilities }: Rules) => postFeatures.some((feature) => gateOf(capabilities[feature]))
  // The content matters only if a profile is restricted.
  if (!profiles.some(isGated)) return
  refuseGated(profiles, featuresOf({ media: await filesOf(context, message.id), link: linkOf(message) }))
}

/** The same for a first comment. */
export async function refuseGatedComment(context: Context, credentialIds: readonly string[]) {
  refuseGated(await profilesWithRules(context, credentialIds), ['firstComment'], 'firstComment cannot be published. ')
}

type RuledProfile = Rules & { displayName: string }

function refuseGated(profiles: readonly RuledProfile[], features: readonly Feature[], before = '') {
  for (const { displayName, capabilities } of profiles) {
    const gate = features.map((feature) => gateOf(capabilities[feature])).find(Boolean)
    if (gate) throw invalid(`${before}${displayName}: ${gate.gated}`)
  }
}

async function profilesWithRules(context: Context, ids: readonly string[]): Promise<RuledProfile[]> {
  const rows = await context.db
    .selectFrom('credentials')
    .select([...ruledColumns, 'displayName'])
    .where('accountId', '=', context.accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where('deleted', 'is', null)
    .execute()
  return rows.map((row) => ({ ...rulesOf(context, row), displayName: row.displayName }))
}

async function filesOf({ db, accountId }: Context, messageId: string): Promise<{ mime: string }[]> {
  const { rows } = await sql<{ mime: string }>`
    select m.mime_type as mime from message_media mm join media m on m.account_id = ${accountId} and m.id = mm.media_id
    where mm.account_id = ${accountId} and mm.message_id = ${messageId}`.execute(db)
  return rows
}

const linkOf = ({ linkUrl }: Targets['message']) => (linkUrl === '' ? undefined : { url: linkUrl })
