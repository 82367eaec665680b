import { sql } from 'kysely'
import { holdMedia } from '#areas/media/asset/asset.ts'
import { type Rules, rulesOf } from '#areas/profiles/access/profile-row.ts'
import { factsOf } from '#areas/publishing/message/message-content.ts'
import { lockCampaigns, requireActiveCampaign } from '#areas/publishing/post/post.ts'
import { resolveStartTime } from '#areas/publishing/post/post-schedule.ts'
import { addSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { checkPost } from '#networks/content/content-check.ts'
import type { Network } from '#networks/manifests.ts'
import { type Membership, requireMembership } from '../advocate/membership.ts'
import { advocacyIds, advocacyQuotas } from '../declarations.ts'
import type { StoryRow } from '../story/story.ts'
import { originalRemoteId } from '../story/story-repost.ts'
import { holdOpenStory, requireOpenStory } from './board-story.ts'
import { holdOwnProfiles } from './own-profile.ts'
import { givenVariant, listedShares, ownVariant, takeVariant, type Variant } from './share.ts'
import type { ShareRow } from './share-end.ts'
import type { ShareDraft } from './share-shape.ts'

/** Spreads shares of the same story and network over time, up to the board's daily cap. */

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

/** Shares within this time are planned around. */
const near = 30 * second
/** A chosen time may be shifted by this much. */
const chosenWithin = 5 * minute

export interface Timing {
  now: Date
  /** A chosen time; undefined for as soon as possible. */
  chosen: Date | undefined
  /** Minutes over which shares are spread. */
  window: number
  /** Daily maximum; undefined for unlimited. */
  cap: number | undefined
  /** The latest allowed time. */
  before: Date
}

/** Time for another share beside the planned ones; undefined if none is left before the end. Deterministic. */
export function shareTime(planned: readonly Date[], { now, chosen, window, cap, before }: Timing): Date | undefined {
  const taken = planned.map((time) => time.getTime())
  const width = Math.min(window * minute, chosen ? chosenWithin : Number.POSITIVE_INFINITY)
  const perDay = countByDay(taken)
  for (let from = Math.max((chosen ?? now).getTime(), now.getTime()); from < before.getTime(); from += day) {
    const time = spreadTime(taken, from, width)
    if (time >= before.getTime()) continue
    if (cap === undefined || (perDay.get(dayOf(time)) ?? 0) < cap) return new Date(time)
  }
  return undefined
}

/** The first is immediate, each next one at twice the distance, and once the window is full they fill the gaps. */
function spreadTime(taken: readonly number[], from: number, width: number): number {
  const neighbors = taken
    .filter((time) => time > from - near && time < from + width + near)
    .sort((one, two) => one - two)
  const last = neighbors.at(-1)
  if (last === undefined || width === 0) return from
  const next = from + Math.max(near, 2 * Math.max(0, last - from))
  if (next <= from + width) return next
  return inLargestGap(neighbors, from, width)
}

/** The middle of the largest gap; after the last one if every second is taken. */
function inLargestGap(neighbors: readonly number[], from: number, width: number): number {
  const bounds = [from, ...neighbors.filter((time) => time > from && time < from + width), from + width]
  let largest = { at: 0, gap: 0 }
  for (let index = 1; index < bounds.length; index++) {
    const [one, two] = [bounds[index - 1] as number, bounds[index] as number]
    if (two - one > largest.gap) largest = { at: one, gap: two - one }
  }
  if (largest.gap < 2 * second) return Math.max(from + width, neighbors.at(-1) ?? 0) + second
  return largest.at + Math.floor(largest.gap / 2 / second) * second
}

const dayOf = (time: number) => Math.floor(time / day)

function countByDay(times: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const time of times) counts.set(dayOf(time), (counts.get(dayOf(time)) ?? 0) + 1)
  return counts
}

/** Shares a story on the caller's own profiles: one share each, sent once. */
export async function create(context: Context, { id: boardId, storyId, credentialIds, ...given }: ShareDraft) {
  const membership = await requireMembership(context, boardId)
  const { campaignId } = await requireOpenStory(context, boardId, storyId)
  const [campaign] = await lockCampaigns(context, [campaignId])
  requireActiveCampaign(campaign)
  const story = await holdOpenStory(context, boardId, storyId)
  if (story.campaignId !== campaignId) throw conflict('The story was moved to another campaign just now. Try again.')
  const profiles = await holdOwnProfiles(context, credentialIds)
  const shares: ShareRow[] = []
  for (const profile of profiles) {
    const { id: credentialId, network } = profile
    const shareText = await shareTextFor(context, story, rulesOf(context, profile), given.message)
    const startDateTime = await planned(context, membership, story, network, given.startDateTime)
    shares.push(await insert(context, { boardId, story, credentialId, network, startDateTime, content: shareText }))
  }
  for (const { id, mediaIds } of shares) await holdMedia(context, id, mediaIds, 'a planned share')
  const isHeld = campaign?.status === 'paused'
  await addSends(
    context,
    shares.map(({ id: contentId, credentialId, network, startDateTime }) => ({
      contentId,
      credentialId,
      network,
      groupId: campaignId,
      kind: 'share',
      state: 'waiting' as const,
      planned: startDateTime,
      due: isHeld ? null : startDateTime,
    })),
  )
  context.about({ count: shares.length })
  const ids = shares.map(({ id }) => id)
  const items = await listedShares(context).where('shares.id', 'in', ids).orderBy('shares.id').execute()
  return { items, total: items.length }
}

interface ShareText extends Variant {
  type: string
  repostOf: string
}

/** The advocate's own text or their variant, validated by the network's rules. */
async function shareTextFor(
  context: Context,
  story: StoryRow,
  rules: Rules,
  own: string | undefined,
): Promise<ShareText> {
  const { network, limits, capabilities } = rules
  const variant = own
    ? ((await givenVariant(context, story, network)) ?? (await ownVariant(context, story)))
    : await takeVariant(context, story, network)
  const shareText = { ...variant, message: own || variant.message }
  const reshareOf = await originalRemoteId(context, story)
  if (story.postlogId !== '' && reshareOf === '') throw conflict('The post that this story shares again is gone.')
  if (story.postlogId !== '' && network !== 'LinkedIn')
    throw invalid('This story shares a LinkedIn post again: choose LinkedIn profiles for it.')
  const media = await mediaOf(context, shareText.mediaIds)
  const content = {
    text: shareText.message,
    media: media.map(factsOf),
    ...(shareText.subject && { title: shareText.subject }),
    ...(shareText.linkUrl && { link: { url: shareText.linkUrl } }),
    ...(reshareOf && { reshareOf }),
  }
  const problems = checkPost(network, content, limits, capabilities)
  if (problems.length > 0) throw invalid(problems.map(({ sentence }) => sentence).join(' '))
  return { ...shareText, type: typeOf(shareText, reshareOf), repostOf: reshareOf }
}

/** Not locked: media can't be deleted once the share exists. */
async function mediaOf({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  const media = await db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  if (media.length < ids.length) throw conflict('Media of the story were deleted. Ask who wrote it for other media.')
  return ids.flatMap((id) => media.find((asset) => asset.id === id) ?? [])
}

const typeOf = ({ linkUrl, mediaIds }: Variant, reshareOf: string) =>
  reshareOf
    ? 'post-attachment'
    : linkUrl
      ? 'link-attachment'
      : mediaIds.length > 0
        ? 'media-attachment'
        : 'status-update'

const earlier = 30_000

/** Time of the share among planned ones. The story is locked, so that none is planned concurrently. */
async function planned(
  context: Context,
  { board }: Membership,
  { id, expirationDate }: StoryRow,
  network: Network,
  chosen: Date | undefined,
): Promise<Date> {
  const { db, accountId, now } = context
  const caps = board.dailyCaps as { [network: string]: number }
  const cap = caps[network]
  // A cap counts the whole day.
  const from = cap === undefined ? now.getTime() - earlier : Math.floor(now.getTime() / day) * day
  const { rows } = await sql<{ at: Date }>`
    select start_date_time as at from shares where account_id = ${accountId} and story_id = ${id} and network = ${network}
      and start_date_time >= ${new Date(from)} and status <> 'error'`.execute(db)
  const start = chosen && resolveStartTime(context, chosen)
  const time = shareTime(
    rows.map(({ at }) => at),
    { now, chosen: start, window: board.shareWindow, cap, before: expirationDate },
  )
  if (!time) throw conflict('There is no room for another share before the story expires. Share another story.')
  return time
}

interface NewShare {
  boardId: string
  story: StoryRow
  credentialId: string
  network: Network
  startDateTime: Date
  content: ShareText
}

async function insert(context: Context, { story, content: shareText, ...share }: NewShare): Promise<ShareRow> {
  const { db, accountId, userId, now } = context
  const waiting = db.selectFrom('shares').where('accountId', '=', accountId).where('status', '=', 'pending')
  await reserveQuota(context, advocacyQuotas.shares, waiting)
  const made = { accountId, id: newId(advocacyIds.advocateShare, now), created: now, modified: now, userId }
  const about = { storyId: story.id, campaignId: story.campaignId, status: 'pending' as const }
  try {
    return await db
      .insertInto('shares')
      .values({ ...made, ...share, ...about, ...shareText })
      .returningAll()
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (isDuplicate(error, 'shares_once'))
      throw conflict(`The story is shared on ${share.credentialId} already, or will be. Choose another profile.`)
    throw error
  }
}
