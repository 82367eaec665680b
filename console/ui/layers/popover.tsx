import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { place } from './placing.ts'

export interface OpenerProps {
  ref: RefObject<HTMLButtonElement | null>
  popoverTarget: string
  'aria-expanded': boolean
  'aria-controls': string
}

interface PopoverProps {
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  /** What opens it. The browser closes it on Escape and on a click elsewhere, and gives the focus back. */
  opener: (props: OpenerProps) => ReactNode
  label: string
  side?: 'start' | 'end'
  role?: 'menu' | 'dialog'
  children: ReactNode
}

/** Something that hangs on a button: the browser's own popover, put where there is room. */
export function Popover({ isOpen, onToggle, opener, label, side = 'start', role = 'dialog', children }: PopoverProps) {
  const anchor = useRef<HTMLButtonElement>(null)
  const floating = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    const element = floating.current
    if (!element || element.matches(':popover-open') === isOpen) return
    element.togglePopover(isOpen)
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const put = () => floating.current && anchor.current && place(floating.current, anchor.current, side)
    put()
    addEventListener('resize', put)
    addEventListener('scroll', put, true)
    return () => {
      removeEventListener('resize', put)
      removeEventListener('scroll', put, true)
    }
  })
  return (
    <>
      {opener({ ref: anchor, popoverTarget: id, 'aria-expanded': isOpen, 'aria-controls': id })}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of its roles have names */}
      <div
        ref={floating}
        id={id}
        popover="auto"
        className="popover"
        role={role}
        aria-label={label}
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen && children}
      </div>
    </>
  )
}
