import type { Body } from '@/api/call.ts'
import { addDays, type Day, dayLength, dayOf, type ZoneClock } from '@/time/days.ts'
import { type Status, statusOf } from '@/ui/badges.tsx'

export type CalendarData = Body<'POST /calendar'>
type Sent = CalendarData['Posts'][number]

/** A post where it stands on the reader's wall clock. */
export interface ScheduledPost {
  id: string
  /** In milliseconds. */
  at: number
  day: Day
  /** Of that day. */
  minutes: number
  network: string
  status: Status
  isLate: boolean
  campaignId: string
  profiles: readonly string[]
  text: string
}

/** What the calendar draws of an answer, made once when it comes. */
export const scheduledPostsOf = ({ Posts }: CalendarData, lens: ZoneClock): readonly ScheduledPost[] =>
  Posts.map((post) => scheduledPostOf(post, lens)).sort((one, other) => one.at - other.at)

function scheduledPostOf(post: Sent, lens: ZoneClock): ScheduledPost {
  const at = post.At * 1000
  const wall = lens.wall(at)
  return {
    id: post.Id,
    at,
    day: dayOf(wall),
    minutes: Math.floor((wall % dayLength) / 60_000),
    network: post.Network,
    status:
      post.Trouble === 'unconfirmed' ? 'unsure' : post.Trouble ? 'failed' : statusOf(post.Status, post.ApproveStatus),
    isLate: post.Trouble === 'late',
    campaignId: post.CampaignId,
    profiles: post.CredentialIds,
    text: post.Text,
  }
}

/** What is shown of it: each that is named narrows. */
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
  const among = (values: readonly string[], value: string) => values.length === 0 || values.includes(value)
  return posts.filter(
    (post) => among(networks, post.network) && among(statuses, post.status) && among(campaigns, post.campaignId),
  )
}

export type PostsByDay = ReadonlyMap<Day, readonly ScheduledPost[]>

export const noPosts: readonly ScheduledPost[] = []

/** By day. A day that holds what it held before stays the same object, so that only what changed is drawn anew. */
export function groupByDay(posts: readonly ScheduledPost[], before: PostsByDay): PostsByDay {
  const days = new Map<Day, ScheduledPost[]>()
  for (const post of posts) {
    const day = days.get(post.day)
    if (day) day.push(post)
    else days.set(post.day, [post])
  }
  const kept = new Map<Day, readonly ScheduledPost[]>()
  for (const [day, list] of days) {
    const old = before.get(day) ?? noPosts
    kept.set(day, old.length === list.length && old.every((post, index) => isSame(post, list[index])) ? old : list)
  }
  return kept
}

/** What is drawn of both is the same. */
const isSame = (one: ScheduledPost, other: ScheduledPost | undefined) =>
  other !== undefined &&
  (['id', 'at', 'status', 'isLate', 'campaignId', 'text', 'minutes'] as const).every(
    (field) => one[field] === other[field],
  )

/** How much a post needs a person; what needs nobody comes as it comes. */
const urgency: { [status in Status]: number } = { failed: 0, unsure: 1, waiting: 2, planned: 3, draft: 3, sent: 3 }

/** What fits of a day, in the order of time: half of the room at most for what needs a person, the most urgent of it. */
export function visiblePosts(posts: readonly ScheduledPost[], room: number): readonly ScheduledPost[] {
  if (posts.length <= room) return posts
  const troubled = posts
    .filter(({ status }) => urgency[status] < 3)
    .sort((one, other) => urgency[one.status] - urgency[other.status])
  const kept = new Set(troubled.slice(0, Math.ceil(room / 2)))
  const others = posts.filter((post) => !kept.has(post)).slice(0, Math.max(0, room - kept.size))
  return [...kept, ...others].sort((one, other) => one.at - other.at)
}

/** Whether its time can still be changed: nothing of it was sent. */
export const isMovable = ({ status, isLate }: ScheduledPost) =>
  isLate || status === 'planned' || status === 'waiting' || status === 'draft'

/** How many posts each hour of a day has. */
export function byHour(posts: readonly ScheduledPost[]): number[] {
  const hours = new Array<number>(24).fill(0)
  for (const { minutes } of posts) hours[Math.floor(minutes / 60)] = (hours[Math.floor(minutes / 60)] ?? 0) + 1
  return hours
}

/** 09:30 */
export const clockOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** The days from one to another, both included. */
export const daysBetween = (first: Day, last: Day): Day[] => {
  const days: Day[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}
