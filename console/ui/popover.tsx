import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react'
import * as styles from './popover.module.css'

export interface TriggerProps {
  ref: RefObject<HTMLButtonElement | null>
  popoverTarget: string
  'aria-expanded': boolean
  'aria-controls': string
}

interface PopoverProps {
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  /** Renders the trigger. The browser closes the popover on Escape and outside clicks, and restores the focus. */
  trigger: (props: TriggerProps) => ReactNode
  label: string
  side?: 'start' | 'end'
  role?: 'menu' | 'dialog'
  children: ReactNode
}

/** The native popover, positioned next to its trigger. */
export function Popover({
  isOpen,
  onToggle,
  trigger: opener,
  label,
  side = 'start',
  role = 'dialog',
  children,
}: PopoverProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const floating = useRef<HTMLDivElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = floating.current
    if (!element || element.matches(':popover-open') === isOpen) return
    element.togglePopover(isOpen)
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const position = () => floating.current && anchor.current && positionBelow(floating.current, anchor.current, side)
    position()
    addEventListener('resize', position)
    addEventListener('scroll', position, true)
    return () => {
      removeEventListener('resize', position)
      removeEventListener('scroll', position, true)
    }
  })
  return (
    <>
      {opener({ ref: anchor, popoverTarget: id, 'aria-expanded': isOpen, 'aria-controls': id })}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of its roles support a name */}
      <div
        ref={floating}
        id={id}
        popover="auto"
        className={styles.popover}
        role={role}
        aria-label={label}
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen && <PopoverContent floating={floating}>{children}</PopoverContent>}
      </div>
    </>
  )
}

/** Closed before its content unmounts: only then does the browser restore the focus. */
function PopoverContent({ floating, children }: { floating: RefObject<HTMLElement | null>; children: ReactNode }) {
  useLayoutEffect(
    () => () => {
      if (floating.current?.matches(':popover-open')) floating.current.hidePopover()
    },
    [floating],
  )
  return children
}

const hoverDelay = 400

/** A visual label for an icon: shown after a hover delay, or immediately on keyboard focus. Escape hides it. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const anchor = useRef<HTMLSpanElement>(null)
  const bubble = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = () => {
    if (!bubble.current || !anchor.current?.firstElementChild) return
    bubble.current.showPopover()
    positionBelow(bubble.current, anchor.current.firstElementChild, 'center')
  }
  const hide = () => {
    clearTimeout(timer.current)
    if (bubble.current?.matches(':popover-open')) bubble.current.hidePopover()
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the child is interactive; this only tracks the pointer
    <span
      ref={anchor}
      className={styles.tooltipAnchor}
      onPointerEnter={({ pointerType }) => {
        if (pointerType === 'mouse') timer.current = setTimeout(show, hoverDelay)
      }}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={({ target }) => target.matches(':focus-visible') && show()}
      onBlur={hide}
      onKeyDown={({ key }) => key === 'Escape' && hide()}
    >
      {children}
      <span ref={bubble} className={styles.tooltip} popover="manual" aria-hidden="true">
        {text}
      </span>
    </span>
  )
}

/** Position of a popover: below its anchor if there is space, otherwise above, and always within the window. */
export function positionBelow(
  floating: HTMLElement,
  anchor: Element,
  side: 'start' | 'end' | 'center' = 'start',
): void {
  const [at, size] = [anchor.getBoundingClientRect(), floating.getBoundingClientRect()]
  const [width, height] = [document.documentElement.clientWidth, document.documentElement.clientHeight]
  const below = at.bottom + gap
  const above = at.top - gap - size.height
  const fits = below + size.height <= height - edge || above < edge
  const isRight = (side === 'end') !== (getComputedStyle(floating).direction === 'rtl')
  const left = side === 'center' ? at.left + (at.width - size.width) / 2 : isRight ? at.right - size.width : at.left
  floating.style.insetBlockStart = `${Math.max(edge, Math.min(fits ? below : above, height - edge - size.height))}px`
  floating.style.left = `${Math.max(edge, Math.min(left, width - edge - size.width))}px`
}

const gap = 6
const edge = 8
