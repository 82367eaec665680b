import { submit } from '#areas/approval/decision/submission.ts'
import { countMessages, insertBoardMessages } from '#areas/publishing/message/message-write.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { QuotaExceeded } from '#kernel/quotas/quotas.ts'
import type { Network } from '#networks/manifests.ts'
import type { Generator, Source } from './generator.ts'
import { storyApprovable } from './story.approvable.ts'
import { changeStory, holdStory, isRepost, type StoryRow, visible } from './story.ts'
import { addMessages, messageIdsOf, messagesOf } from './story-attachments.ts'
import { originalText } from './story-repost.ts'
import { contentChanged, returnToApproval } from './story-status.ts'

/** Background work for a story. */
interface Preparation {
  accountId: string
  storyId: string
  /** The requesting user. */
  userId: string
  staysDraft: boolean
  /** The requesting user may not publish. */
  needsApproval?: boolean
  generateMessages: boolean
}

const prepareStoryName = { name: 'advocacy.prepare-story', queue: 'texts' } as const

type PreparationRequest = Pick<Preparation, 'staysDraft' | 'needsApproval' | 'generateMessages'>

/** Enqueues the preparation of a story at commit. */
export const prepareLater = (context: Context, storyId: string, request: PreparationRequest) => {
  const { accountId, userId } = context
  return enqueue(context, prepareStoryName, { accountId, storyId, userId, ...request })
}

/** Maximum number of texts per request. */
const textsPerNetwork: [network: Network, count: number][] = [
  ['LinkedIn', 8],
  ['Twitter', 6],
  ['Facebook', 6],
]

interface Text {
  network: Network
  message: string
}

/** Prepares a story in the background: generates messages if requested, and publishes a repost story. */
export const prepareStoryJob = (generator: Generator) =>
  job<Preparation>(prepareStoryName.name, {
    ...prepareStoryName,
    timeout: 3 * 60_000,
    async run({ transaction, complete, signal }, preparation) {
      const { accountId, storyId, generateMessages } = preparation
      const sources = generateMessages ? await transaction(accountId, (context) => sourcesOf(context, storyId)) : []
      const texts: Text[] = []
      for (const source of sources)
        for (const text of await generator.generate(source, signal))
          texts.push({ network: source.network, message: text })
      await complete(accountId, (context) => prepare(context, preparation, texts))
    },
  })

/** The source text per network; none if the story is gone. */
async function sourcesOf(context: Context, storyId: string): Promise<Source[]> {
  const story = await visible(context).where('id', '=', storyId).executeTakeFirst()
  if (!story) return []
  const own = (await messagesOf(context, [storyId])).get(storyId) ?? []
  const title = story.title ?? ''
  const text = isRepost(story)
    ? (await originalText(context, story)) || story.description
    : [story.description, ...own.map(({ message }) => message)].join('\n')
  // Reposts are on LinkedIn and carry their own link.
  const [networks, link] = isRepost(story) ? [textsPerNetwork.slice(0, 1), ''] : [textsPerNetwork, story.linkUrl ?? '']
  return networks.map(([network, count]) => ({ seed: storyId, title, text, link, network, count }))
}

async function prepare(system: Context, preparation: Preparation, texts: readonly Text[]) {
  const { storyId, userId, staysDraft, needsApproval = false } = preparation
  if (!(await visible(system).where('id', '=', storyId).executeTakeFirst())) return
  // Created messages belong to the requesting user.
  const context = { ...system, userId }
  const story = await holdStory(context, storyId)
  const messageIds = await insertMessages(context, story, texts)
  const before = await messageIdsOf(context, storyId)
  await addMessages(context, storyId, messageIds, before.length)
  if (story.status === 'active') await publishPrepared(context, story, preparation)
  else if (messageIds.length > 0) await contentChanged(context, story, !staysDraft && !needsApproval)
  await countMessages(context, story.campaignId, messageIds.length)
}

/** Skipped if the quota is exceeded. */
async function insertMessages(context: Context, { campaignId }: StoryRow, texts: readonly Text[]): Promise<string[]> {
  try {
    return await insertBoardMessages(context, campaignId, texts)
  } catch (error) {
    if (error instanceof QuotaExceeded) return []
    throw error
  }
}

/** Publishes or submits a repost story, to the default workflow if its own is no longer in use. */
async function publishPrepared(context: Context, story: StoryRow, { staysDraft, needsApproval = false }: Preparation) {
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
