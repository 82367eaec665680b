import { contributor, demoId, owner, publisher } from '#areas/account/account.demo.ts'
import type { DemoCampaign, DemoMessage } from './campaigns.demo.ts'

/** The status of a demo post, or a special case: with a first comment, pending at a workflow step, or rejected. */
type Kind =
  | 'complete'
  | 'incomplete'
  | 'error'
  | 'pending'
  | 'commented'
  | 'inqueue'
  | 'draft'
  | 'inqueue-draft'
  | 'waiting'
  | 'rejected'

export interface DemoPost {
  id: string
  kind: Kind
  campaign: DemoCampaign
  message: DemoMessage
  createdBy: string
  source: 'UI' | 'API' | 'Autoposter' | 'Bookmarklet'
  promotion: 'organic' | 'promoted'
  /** Days since the first start of the demo, and minutes after midnight. */
  day: number
  minutes: number
  /** The number of profiles on its network, if there are that many. */
  profiles: number
}

const times = <Value>(count: number, value: Value): Value[] => Array(count).fill(value)

/** The posts of a campaign by its status: an ended one has none scheduled, and those of a paused one are held. */
const kinds: { [status in DemoCampaign['status']]: Kind[] } = {
  active: [
    ...times(9, 'complete' as const),
    ...(['incomplete', 'error'] as const),
    ...(['commented', 'pending', 'pending', 'pending', 'pending'] as const),
    ...(['inqueue', 'inqueue', 'draft', 'inqueue-draft', 'waiting'] as const),
  ],
  paused: [...times(6, 'complete' as const), ...times(5, 'pending' as const)],
  complete: [...times(11, 'complete' as const), 'error'],
  archived: times(7, 'complete'),
}

const people = [owner, publisher, publisher, contributor]
const sources = ['UI', 'UI', 'API', 'UI', 'Bookmarklet', 'UI', 'Autoposter'] as const

/** 200 posts; deterministic. */
export function demoPosts(campaigns: readonly DemoCampaign[]): DemoPost[] {
  const posts = campaigns.flatMap((campaign, of) => {
    return kinds[campaign.status].map((given, index) => ({ campaign, of, index, kind: kindOf(given, of) }))
  })
  return posts.map(({ campaign, of, index, kind }, number) => ({
    id: demoId('004', number + 1),
    kind,
    campaign,
    message: messageOf(campaign, kind, index),
    createdBy: kind === 'waiting' || kind === 'rejected' ? contributor : (people[number % people.length] ?? owner),
    source: sources[number % sources.length] ?? 'UI',
    promotion: number % 25 === 4 ? 'promoted' : 'organic',
    day: dayOf(campaign.status, kind, of, index),
    minutes: 8 * 60 + ((number * 105) % 600),
    profiles: kind === 'incomplete' ? 2 : 1 + (number % 3),
  }))
}

const sent = new Set<Kind>(['complete', 'incomplete', 'error'])
export const isSentKind = (kind: Kind) => sent.has(kind)

/** One draft is rejected. */
const kindOf = (kind: Kind, campaign: number): Kind => (kind === 'draft' && campaign === 2 ? 'rejected' : kind)

/** First comments are posted on LinkedIn, and only there can a demo post have several profiles with different results. */
function messageOf({ messages }: DemoCampaign, kind: Kind, index: number): DemoMessage {
  const onLinkedIn = kind === 'incomplete' || kind === 'commented'
  return messages[onLinkedIn ? 0 : index % messages.length] as DemoMessage
}

/** Never today, so that no post falls due while a user explores the demo or a test runs. */
function dayOf(status: DemoCampaign['status'], kind: Kind, campaign: number, index: number): number {
  // Ended campaigns ran for two months.
  if (status === 'archived' || status === 'complete') return -24 - ((index * 11 + campaign * 3) % 60)
  const spread = (index * 8 + campaign * 5) % 29
  return isSentKind(kind) ? -1 - spread : 1 + spread
}
