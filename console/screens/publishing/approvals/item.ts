import { momentIfAny } from '../../../time/days.ts'
import type { Status } from '../../../ui/marks/status.tsx'
import type { Body } from '../../../wire/call.ts'
import { words } from '../../../words/words.ts'

export type Item = Body<'GET /workflow-item'>['Items'][number]
export type Changes = Body<'GET /workflow-item/{id}/changes'>

export const views = ['to-decide', 'waiting', 'sent', 'decided'] as const
export type View = (typeof views)[number]

/** A story is for several networks, named one after the other. */
export const networksOf = ({ Network }: Pick<Item, 'Network'>) => Network.split(', ').filter(Boolean)

export const kindOf = ({ StoryId, PostId }: Pick<Item, 'StoryId' | 'PostId'>) =>
  StoryId ? 'story' : PostId ? 'post' : 'message'

export const dueOf = ({ Due }: Pick<Item, 'Due'>) => momentIfAny(Due)
export const remindedAt = ({ Reminded }: Pick<Item, 'Reminded'>) => momentIfAny(Reminded)

/** What the signs of posts mean, lent to decisions. */
export const signOf = ({ Status: status }: Pick<Item, 'Status'>): Status =>
  status === 'approved' ? 'sent' : status === 'rejected' ? 'failed' : 'waiting'

export const statusWord = ({ Status: status }: Pick<Item, 'Status'>) =>
  words.approvals.status[status as keyof typeof words.approvals.status] ?? status

/** The last decision on it, whoever made it, with the words it was made on. */
export function lastDecision({ Rounds }: Changes) {
  const round = Rounds.find(({ Decisions }) => Decisions.length > 0)
  const decision = round?.Decisions.at(-1)
  return round && decision && { round, decision }
}
