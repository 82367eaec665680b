import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { words } from '../../words/words.ts'
import { IconButton } from '../inputs/button.tsx'
import { Scroll } from '../layout/scroll.tsx'

interface PanelProps {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  /** What can be done with what it shows; stays in sight. */
  actions?: ReactNode
}

/** The open row, beside its list; on phones in its place. Its heading takes the focus, and closing gives it back. */
export function Panel({ title, onClose, children, actions }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    heading.current?.focus()
    return () => {
      if (before?.isConnected) before.focus()
    }
  }, [])
  return (
    <aside
      className="panel"
      aria-labelledby={id}
      onKeyDown={(event) => {
        // A dialog that is open inside it closes by itself.
        if (event.key !== 'Escape' || event.defaultPrevented || (event.target as Element).closest('dialog')) return
        event.preventDefault()
        onClose()
      }}
    >
      <header className="panel-head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon="close" label={words.ui.close} onClick={onClose} />
      </header>
      <Scroll className="panel-body" labelledBy={id}>
        {children}
      </Scroll>
      {actions && <footer className="panel-actions">{actions}</footer>}
    </aside>
  )
}

/** A name and what stands for it, below each other. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
