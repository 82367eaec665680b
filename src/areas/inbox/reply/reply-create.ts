import type { Selectable } from 'kysely'
import { holdMedia, shown } from '#areas/media/asset/asset.ts'
import { ruledColumns, rulesOf } from '#areas/profiles/access/profile-row.ts'
import { requireMedia } from '#areas/publishing/message/message-media.ts'
import { addSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Network } from '#networks/manifests.ts'
import { inboxIds, inboxQuotas } from '../declarations.ts'
import { changeItems, holdItem, type ItemRow, requireItem } from '../item/item.ts'
import { writeTerms } from '../item/search-terms.ts'
import { addOwnEntries } from '../item/timeline.ts'
import { replyKind, shownReply } from './reply.ts'
import {
  type Addressed,
  addressOf,
  isMentioned,
  isMessage,
  obstacleOf,
  rejectDuplicateReply,
  rejectInvalid,
  rejectLate,
  type Seen,
  takesMedia,
} from './reply-check.ts'
import type { CarefulDraft, ReplyDraft } from './reply-shape.ts'

/** Replies to a conversation: stored, added to the timeline, and sent once. */
export const reply = (context: Context, draft: ReplyDraft) => createReply(context, draft, undefined)

/** The same for the console: rejected if another user has replied meanwhile. */
export async function replyUnlessOutdated(context: Context, { lastEntryId, anyway, ...draft }: CarefulDraft) {
  const id = await createReply(context, draft, anyway ? undefined : { lastEntryId })
  return shownReply(context, id)
}

async function createReply(context: Context, draft: ReplyDraft, seen: Seen | undefined): Promise<string> {
  const { message: text } = draft
  const known = await requireItem(context, draft.id)
  const profileId = draft.credentialId || known.credentialId
  // Lock order: files, the profile, the item.
  const media = await acceptedMedia(context, known, draft.media)
  const profile = await holdProfile(context, known, profileId)
  const item = await holdItem(context, draft.id)
  if (item.status === 'closed') throw invalid('The conversation is closed: open it before you answer.')
  const rules = rulesOf(context, profile)
  const obstacle = obstacleOf(item, rules, {
    withMedia: media.length > 0,
    isMentioned: isMentioned(item, profile.networkUsername),
  })
  if (obstacle !== undefined) throw invalid(obstacle)
  rejectInvalid(item, rules, { text, media })
  const to = await addressOf(context, item, draft.parentId, rules)
  rejectLate(item, rules, to.lastInbound, context.now)
  if (seen) await rejectDuplicateReply(context, item, text, seen)
  const id = await insert(context, item, {
    credentialId: profile.id,
    network: profile.network,
    text,
    mediaIds: media.map((one) => one.id),
    ...to,
  })
  await addOwnEntries(context, [{ id: item.id, credentialId: profile.id }], {
    type: isMessage(item) ? ('message' as const) : ('reply' as const),
    content: text,
    replyId: id,
    parentRemoteId: to.parentRemoteId,
    media: JSON.stringify(addressesOf(context, media)),
    details: { status: 'waiting', error: '' },
  })
  await changeItems(context, [item])
  await writeTerms(context, new Map([[item.id, [text]]]))
  return id
}

/** Files aren't validated if the network drops them. */
const acceptedMedia = async (context: Context, { network }: ItemRow, ids: readonly string[]) =>
  takesMedia(network as Network) ? requireMedia(context, ids) : []

/** Locks the replying profile, so that a concurrent deletion waits. */
async function holdProfile({ db, accountId }: Context, item: ItemRow, id: string) {
  const profile = await db
    .selectFrom('credentials')
    .select([...ruledColumns, 'networkUsername', 'status', 'displayName'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where('boardOnly', '=', false)
    .modifyEnd(lockRows('credentials', 'share'))
    .executeTakeFirst()
  if (!profile && id === item.credentialId)
    throw invalid('The profile of this conversation was deleted; nobody can answer in its name any more.')
  if (!profile) throw invalid(`credential_id names ${id.slice(0, 80)}, but there is no such profile.`)
  if (profile.network !== item.network)
    throw invalid(`credential_id names a profile on ${profile.network}, but the conversation is on ${item.network}.`)
  if (isMessage(item) && id !== item.credentialId)
    throw invalid('A direct message is answered by the profile that received it; leave credential_id out.')
  if (profile.status !== 'valid') throw invalid(`${profile.displayName} must be connected again before it can answer.`)
  return profile
}

interface NewReply extends Addressed {
  credentialId: string
  network: string
  text: string
  mediaIds: string[]
}

async function insert(context: Context, item: ItemRow, given: NewReply): Promise<string> {
  const { db, accountId, userId, now } = context
  const waiting = db.selectFrom('inboxReplies').where('accountId', '=', accountId).where('status', '=', 'waiting')
  await reserveQuota(context, inboxQuotas.inboxReplies, waiting)
  const made = { accountId, id: newId(inboxIds.inboxReply, now), created: now, createdBy: userId, itemId: item.id }
  const kind = isMessage(item) ? 'message' : 'comment'
  await db
    .insertInto('inboxReplies')
    .values({ ...made, ...given, kind, status: 'waiting' })
    .execute()
  await holdMedia(context, made.id, given.mediaIds, 'an answer that is being sent')
  const { credentialId, network } = given
  const target = { contentId: made.id, credentialId, network, groupId: item.id, kind: replyKind }
  await addSends(context, [{ ...target, state: 'waiting', planned: now, due: now }])
  return made.id
}

const addressesOf = (context: Context, media: readonly Selectable<Media>[]) =>
  media.map((asset) => shown(context, asset).resource)
