import { contributor, demoId, owner, publisher } from '#areas/account/demo-days.demo.ts'
import type { DemoCampaign, DemoMessage } from './campaigns.demo.ts'

/** What a post of the demo is: its status, and beyond that whether it is commented on, waits at a workflow's step, or was rejected. */
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
  /** From the day of the first start, and minutes after its midnight. */
  day: number
  minutes: number
  /** How many profiles of its network it is for, if there are as many. */
  profiles: number
}

const times = <Value>(count: number, value: Value): Value[] => Array(count).fill(value)

/** What each campaign has, by its status: nothing is ahead of one that is over, and what is ahead of a paused one is held. */
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

/** Two hundred posts, always the same ones. */
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

/** One of the drafts was not liked. */
const kindOf = (kind: Kind, campaign: number): Kind => (kind === 'draft' && campaign === 2 ? 'rejected' : kind)

/** Comments go under posts on LinkedIn, and only there a post of the demo has profiles that may differ. */
function messageOf({ messages }: DemoCampaign, kind: Kind, index: number): DemoMessage {
  const onLinkedIn = kind === 'incomplete' || kind === 'commented'
  return messages[onLinkedIn ? 0 : index % messages.length] as DemoMessage
}

/** Never today: nothing falls due while somebody looks around or a test runs. */
function dayOf(status: DemoCampaign['status'], kind: Kind, campaign: number, index: number): number {
  // What is over went on for two months.
  if (status === 'archived' || status === 'complete') return -24 - ((index * 11 + campaign * 3) % 60)
  const spread = (index * 8 + campaign * 5) % 29
  return isSentKind(kind) ? -1 - spread : 1 + spread
}
