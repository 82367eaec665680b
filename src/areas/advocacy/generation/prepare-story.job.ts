import { submit } from '#areas/approval/decision/submission.ts'
import { countMessages, insertBoardMessages } from '#areas/publishing/message/message-create.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { job } from '#kernel/jobs/job.ts'
import { QuotaExceeded } from '#kernel/quotas/quotas.ts'
import type { Network } from '#networks/manifests.ts'
import { addMessages, messageIdsOf, messagesOf } from '../story/parts/story-messages.ts'
import { storyApprovable } from '../story/story.approvable.ts'
import { changeStory, holdStory, isRepost, type StoryRow, visible } from '../story/story-row.ts'
import { originalText } from '../story/writing/story-repost.ts'
import { followContent, returnToApproval } from '../story/writing/story-status.ts'
import type { Generator, Source } from './generator.ts'
import { type Preparation, prepareStoryName } from './generator.ts'

/** A story is not given more by one wish. */
const wanted: [network: Network, count: number][] = [
  ['LinkedIn', 8],
  ['Twitter', 6],
  ['Facebook', 6],
]

interface Text {
  network: Network
  message: string
}

/** Makes a story ready in the background: messages are made of its own words if that is wished, and a repost story is let go. */
export const prepareStoryJob = (generator: Generator) =>
  job<Preparation>(prepareStoryName.name, {
    ...prepareStoryName,
    timeout: 3 * 60_000,
    async run({ transaction, complete, signal }, wish) {
      const { accountId, storyId, generateMessages } = wish
      const sources = generateMessages ? await transaction(accountId, (context) => sourcesOf(context, storyId)) : []
      const texts: Text[] = []
      for (const source of sources)
        for (const text of await generator.generate(source, signal))
          texts.push({ network: source.network, message: text })
      await complete(accountId, (context) => prepare(context, wish, texts))
    },
  })

/** What a story says, for each network that it is made for; nothing when it is gone. */
async function sourcesOf(context: Context, storyId: string): Promise<Source[]> {
  const story = await visible(context).where('id', '=', storyId).executeTakeFirst()
  if (!story) return []
  const own = (await messagesOf(context, [storyId])).get(storyId) ?? []
  const title = story.title ?? ''
  const text = isRepost(story)
    ? (await originalText(context, story)) || story.description
    : [story.description, ...own.map(({ message }) => message)].join('\n')
  // What is shared again is on LinkedIn, and leads where it leads by itself.
  const [networks, link] = isRepost(story) ? [wanted.slice(0, 1), ''] : [wanted, story.linkUrl ?? '']
  return networks.map(([network, count]) => ({ seed: storyId, title, text, link, network, count }))
}

async function prepare(system: Context, wish: Preparation, texts: readonly Text[]) {
  const { storyId, userId, staysDraft, needsApproval = false } = wish
  if (!(await visible(system).where('id', '=', storyId).executeTakeFirst())) return
  // What is made belongs to whoever asked for it.
  const context = { ...system, userId }
  const story = await holdStory(context, storyId)
  const messageIds = await makeMessages(context, story, texts)
  const before = await messageIdsOf(context, storyId)
  await addMessages(context, storyId, messageIds, before.length)
  if (story.status === 'active') await letGo(context, story, wish)
  else if (messageIds.length > 0) await followContent(context, story, !staysDraft && !needsApproval)
  await countMessages(context, story.campaignId, messageIds.length)
}

/** Where there is no room for them the story does without. */
async function makeMessages(context: Context, { campaignId }: StoryRow, texts: readonly Text[]): Promise<string[]> {
  try {
    return await insertBoardMessages(context, campaignId, texts)
  } catch (error) {
    if (error instanceof QuotaExceeded) return []
    throw error
  }
}

/** A repost story is ready. Where the workflow that it was meant for is out of use by now, it goes to the default one. */
async function letGo(context: Context, story: StoryRow, { staysDraft, needsApproval = false }: Preparation) {
  const { id: entityId, workflowId } = story
  const isForApprovers = workflowId !== null || (needsApproval && !staysDraft)
  const status = isForApprovers ? 'pending' : staysDraft ? 'draft' : 'approved'
  const changed = await changeStory(context, story, { status, workflowId: null })
  if (!isForApprovers) return
  try {
    if (workflowId) return void (await submit(context, storyApprovable, { entityId, workflowId }))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  await returnToApproval(context, changed, undefined)
}
