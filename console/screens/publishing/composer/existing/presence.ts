import { useEffect, useState } from 'react'
import { call } from '../../../../wire/call.ts'
import { hearPresence } from '../../../../wire/feed.ts'
import { useCalls } from '../../../../wire/queries.ts'
import { useWho } from '../../../../wire/session.ts'
import { list } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'

const every = 15_000

/** Tells others that somebody edits a post, and hears who else does: before anything is saved twice. */
export function useOthers(postId: string): readonly string[] {
  const { User } = useWho()
  const [seen, setSeen] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    if (!postId) return
    const told = () => void call('POST /presence', { id: postId, doing: 'editing' }).catch(() => {})
    told()
    const telling = setInterval(told, every)
    const gone = new Map<string, ReturnType<typeof setTimeout>>()
    const stop = hearPresence(({ id, doing, by }) => {
      if (id !== postId || doing !== 'editing' || by === User.Id) return
      setSeen((before) => new Map(before).set(by, 1))
      clearTimeout(gone.get(by))
      gone.set(
        by,
        setTimeout(() => setSeen((before) => new Map([...before].filter(([one]) => one !== by))), 2.5 * every),
      )
    })
    return () => {
      clearInterval(telling)
      for (const timer of gone.values()) clearTimeout(timer)
      stop()
    }
  }, [postId, User.Id])
  return [...seen.keys()]
}

/** Who somebody is, by their ids. */
export function useNames(ids: readonly string[]): string {
  const answers = useCalls(
    'v2 GET /user/{id}',
    ids.map((id) => ({ id })),
  )
  return list(ids.map((_, index) => answers[index]?.User.Name || words.composer.somebody))
}
