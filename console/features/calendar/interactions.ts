import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { navigate, setSearch } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import type { Day } from '@/time/days.ts'
import * as styles from './calendar.module.css'
import { views } from './date-range.ts'
import type { ScheduledPost } from './scheduled-posts.ts'

interface ShortcutActions {
  step: (by: number) => void
  showToday: () => void
  cursor: Day
  /** The focused post, otherwise the open one. */
  chosen: () => ScheduledPost | undefined
  /** Moves the post, or all selected posts. */
  onMove: ((post: ScheduledPost | undefined) => void) | undefined
  onSelect: (post: ScheduledPost) => void
  /** Deletes the post, or all selected posts. */
  onDelete: (post: ScheduledPost | undefined) => void
  onClose: () => void
}

/** Keyboard shortcuts of the calendar. Read-only users get only the navigation keys. */
export function useCalendarShortcuts(acts: ShortcutActions) {
  const { step, showToday } = acts
  const latest = useRef(acts)
  latest.current = acts
  useShortcuts(
    useMemo(() => {
      const name = texts.calendar.keys
      const withPost = (run: (post: ScheduledPost) => void) => () => {
        const post = latest.current.chosen()
        if (post) run(post)
      }
      const reading = [
        { keys: '[', name: name.earlier, run: () => step(-1) },
        { keys: ']', name: name.later, run: () => step(1) },
        { keys: 't', name: name.today, run: showToday },
        ...views.map((view, index) => ({
          keys: String(index + 1),
          name: texts.calendar.views[view],
          run: () => setSearch({ view: view === 'month' ? '' : view }),
        })),
        { keys: 'Escape', name: name.close, run: () => latest.current.onClose() },
      ]
      if (!latest.current.onMove) return reading
      return [
        ...reading,
        { keys: 'n', name: name.new, run: () => navigate(`/app/compose?day=${latest.current.cursor}`) },
        { keys: 'm', name: name.move, run: () => latest.current.onMove?.(latest.current.chosen()) },
        { keys: 'x', name: name.select, run: withPost((post) => latest.current.onSelect(post)) },
        { keys: 'Delete', name: name.delete, run: () => latest.current.onDelete(latest.current.chosen()) },
        { keys: 'e', name: name.edit, run: withPost(({ id }) => navigate(`/app/compose?post=${id}`)) },
        { keys: 'd', name: name.duplicate, run: withPost(({ id }) => navigate(`/app/compose?copy=${id}`)) },
      ]
    }, [step, showToday]),
  )
}

export const noSelection: ReadonlySet<string> = new Set()

export interface Selection {
  ids: ReadonlySet<string>
  chosen: readonly ScheduledPost[]
  /** Toggles one post; with `isRange` selects all posts since the last toggled one, in order of time. */
  toggle: (id: string, isRange?: boolean) => void
  clear: () => void
}

/** Selection for bulk actions. Posts that leave the view are deselected. */
export function useSelection(posts: readonly ScheduledPost[]): Selection {
  const [picked, setPicked] = useState(noSelection)
  const last = useRef('')
  const shown = useRef(posts)
  shown.current = posts
  const chosen = useMemo(() => (picked.size === 0 ? [] : posts.filter(({ id }) => picked.has(id))), [posts, picked])
  const ids = useMemo(() => (chosen.length === 0 ? noSelection : new Set(chosen.map(({ id }) => id))), [chosen])
  const toggle = useCallback((id: string, isRange = false) => {
    const indexOf = (one: string) => shown.current.findIndex((post) => post.id === one)
    const [from, to] = [indexOf(last.current), indexOf(id)]
    const range = isRange && from >= 0 ? shown.current.slice(Math.min(from, to), Math.max(from, to) + 1) : []
    last.current = id
    setPicked((before) => {
      const next = new Set(before)
      if (range.length > 0) for (const post of range) next.add(post.id)
      else if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const clear = useCallback(() => setPicked(noSelection), [])
  return { ids, chosen, toggle, clear }
}

export interface Target {
  day: Day
  /** Set in views that divide days into hours. */
  hour: number | undefined
}

/** Shorter movements in pixels count as a click. */
const threshold = 5

/**
 * Drags posts to days with a mouse or pen. Touch scrolls instead; the panel and the dialog are the alternatives to dragging (WCAG 2.5.7).
 */
export function useDrag(
  container: RefObject<HTMLElement | null>,
  onDrop: (id: string, target: Target) => void,
  isOn: boolean,
) {
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => {
    const area = container.current
    if (!area || !isOn) return
    let id = ''
    let start = { x: 0, y: 0 }
    let dragPreview: HTMLElement | undefined
    let over: HTMLElement | undefined

    const targetAt = ({ clientX, clientY }: PointerEvent) =>
      document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('td[data-day]') ?? undefined
    const mark = (next: HTMLElement | undefined) => {
      over?.removeAttribute('data-over')
      next?.setAttribute('data-over', '')
      over = next
    }
    const end = () => {
      dragPreview?.remove()
      mark(undefined)
      document.documentElement.classList.remove(styles.chipDragging)
      dragPreview = undefined
      id = ''
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', up)
      removeEventListener('pointercancel', end)
      removeEventListener('keydown', cancel, true)
    }
    const down = (event: PointerEvent) => {
      const chip = (event.target as Element).closest<HTMLElement>('[data-post]')
      if (!chip || event.button !== 0 || event.pointerType === 'touch') return
      id = chip.dataset.post ?? ''
      start = { x: event.clientX, y: event.clientY }
      addEventListener('pointermove', move)
      addEventListener('pointerup', up)
      addEventListener('pointercancel', end)
      addEventListener('keydown', cancel, true)
    }
    const move = (event: PointerEvent) => {
      if (!dragPreview && Math.hypot(event.clientX - start.x, event.clientY - start.y) < threshold) return
      dragPreview ??= createDragPreview(area.querySelector<HTMLElement>(`[data-post="${id}"]`))
      if (!dragPreview) return end()
      dragPreview.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 4}px)`
      mark(targetAt(event))
    }
    const up = (event: PointerEvent) => {
      const moved = dragPreview ? id : ''
      const { day, hour } = targetAt(event)?.dataset ?? {}
      end()
      if (!moved) return
      // Suppress the click event that follows a drag.
      const stopClick = (click: Event) => click.stopPropagation()
      addEventListener('click', stopClick, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', stopClick, true))
      if (day) drop.current(moved, { day, hour: hour === undefined ? undefined : Number(hour) })
    }
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      end()
    }
    area.addEventListener('pointerdown', down)
    return () => {
      area.removeEventListener('pointerdown', down)
      end()
    }
  }, [container, isOn])
}

function createDragPreview(chip: HTMLElement | null): HTMLElement | undefined {
  if (!chip) return undefined
  const dragPreview = chip.cloneNode(true) as HTMLElement
  dragPreview.classList.add(styles.chipGhost)
  dragPreview.removeAttribute('data-post')
  dragPreview.setAttribute('aria-hidden', 'true')
  dragPreview.style.inlineSize = `${chip.offsetWidth}px`
  document.body.append(dragPreview)
  document.documentElement.classList.add(styles.chipDragging)
  return dragPreview
}
