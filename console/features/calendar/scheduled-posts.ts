import type { Body } from '@/api/call.ts'
import { addDays, type Day, dayLength, dayOf, type ZoneClock } from '@/time/days.ts'
import { type Status, statusOf } from '@/ui/badges.tsx'

export type CalendarData = Body<'POST /calendar'>
type Sent = CalendarData['Posts'][number]

/** A post positioned in the user's time zone. */
export interface ScheduledPost {
  id: string
  /** In milliseconds. */
  at: number
  day: Day
  /** Minutes since midnight. */
  minutes: number
  network: string
  status: Status
  isLate: boolean
  campaignId: string
  profiles: readonly string[]
  text: string
}

/** The posts of a response, prepared once when it arrives. */
export const scheduledPostsOf = ({ Posts }: CalendarData, clock: ZoneClock): readonly ScheduledPost[] =>
  Posts.map((post) => scheduledPostOf(post, clock)).sort((one, other) => one.at - other.at)

function scheduledPostOf(post: Sent, clock: ZoneClock): ScheduledPost {
  const at = post.At * 1000
  const wallTime = clock.wall(at)
  return {
    id: post.Id,
    at,
    day: dayOf(wallTime),
    minutes: Math.floor((wallTime % dayLength) / 60_000),
    network: post.Network,
    status:
      post.Trouble === 'unconfirmed' ? 'unsure' : post.Trouble ? 'failed' : statusOf(post.Status, post.ApproveStatus),
    isLate: post.Trouble === 'late',
    campaignId: post.CampaignId,
    profiles: post.CredentialIds,
    text: post.Text,
  }
}

/** Filters of different kinds are combined with AND. */
export interface Filters {
  networks: readonly string[]
  statuses: readonly string[]
  campaigns: readonly string[]
}

export function filterPosts(
  posts: readonly ScheduledPost[],
  { networks, statuses, campaigns }: Filters,
): readonly ScheduledPost[] {
  if (networks.length + statuses.length + campaigns.length === 0) return posts
  const matches = (values: readonly string[], value: string) => values.length === 0 || values.includes(value)
  return posts.filter(
    (post) => matches(networks, post.network) && matches(statuses, post.status) && matches(campaigns, post.campaignId),
  )
}

export type PostsByDay = ReadonlyMap<Day, readonly ScheduledPost[]>

export const noPosts: readonly ScheduledPost[] = []

/** Groups posts by day. A day with unchanged posts keeps its object identity, so that only changed days render again. */
export function groupByDay(posts: readonly ScheduledPost[], before: PostsByDay): PostsByDay {
  const days = new Map<Day, ScheduledPost[]>()
  for (const post of posts) {
    const day = days.get(post.day)
    if (day) day.push(post)
    else days.set(post.day, [post])
  }
  const cache = new Map<Day, readonly ScheduledPost[]>()
  for (const [day, list] of days) {
    const old = before.get(day) ?? noPosts
    cache.set(day, old.length === list.length && old.every((post, index) => isSame(post, list[index])) ? old : list)
  }
  return cache
}

/** Whether both render the same. */
const isSame = (one: ScheduledPost, other: ScheduledPost | undefined) =>
  other !== undefined &&
  (['id', 'at', 'status', 'isLate', 'campaignId', 'text', 'minutes'] as const).every(
    (field) => one[field] === other[field],
  )

/** How much a post needs attention; statuses without urgency share the last rank. */
const urgency: { [status in Status]: number } = { failed: 0, unsure: 1, waiting: 2, planned: 3, draft: 3, sent: 3 }

/** The posts that fit into a day, in order of time. At most half of the slots go to posts that need attention, most urgent first. */
export function visiblePosts(posts: readonly ScheduledPost[], maxVisible: number): readonly ScheduledPost[] {
  if (posts.length <= maxVisible) return posts
  const withProblems = posts
    .filter(({ status }) => urgency[status] < 3)
    .sort((one, other) => urgency[one.status] - urgency[other.status])
  const cache = new Set(withProblems.slice(0, Math.ceil(maxVisible / 2)))
  const others = posts.filter((post) => !cache.has(post)).slice(0, Math.max(0, maxVisible - cache.size))
  return [...cache, ...others].sort((one, other) => one.at - other.at)
}

/** Whether its time can still change: nothing was sent yet. */
export const isMovable = ({ status, isLate }: ScheduledPost) =>
  isLate || status === 'planned' || status === 'waiting' || status === 'draft'

/** Posts per hour of a day. */
export function byHour(posts: readonly ScheduledPost[]): number[] {
  const hours = new Array<number>(24).fill(0)
  for (const { minutes } of posts) hours[Math.floor(minutes / 60)] = (hours[Math.floor(minutes / 60)] ?? 0) + 1
  return hours
}

/** 09:30 */
export const clockOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** Both days included. */
export const daysBetween = (first: Day, last: Day): Day[] => {
  const days: Day[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}
