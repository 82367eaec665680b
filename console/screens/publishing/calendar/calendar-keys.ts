import { useMemo, useRef } from 'react'
import { useKeys } from '../../../shell/keys.ts'
import { changeSearch, go } from '../../../shell/router.ts'
import type { Day } from '../../../time/days.ts'
import { words } from '../../../words/words.ts'
import type { Planned } from './plan.ts'
import { views } from './stretch.ts'

interface CalendarKeys {
  step: (by: number) => void
  showToday: () => void
  cursor: Day
  /** The post that is focused, else the one that is open. */
  chosen: () => Planned | undefined
  /** Moves it, or all that are selected. */
  onMove: ((post: Planned | undefined) => void) | undefined
  onSelect: (post: Planned) => void
  /** The post, or all that are selected. */
  onDelete: (post: Planned | undefined) => void
  onClose: () => void
}

/** The keys of the calendar; what only reads is offered no others. */
export function useCalendarKeys(acts: CalendarKeys) {
  const { step, showToday } = acts
  const latest = useRef(acts)
  latest.current = acts
  useKeys(
    useMemo(() => {
      const name = words.calendar.keys
      const withPost = (run: (post: Planned) => void) => () => {
        const post = latest.current.chosen()
        if (post) run(post)
      }
      const reading = [
        { keys: '[', name: name.earlier, run: () => step(-1) },
        { keys: ']', name: name.later, run: () => step(1) },
        { keys: 't', name: name.today, run: showToday },
        ...views.map((view, index) => ({
          keys: String(index + 1),
          name: words.calendar.views[view],
          run: () => changeSearch({ view: view === 'month' ? '' : view }),
        })),
        { keys: 'Escape', name: name.close, run: () => latest.current.onClose() },
      ]
      if (!latest.current.onMove) return reading
      return [
        ...reading,
        { keys: 'n', name: name.new, run: () => go(`/app/compose?day=${latest.current.cursor}`) },
        { keys: 'm', name: name.move, run: () => latest.current.onMove?.(latest.current.chosen()) },
        { keys: 'x', name: name.select, run: withPost((post) => latest.current.onSelect(post)) },
        { keys: 'Delete', name: name.delete, run: () => latest.current.onDelete(latest.current.chosen()) },
        { keys: 'e', name: name.edit, run: withPost(({ id }) => go(`/app/compose?post=${id}`)) },
        { keys: 'd', name: name.duplicate, run: withPost(({ id }) => go(`/app/compose?copy=${id}`)) },
      ]
    }, [step, showToday]),
  )
}
