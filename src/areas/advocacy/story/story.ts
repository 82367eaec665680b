import { leaveApproval, standingItem } from '#areas/approval/item/item.ts'
import { releaseMedia } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { retagStory } from './parts/story-media.ts'
import { leaveTopics } from './parts/story-topics.ts'
import { requireMayChangeStory } from './story.approvable.ts'
import { detailsOf } from './story-queries.ts'
import { holdStory, requireStory, storiesChanged } from './story-row.ts'

export const get = async (context: Context, { id }: { id: string }) =>
  detailsOf(context, await requireStory(context, id))

/** Its shares stay. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const story = await holdStory(context, id)
  requireMayChangeStory(context, story, await standingItem(context, id))
  await leaveApproval(context, [id])
  await leaveTopics(context, id)
  await retagStory(context, id, [])
  await db.deleteFrom('stories').where('accountId', '=', accountId).where('id', '=', id).execute()
  await db.deleteFrom('storyOffers').where('accountId', '=', accountId).where('storyId', '=', id).execute()
  await releaseMedia(context, id)
  await storiesChanged(context, [story], [])
}
