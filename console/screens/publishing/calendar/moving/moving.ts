import { useCallback } from 'react'
import { say } from '../../../../ui/layers/toasts.tsx'
import { type Body, type Sent, tagOf } from '../../../../wire/call.ts'
import { cache, keyOf, told, useChange } from '../../../../wire/queries.ts'
import { useMay } from '../../../../wire/session.ts'
import { dayAndClock } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'

export type Asked = Sent<'POST /calendar'>

/** What shows a post, wherever it stands. */
export const showing = [
  ...(['POST /calendar', 'GET /post/late', 'GET /overview', 'v2 GET /post/{id}'] as const),
  'GET /post/{id}/history',
] as const

/** Of each post, how it was known after one's last change of it: what was changed since was changed by somebody else. */
export const lastTags = new Map<string, string | undefined>()
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
export function setMoments(asked: Asked, posts: readonly { id: string; at: number }[]) {
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
