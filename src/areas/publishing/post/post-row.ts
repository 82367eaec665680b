import type { Selectable } from 'kysely'
import type { Figures } from '#areas/figures/figure.ts'
import type { Posts } from '#kernel/database/tables.ts'

export type PostRow = Selectable<Posts>
/** With its figures, where somebody asked for them; a post that was not sent has none. */
export type CountedPost = PostRow & { figures?: Partial<Figures> }
export type PostStatus = PostRow['status']

/** Those a person gives a post; the others come from the engine. */
export const plannedStatuses = ['pending', 'inqueue', 'draft', 'inqueue-draft'] as const
export type PlannedStatus = (typeof plannedStatuses)[number]

/** Will go out by itself. */
export const isScheduled = (status: PostStatus) => status === 'pending' || status === 'inqueue'
export const isDraft = (status: PostStatus) => status === 'draft' || status === 'inqueue-draft'
/** Takes a place in its profiles' queues. */
export const isQueued = (status: PostStatus) => status === 'inqueue' || status === 'inqueue-draft'
/** Has reached at least one profile. */
export const isSent = (status: PostStatus) => status === 'complete' || status === 'incomplete'

/** The draft that becomes this when it is approved, and the other way round. */
export const draftOf = (status: PlannedStatus): PlannedStatus => (isQueued(status) ? 'inqueue-draft' : 'draft')
export const scheduledOf = (status: PostStatus): PlannedStatus => (isQueued(status) ? 'inqueue' : 'pending')
