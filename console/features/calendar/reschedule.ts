import { useCallback } from 'react'
import { type Body, call, etagOf, type Params } from '@/api/call.ts'
import {
  errorDetails,
  invalidate,
  queryClient,
  queryKey,
  runInOrder,
  useApiMutation,
  withOptimisticUpdate,
} from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatDateTime, userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { addDays, dayLength, timeZoneClock, wallTimeOf } from '@/time/days.ts'
import { toast } from '@/ui/toasts.tsx'
import type { ScheduledPost } from './scheduled-posts.ts'

export type CalendarQuery = Params<'POST /calendar'>

/** Routes that show a post. */
const affectedRoutes = [
  ...(['POST /calendar', 'GET /post/late', 'GET /overview', 'v2 GET /post/{id}'] as const),
  'GET /post/{id}/history',
] as const

/** ETag of each post after the user's last change. A different ETag means that another user has changed the post since. */
const lastEtags = new Map<string, string | undefined>()
const undoRequests = new WeakSet<object>()

/**
 * Moves posts: optimistic, rolled back with the server's error message, and with an undo for ten seconds. Undo never overwrites changes of
 * other users.
 */
export function useMove(query: CalendarQuery) {
  const mayPublish = useMay()('approve')
  const { mutate } = useApiMutation('v2 POST /post/{id}', {
    optimistic: ({ id, startDateTime }) => {
      const before = momentOfPost(query, id)
      setMoment(query, id, Number(startDateTime))
      return () => before !== undefined && setMoment(query, id, before)
    },
    options: (sent) => (undoRequests.has(sent) ? { ifMatch: lastEtags.get(sent.id) } : {}),
    onSuccess: (body, { id }) => {
      lastEtags.set(id, etagOf(body))
      if (!mayPublish && body.Post.ApproveStatus === 'Pending') toast(texts.calendar.needsApproval)
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
    invalidates: affectedRoutes,
  })
  return useCallback(
    (post: { id: string; at: number }, at: number) => {
      if (post.at === at) return
      const sentTo = (moment: number) => ({ id: post.id, startDateTime: Math.floor(moment / 1000) })
      const undo = () => {
        const back = sentTo(post.at)
        undoRequests.add(back)
        mutate(back)
      }
      mutate(sentTo(at))
      toast(texts.calendar.moved(formatDateTime(at)), { action: { label: texts.ui.undo, run: undo } })
    },
    [mutate],
  )
}

const cachedData = (query: CalendarQuery) =>
  queryClient.getQueryData<Body<'POST /calendar'>>(queryKey('POST /calendar', query))

const momentOfPost = (query: CalendarQuery, id: string) => cachedData(query)?.Posts.find((post) => post.Id === id)?.At

const setMoment = (query: CalendarQuery, id: string, At: number) => setOptimisticTimes(query, [{ id, at: At * 1000 }])

/** Optimistic update of post times. */
function setOptimisticTimes(query: CalendarQuery, posts: readonly { id: string; at: number }[]) {
  const moments = new Map(posts.map(({ id, at }) => [id, Math.floor(at / 1000)]))
  queryClient.setQueryData<Body<'POST /calendar'>>(
    queryKey('POST /calendar', query),
    (body) => body && { ...body, Posts: body.Posts.map((post) => ({ ...post, At: moments.get(post.Id) ?? post.At })) },
  )
}

/** Actions for a missed post. */
export function useLateRepair(done?: () => void) {
  return useApiMutation('POST /post/{id}/repair', {
    onSuccess: (_body, { action }) => {
      toast(action === 'send' ? texts.calendar.onItsWay : texts.calendar.dropped)
      done?.()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
    invalidates: affectedRoutes,
  })
}

/** Actions for a post that failed or is unconfirmed on a profile. */
export function useRepair() {
  return useApiMutation('POST /postlog/{id}/repair', {
    onSuccess: (_body, { action }) => toast(action === 'send-again' ? texts.calendar.onItsWay : texts.calendar.marked),
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
    invalidates: affectedRoutes,
  })
}

type Changes = Params<'POST /posts'>
type Post = Pick<ScheduledPost, 'id' | 'at'>

/** Batch size of a request. */
const batchSize = 100

/**
 * Moves posts by whole days, keeping the time of day: optimistic, with an undo for the posts that moved and were not changed by other users
 * since.
 */
export async function movePosts(query: CalendarQuery, posts: readonly ScheduledPost[], days: number): Promise<void> {
  if (days === 0) return
  const wallTimes = posts.map(({ day, minutes }) => wallTimeOf(addDays(day, days)) + minutes * 60_000)
  const clock = timeZoneClock(userTimeZone(), Math.min(...wallTimes) - dayLength, Math.max(...wallTimes) + dayLength)
  const targets = posts.map(({ id }, index) => ({ id, at: clock.moment(wallTimes[index] ?? 0) }))
  const moved = await moveTo(query, posts, targets)
  if (moved.length === 0) return
  const back = async () => {
    const before = posts.filter(({ id }) => moved.some((one) => one.id === id))
    const selectedPosts = await moveTo(query, moved, before, 'as one left it')
    if (selectedPosts.length > 0) toast(texts.calendar.movedBack(selectedPosts.length))
  }
  toast(texts.calendar.movedSeveral(moved.length), { action: { label: texts.ui.undo, run: () => void back() } })
}

/** Returns the ids that moved. */
async function moveTo(query: CalendarQuery, from: readonly Post[], to: readonly Post[], which: Which = 'as it is') {
  setOptimisticTimes(query, to)
  const items = to.map(({ id, at }) => ({ id, startDateTime: Math.floor(at / 1000) }))
  const changed = await withOptimisticUpdate(affectedRoutes, () => changePosts('move', items, { which }))
  setOptimisticTimes(
    query,
    from.filter(({ id }) => !changed.has(id)),
  )
  return to.filter(({ id }) => changed.has(id))
}

/** Assigns posts to another campaign. Undo restores the previous campaign of each post. */
export async function assignCampaign(
  posts: readonly ScheduledPost[],
  campaign: { id: string; name: string },
): Promise<void> {
  const items = posts.filter(({ campaignId }) => campaignId !== campaign.id)
  const assign = (selectedPosts: readonly ScheduledPost[], campaignId: string, which?: Which) =>
    changePosts(
      'change-campaign',
      selectedPosts.map(({ id }) => ({ id })),
      { campaignId, which },
    )
  const changed = await assign(items, campaign.id)
  const assigned = items.filter(({ id }) => changed.has(id))
  if (assigned.length === 0) return
  const back = async () => {
    for (const before of new Set(assigned.map(({ campaignId }) => campaignId)))
      await assign(
        assigned.filter(({ campaignId }) => campaignId === before),
        before,
        'as one left it',
      )
  }
  toast(texts.calendar.givenSeveral(assigned.length, campaign.name), {
    action: { label: texts.ui.undo, run: () => void back() },
  })
}

export async function deletePosts(posts: readonly Pick<ScheduledPost, 'id'>[]): Promise<void> {
  const { size: deleted } = await changePosts(
    'delete',
    posts.map(({ id }) => ({ id })),
  )
  if (deleted > 0) toast(texts.calendar.deletedSeveral(deleted))
}

/** Undo uses the last known ETag, so that it does not overwrite changes of other users. */
type Which = 'as it is' | 'as one left it'

/** Sends the changes in batches after earlier requests have finished, and shows errors. Returns the changed ids. */
async function changePosts(
  action: Changes['action'],
  items: Changes['items'],
  { campaignId, which }: { campaignId?: string; which?: Which | undefined } = {},
): Promise<ReadonlySet<string>> {
  const failures = new Map<string, string>()
  const changed = new Set<string>()
  const sendBatch = (batch: Changes['items']) =>
    runInOrder('POST /posts', () => {
      const known = batch.map((item) => ({ ...item, ifMatch: lastEtags.get(String(item.id)) ?? '' }))
      const sent = which === 'as one left it' ? known : batch
      return call('POST /posts', { action, items: sent, ...(campaignId && { campaignId }) })
    })
  for (let from = 0; from < items.length; from += batchSize) {
    const batch = items.slice(from, from + batchSize)
    try {
      for (const { Id, Problem, Tag } of (await sendBatch(batch)).Items) {
        if (Problem) {
          failures.set(Id, Problem)
          continue
        }
        changed.add(Id)
        lastEtags.set(Id, Tag)
      }
    } catch (error) {
      for (const { id } of batch) failures.set(String(id), errorDetails(error).message)
    }
  }
  invalidate(...affectedRoutes)
  const [first] = failures.values()
  if (first)
    toast(failures.size === 1 ? first : texts.calendar.refusedSeveral(failures.size, first), { kind: 'problem' })
  return changed
}
