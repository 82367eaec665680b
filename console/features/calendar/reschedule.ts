import { useCallback } from 'react'
import { type Body, call, type Sent, tagOf } from '@/api/call.ts'
import { cache, inTurn, keyOf, readAgain, shownAhead, told, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dayAndClock, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { addDays, dayLength, wallOf, zoneLens } from '@/time/days.ts'
import { say } from '@/ui/toasts.tsx'
import type { Planned } from './scheduled-posts.ts'

export type Asked = Sent<'POST /calendar'>

/** What shows a post, wherever it stands. */
const showing = [
  ...(['POST /calendar', 'GET /post/late', 'GET /overview', 'v2 GET /post/{id}'] as const),
  'GET /post/{id}/history',
] as const

/** Of each post, how it was known after one's last change of it: what was changed since was changed by somebody else. */
const lastTags = new Map<string, string | undefined>()
const waysBack = new WeakSet<object>()

/**
 * Moves posts: shown at once, taken back with the service's sentence where it refuses, and with a way back for ten seconds. What somebody
 * else did meanwhile is not undone with it.
 */
export function useMove(asked: Asked) {
  const mayPublish = useMay()('approve')
  const { mutate } = useChange('v2 POST /post/{id}', {
    before: ({ id, startDateTime }) => {
      const before = momentOfPost(asked, id)
      setMoment(asked, id, Number(startDateTime))
      return () => before !== undefined && setMoment(asked, id, before)
    },
    how: (sent) => (waysBack.has(sent) ? { ifMatch: lastTags.get(sent.id) } : {}),
    done: (body, { id }) => {
      lastTags.set(id, tagOf(body))
      if (!mayPublish && body.Post.ApproveStatus === 'Pending') say(words.calendar.needsApproval)
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
    stale: showing,
  })
  return useCallback(
    (post: { id: string; at: number }, at: number) => {
      if (post.at === at) return
      const sentTo = (moment: number) => ({ id: post.id, startDateTime: Math.floor(moment / 1000) })
      const undo = () => {
        const back = sentTo(post.at)
        waysBack.add(back)
        mutate(back)
      }
      mutate(sentTo(at))
      say(words.calendar.moved(dayAndClock(at)), { action: { label: words.ui.undo, run: undo } })
    },
    [mutate],
  )
}

const answerOf = (asked: Asked) => cache.getQueryData<Body<'POST /calendar'>>(keyOf('POST /calendar', asked))

const momentOfPost = (asked: Asked, id: string) => answerOf(asked)?.Posts.find((post) => post.Id === id)?.At

const setMoment = (asked: Asked, id: string, At: number) => setMoments(asked, [{ id, at: At * 1000 }])

/** Shows posts at other moments before that is confirmed. */
function setMoments(asked: Asked, posts: readonly { id: string; at: number }[]) {
  const moments = new Map(posts.map(({ id, at }) => [id, Math.floor(at / 1000)]))
  cache.setQueryData<Body<'POST /calendar'>>(
    keyOf('POST /calendar', asked),
    (body) => body && { ...body, Posts: body.Posts.map((post) => ({ ...post, At: moments.get(post.Id) ?? post.At })) },
  )
}

/** What a person does about a post that missed its time. */
export function useLateRepair(done?: () => void) {
  return useChange('POST /post/{id}/repair', {
    done: (_body, { action }) => {
      say(action === 'send' ? words.calendar.onItsWay : words.calendar.dropped)
      done?.()
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
    stale: showing,
  })
}

/** What a person does about a post that a profile has not got, or may have. */
export function useRepair() {
  return useChange('POST /postlog/{id}/repair', {
    done: (_body, { action }) => say(action === 'send-again' ? words.calendar.onItsWay : words.calendar.marked),
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
    stale: showing,
  })
}

type Changes = Sent<'POST /posts'>
type Post = Pick<Planned, 'id' | 'at'>

/** So many at a time. */
const most = 100

/** Moves posts by whole days, each at its own time of the day: shown at once, and with a way back for those that moved and that nobody else changed since. */
export async function moveTogether(asked: Asked, posts: readonly Planned[], days: number): Promise<void> {
  if (days === 0) return
  const walls = posts.map(({ day, minutes }) => wallOf(addDays(day, days)) + minutes * 60_000)
  const lens = zoneLens(readersZone(), Math.min(...walls) - dayLength, Math.max(...walls) + dayLength)
  const targets = posts.map(({ id }, index) => ({ id, at: lens.moment(walls[index] ?? 0) }))
  const moved = await moveTo(asked, posts, targets)
  if (moved.length === 0) return
  const back = async () => {
    const before = posts.filter(({ id }) => moved.some((one) => one.id === id))
    const those = await moveTo(asked, moved, before, 'as one left it')
    if (those.length > 0) say(words.calendar.movedBack(those.length))
  }
  say(words.calendar.movedSeveral(moved.length), { action: { label: words.ui.undo, run: () => void back() } })
}

/** Gives those that moved. */
async function moveTo(asked: Asked, from: readonly Post[], to: readonly Post[], which: Which = 'as it is') {
  setMoments(asked, to)
  const items = to.map(({ id, at }) => ({ id, startDateTime: Math.floor(at / 1000) }))
  const changed = await shownAhead(showing, () => changeAll('move', items, { which }))
  setMoments(
    asked,
    from.filter(({ id }) => !changed.has(id)),
  )
  return to.filter(({ id }) => changed.has(id))
}

/** Gives posts to another campaign; back to the one that each was of. */
export async function giveTogether(posts: readonly Planned[], campaign: { id: string; name: string }): Promise<void> {
  const items = posts.filter(({ campaignId }) => campaignId !== campaign.id)
  const give = (those: readonly Planned[], campaignId: string, which?: Which) =>
    changeAll(
      'change-campaign',
      those.map(({ id }) => ({ id })),
      { campaignId, which },
    )
  const changed = await give(items, campaign.id)
  const given = items.filter(({ id }) => changed.has(id))
  if (given.length === 0) return
  const back = async () => {
    for (const before of new Set(given.map(({ campaignId }) => campaignId)))
      await give(
        given.filter(({ campaignId }) => campaignId === before),
        before,
        'as one left it',
      )
  }
  say(words.calendar.givenSeveral(given.length, campaign.name), {
    action: { label: words.ui.undo, run: () => void back() },
  })
}

export async function deleteTogether(posts: readonly Pick<Planned, 'id'>[]): Promise<void> {
  const { size: deleted } = await changeAll(
    'delete',
    posts.map(({ id }) => ({ id })),
  )
  if (deleted > 0) say(words.calendar.deletedSeveral(deleted))
}

/** A way back does not undo what somebody else did meanwhile. */
type Which = 'as it is' | 'as one left it'

/** Asks for all of them, when those before have been answered, and says what was refused. Gives those that were changed. */
async function changeAll(
  action: Changes['action'],
  items: Changes['items'],
  { campaignId, which }: { campaignId?: string; which?: Which | undefined } = {},
): Promise<ReadonlySet<string>> {
  const refused = new Map<string, string>()
  const changed = new Set<string>()
  const ask = (some: Changes['items']) =>
    inTurn('POST /posts', () => {
      const known = some.map((item) => ({ ...item, ifMatch: lastTags.get(String(item.id)) ?? '' }))
      const sent = which === 'as one left it' ? known : some
      return call('POST /posts', { action, items: sent, ...(campaignId && { campaignId }) })
    })
  for (let from = 0; from < items.length; from += most) {
    const some = items.slice(from, from + most)
    try {
      for (const { Id, Problem, Tag } of (await ask(some)).Items) {
        if (Problem) {
          refused.set(Id, Problem)
          continue
        }
        changed.add(Id)
        lastTags.set(Id, Tag)
      }
    } catch (error) {
      for (const { id } of some) refused.set(String(id), told(error).sentence)
    }
  }
  readAgain(...showing)
  const [first] = refused.values()
  if (first) say(refused.size === 1 ? first : words.calendar.refusedSeveral(refused.size, first), { kind: 'problem' })
  return changed
}
