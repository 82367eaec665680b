import { sql } from 'kysely'
import { clicksOf } from '#areas/counters/counter.ts'
import { releaseMedia } from '#areas/media/asset/asset.ts'
import { isFinal, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import type { Network } from '#networks/manifests.ts'
import { requireMembership } from '../advocate/membership.ts'
import type { StoryRow } from '../story/story.ts'
import { holdOpenStory } from './board-story.ts'
import { lockShares } from './share-end.ts'
import type { OfferWish } from './share-shape.ts'

/** The caller's shares on a board with their results. */
export async function search(context: Context, { id: boardId, page }: { id: string; page: Page }) {
  await requireMembership(context, boardId)
  return paginate(listedShares(context).where('shares.boardId', '=', boardId), page)
}

/** The caller's own, each with its clicks, and whether it missed its time. */
export const listedShares = (context: Context) =>
  context.db
    .selectFrom('shares')
    .selectAll('shares')
    .select(clicksOf(context, 'share', 'shares.id'))
    .select(
      sql<boolean>`exists (select from sends s where s.account_id = ${context.accountId} and s.content_id = shares.id
        and s.is_late)`.as('isLate'),
    )
    .where('shares.accountId', '=', context.accountId)
    .where('shares.userId', '=', context.userId)

/** Cancels a share that was not sent. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, userId } = context
  const [share] = await lockShares(context, [id])
  if (!share || share.userId !== userId) throw missing('Share')
  const states = (await lockSends(context, [id])).map(({ state }) => state)
  if (states.some(isInFlight))
    throw conflict('It is being shared at this moment. Look again in a minute to see what became of it.')
  if (share.status !== 'pending' || states.some(isFinal))
    throw conflict('It was shared already; delete it on the network itself.')
  await removeSends(context, [id])
  await releaseMedia(context, id)
  await db.deleteFrom('shares').where('accountId', '=', accountId).where('id', '=', id).execute()
}

/** Reserves a text for the caller for a story and network; always the same one. */
export async function offer(context: Context, { id: boardId, storyId, network }: OfferWish) {
  await requireMembership(context, boardId)
  const story = await holdOpenStory(context, boardId, storyId)
  return { ...(await takeVariant(context, story, network)), storyId, network }
}

/** A text offered to an advocate for a network. */
export interface Variant {
  /** Empty for the story's own text. */
  messageId: string
  message: string
  subject: string
  linkUrl: string
  linkTitle: string
  description: string
  imageUrl: string
  mediaIds: string[]
}

/** The variant already assigned, while the story still offers it. */
export async function givenVariant(context: Context, story: StoryRow, network: Network): Promise<Variant | undefined> {
  const { db, accountId, userId } = context
  const offer = await db
    .selectFrom('storyOffers')
    .select('messageId')
    .where('accountId', '=', accountId)
    .where('storyId', '=', story.id)
    .where('userId', '=', userId)
    .where('network', '=', network)
    .executeTakeFirst()
  if (!offer) return undefined
  const [variant] = await variantsOf(context, story, network, sql`and m.id = ${offer.messageId}`)
  return variant && withStory(variant, story, await storyMedia(context, story))
}

/**
 * Assigns a variant for a network: the existing one, or else the least assigned. The caller has locked the story, so that
 * no two advocates get the same while others are free. Without variants the story's own text is used.
 */
export async function takeVariant(context: Context, story: StoryRow, network: Network): Promise<Variant> {
  const given = await givenVariant(context, story, network)
  if (given) return given
  const [variant] = await variantsOf(context, story, network, sql`order by sm.given, sm.position, m.id limit 1`)
  const media = await storyMedia(context, story)
  if (!variant) return withStory(storyText(story), story, media)
  const { db, accountId, userId, now } = context
  await db
    .updateTable('storyMessages')
    .set(({ eb }) => ({ given: eb('given', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('storyId', '=', story.id)
    .where('messageId', '=', variant.messageId)
    .execute()
  const { messageId } = variant
  await db
    .insertInto('storyOffers')
    .values({ accountId, storyId: story.id, userId, network, messageId, created: now })
    .onConflict((on) =>
      on.columns(['accountId', 'storyId', 'userId', 'network']).doUpdateSet({ messageId, created: now }),
    )
    .execute()
  return withStory(variant, story, media)
}

/** The story itself, for custom texts or if it has no variant for the network. */
export const ownVariant = async (context: Context, story: StoryRow) =>
  withStory(storyText(story), story, await storyMedia(context, story))

async function variantsOf(
  { db, accountId }: Context,
  { id }: StoryRow,
  network: Network,
  which: ReturnType<typeof sql>,
): Promise<Variant[]> {
  const { rows } = await sql<Variant>`
    select m.id as message_id, m.message, m.subject, m.link_url, m.link_title, m.description, m.image_url,
      array(select mm.media_id from message_media mm where mm.account_id = ${accountId} and mm.message_id = m.id order by mm.position) as media_ids
    from story_messages sm
    join messages m on m.account_id = ${accountId} and m.id = sm.message_id
    where sm.account_id = ${accountId} and sm.story_id = ${id} and m.network = ${network} and m.deleted is null
      and m.approve_status = 'Approved' ${which}`.execute(db)
  return rows
}

async function storyMedia({ db, accountId }: Context, { id }: StoryRow): Promise<string[]> {
  const rows = await db
    .selectFrom('storyMedia')
    .select('mediaId')
    .where('accountId', '=', accountId)
    .where('storyId', '=', id)
    .orderBy('position')
    .execute()
  return rows.map(({ mediaId }) => mediaId)
}

const storyText = ({ title, description }: StoryRow): Variant => ({
  messageId: '',
  message: description || (title ?? ''),
  subject: '',
  mediaIds: [],
  linkUrl: '',
  linkTitle: '',
  description: '',
  imageUrl: '',
})

/** The variant's own link or files, or else the story's. A repost carries the shared post only. */
function withStory(variant: Variant, story: StoryRow, media: readonly string[]): Variant {
  if (story.postlogId !== '') return { ...variant, ...nothing }
  if (variant.linkUrl !== '' || variant.mediaIds.length > 0) return variant
  if (!story.linkUrl) return { ...variant, mediaIds: [...media] }
  const linkTitle = story.linkTitle || story.title || story.linkUrl
  const about = { linkTitle, description: story.linkDescription ?? '', imageUrl: story.imageUrl ?? '' }
  return { ...variant, linkUrl: story.linkUrl, ...about }
}

const nothing = { linkUrl: '', linkTitle: '', description: '', imageUrl: '', mediaIds: [] }
