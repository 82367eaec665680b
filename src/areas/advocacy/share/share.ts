import { sql } from 'kysely'
import { clicksOf } from '#areas/figures/figure.ts'
import { releaseMedia } from '#areas/media/asset/asset.ts'
import { isFinal, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { requireMembership } from '../advocate/membership.ts'
import { holdOpenStory } from './open-story.ts'
import { lockShares } from './share-end.ts'
import type { OfferWish } from './share-shape.ts'
import { takeVariant } from './variant.ts'

/** The caller's shares on a board, with what came of them. */
export async function search(context: Context, { id: boardId, page }: { id: string; page: Page }) {
  await requireMembership(context, boardId)
  return paginate(listedShares(context).where('shares.boardId', '=', boardId), page)
}

/** The caller's own, each with its clicks, and whether it waits for a person because its time has passed. */
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

/** Takes back one that was not sent. */
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

/** Reserves the words that the caller may say of a story on a network; the same ones whenever they ask. */
export async function offer(context: Context, { id: boardId, storyId, network }: OfferWish) {
  await requireMembership(context, boardId)
  const story = await holdOpenStory(context, boardId, storyId)
  return { ...(await takeVariant(context, story, network)), storyId, network }
}
