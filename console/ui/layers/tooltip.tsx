import { type ReactNode, useEffect, useRef } from 'react'
import { place } from './placing.ts'

const patience = 400

/** The word of a sign, for who sees it: under a pointer that stays, and at once under focus by keys. Escape hides it. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const anchor = useRef<HTMLSpanElement>(null)
  const bubble = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = () => {
    if (!bubble.current || !anchor.current?.firstElementChild) return
    bubble.current.showPopover()
    place(bubble.current, anchor.current.firstElementChild, 'center')
  }
  const hide = () => {
    clearTimeout(timer.current)
    if (bubble.current?.matches(':popover-open')) bubble.current.hidePopover()
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is inside acts; this only looks where the pointer is
    <span
      ref={anchor}
      className="tooltip-anchor"
      onPointerEnter={({ pointerType }) => {
        if (pointerType === 'mouse') timer.current = setTimeout(show, patience)
      }}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={({ target }) => target.matches(':focus-visible') && show()}
      onBlur={hide}
      onKeyDown={({ key }) => key === 'Escape' && hide()}
    >
      {children}
      <span ref={bubble} className="tooltip" popover="manual" aria-hidden="true">
        {text}
      </span>
    </span>
  )
}
