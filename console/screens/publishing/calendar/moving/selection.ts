import { useCallback, useMemo, useRef, useState } from 'react'
import type { Planned } from '../plan.ts'

export const nobody: ReadonlySet<string> = new Set()

export interface Selection {
  ids: ReadonlySet<string>
  chosen: readonly Planned[]
  /** One more or one less; with `isRange` all from the one before on, in the order of time. */
  toggle: (id: string, isRange?: boolean) => void
  clear: () => void
}

/** Posts that somebody picks to do the same with all of them. What is no more in sight is no more selected. */
export function useSelection(posts: readonly Planned[]): Selection {
  const [picked, setPicked] = useState(nobody)
  const last = useRef('')
  const shown = useRef(posts)
  shown.current = posts
  const chosen = useMemo(() => (picked.size === 0 ? [] : posts.filter(({ id }) => picked.has(id))), [posts, picked])
  const ids = useMemo(() => (chosen.length === 0 ? nobody : new Set(chosen.map(({ id }) => id))), [chosen])
  const toggle = useCallback((id: string, isRange = false) => {
    const place = (one: string) => shown.current.findIndex((post) => post.id === one)
    const [from, to] = [place(last.current), place(id)]
    const range = isRange && from >= 0 ? shown.current.slice(Math.min(from, to), Math.max(from, to) + 1) : []
    last.current = id
    setPicked((before) => {
      const next = new Set(before)
      if (range.length > 0) for (const post of range) next.add(post.id)
      else if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const clear = useCallback(() => setPicked(nobody), [])
  return { ids, chosen, toggle, clear }
}
