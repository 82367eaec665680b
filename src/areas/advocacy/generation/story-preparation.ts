/** What is to be done for a story in the background. */
export interface Preparation {
  accountId: string
  storyId: string
  /** Who asked for it. */
  userId: string
  /** Whoever asked may not let it out, or wants a draft. */
  staysDraft: boolean
  generateMessages: boolean
}

export const prepareStoryName = { name: 'advocacy.prepare-story', queue: 'texts' } as const
