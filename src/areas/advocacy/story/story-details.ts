import { standingItems } from '#areas/approval/item/item.ts'
import { tagsOf } from '#areas/publishing/tag/tagging.ts'
import type { Context } from '#kernel/context.ts'
import { mediaOf } from './parts/story-media.ts'
import { messagesOf } from './parts/story-messages.ts'
import { topicsOf } from './parts/story-topics.ts'
import { isRepost, type StoryRow } from './story-row.ts'

/** What the wire says of stories beyond their rows: messages, media, topics, tags and the workflow they are in. */
export async function withDetails(context: Context, stories: readonly StoryRow[]) {
  if (stories.length === 0) return []
  const ids = stories.map(({ id }) => id)
  const messages = await messagesOf(context, ids)
  const media = await mediaOf(context, ids)
  const topics = await topicsOf(context, ids)
  const tags = await tagsOf(context, ids)
  const items = await standingItems(context, ids)
  return stories.map((story) => {
    const own = media.get(story.id) ?? []
    const picture = own.find(({ type }) => type === 'Image' || type === 'ImageUrl')
    const video = own.find(({ type }) => type === 'Video')
    return {
      ...story,
      postlogId: isRepost(story) ? story.postlogId : undefined,
      imageUrl: story.imageUrl ?? picture?.resource ?? null,
      videoPreview: story.videoPreview ?? video?.videoPreview ?? null,
      workflowId: items.get(story.id)?.workflowId ?? story.workflowId,
      messages: messages.get(story.id) ?? [],
      media: own,
      topics: topics.get(story.id) ?? [],
      tags: tags.get(story.id) ?? [],
    }
  })
}

export type StoryDetails = Awaited<ReturnType<typeof withDetails>>[number]

export async function detailsOf(context: Context, story: StoryRow): Promise<StoryDetails> {
  const [details] = await withDetails(context, [story])
  return details as StoryDetails
}
