import { type RefObject, useEffect, useRef } from 'react'
import type { Day } from '../../../../time/days.ts'

export interface Target {
  day: Day
  /** Where days are divided by hours. */
  hour: number | undefined
}

/** What is nearer to where it began is a click. */
const threshold = 5

/** Drags posts to days with a mouse or a pen. Fingers scroll: they move posts by the panel, and keys by the dialog (WCAG 2.5.7). */
export function useDrag(
  within: RefObject<HTMLElement | null>,
  onDrop: (id: string, target: Target) => void,
  isOn: boolean,
) {
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => {
    const area = within.current
    if (!area || !isOn) return
    let id = ''
    let start = { x: 0, y: 0 }
    let ghost: HTMLElement | undefined
    let over: HTMLElement | undefined

    const targetAt = ({ clientX, clientY }: PointerEvent) =>
      document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('td[data-day]') ?? undefined
    const mark = (next: HTMLElement | undefined) => {
      over?.removeAttribute('data-over')
      next?.setAttribute('data-over', '')
      over = next
    }
    const end = () => {
      ghost?.remove()
      mark(undefined)
      document.documentElement.classList.remove('chip-dragging')
      ghost = undefined
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
      if (!ghost && Math.hypot(event.clientX - start.x, event.clientY - start.y) < threshold) return
      ghost ??= ghostOf(area.querySelector<HTMLElement>(`[data-post="${id}"]`))
      if (!ghost) return end()
      ghost.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 4}px)`
      mark(targetAt(event))
    }
    const up = (event: PointerEvent) => {
      const moved = ghost ? id : ''
      const { day, hour } = targetAt(event)?.dataset ?? {}
      end()
      if (!moved) return
      // The click that follows a drag opens nothing.
      const swallow = (click: Event) => click.stopPropagation()
      addEventListener('click', swallow, { capture: true, once: true })
      setTimeout(() => removeEventListener('click', swallow, true))
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
  }, [within, isOn])
}

function ghostOf(chip: HTMLElement | null): HTMLElement | undefined {
  if (!chip) return undefined
  const ghost = chip.cloneNode(true) as HTMLElement
  ghost.classList.add('chip-ghost')
  ghost.removeAttribute('data-post')
  ghost.setAttribute('aria-hidden', 'true')
  ghost.style.inlineSize = `${chip.offsetWidth}px`
  document.body.append(ghost)
  document.documentElement.classList.add('chip-dragging')
  return ghost
}
