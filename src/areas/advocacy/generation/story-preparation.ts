import type { Context } from '#kernel/context.ts'
import { enqueue } from '#kernel/jobs/queue.ts'

/** What is to be done for a story in the background. */
export interface Preparation {
  accountId: string
  storyId: string
  /** Who asked for it. */
  userId: string
  staysDraft: boolean
  /** Whoever asked may not publish it. */
  needsApproval?: boolean
  generateMessages: boolean
}

export const prepareStoryName = { name: 'advocacy.prepare-story', queue: 'texts' } as const

type Wish = Pick<Preparation, 'staysDraft' | 'needsApproval' | 'generateMessages'>

/** Has a story made ready for whoever asks, once the change stands. */
export const prepareLater = (context: Context, storyId: string, wish: Wish) => {
  const { accountId, userId } = context
  return enqueue(context, prepareStoryName, { accountId, storyId, userId, ...wish })
}
