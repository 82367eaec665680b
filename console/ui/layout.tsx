import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { texts } from '@/i18n/texts.ts'
import { IconButton } from './button.tsx'
import * as styles from './layout.module.css'

interface BarProps {
  title: string
  /** Shown right of the title: a count, a time zone. */
  about?: ReactNode
  /** Navigation: previous, today, next. */
  steps?: ReactNode
  actions?: ReactNode
  /** A second row: search and filters. */
  children?: ReactNode
}

/** The header of a screen. Its heading takes the focus after navigation. */
export const PageHeader = ({ title, about, steps, actions, children }: BarProps) => (
  <header data-ui="page-header" className={styles.pageHeader}>
    <h1 id="title" tabIndex={-1}>
      {title}
    </h1>
    {steps}
    {about && (
      <p data-ui="header-details" className={styles.headerDetails}>
        {about}
      </p>
    )}
    {actions && (
      <div data-ui="header-actions" className={styles.headerActions}>
        {actions}
      </div>
    )}
    {children && (
      <div data-ui="header-filters" className={styles.headerFilters} data-sideways>
        {children}
      </div>
    )}
  </header>
)

interface TabsProps {
  label: string
  tabs: readonly { href: string; label: ReactNode; count?: number; isCurrent: boolean }[]
}

/** Views of a screen with their own URLs: links, so that each can be opened and shared. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav data-ui="tabs" className={styles.tabs} aria-label={label} data-sideways>
    {tabs.map(({ href, label: name, count, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
        {count !== undefined && <span className={`${styles.tabsCount} tabular-nums`}>{count}</span>}
      </a>
    ))}
  </nav>
)

interface PanelProps {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  /** Actions; stay visible while scrolling. */
  actions?: ReactNode
}

/** The open row, beside its list; replaces the list on phones. Its heading takes the focus, and closing restores it. */
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
      data-ui="panel"
      className={styles.panel}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // Escape closes an open dialog inside the panel first.
        if (event.key !== 'Escape' || event.defaultPrevented || (event.target as Element).closest('dialog')) return
        event.preventDefault()
        onClose()
      }}
    >
      <header className={styles.panelHead}>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon="close" label={texts.ui.close} onClick={onClose} />
      </header>
      <ScrollArea data-ui="panel-body" className={styles.panelBody} labelledBy={id}>
        {children}
      </ScrollArea>
      {actions && (
        <footer data-ui="panel-actions" className={styles.panelActions}>
          {actions}
        </footer>
      )}
    </aside>
  )
}

/** A label above its value. */
export const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.detail}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

interface ScrollProps {
  className: string
  children: ReactNode
  /** Id of the labelling heading; defaults to the heading of the screen. */
  labelledBy?: string
  'data-ui'?: string
}

/** A scrollable region that is reachable by keyboard. */
export const ScrollArea = ({ className, children, labelledBy = 'title', 'data-ui': ui }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <section data-ui={ui} className={`${styles.scroll} ${className}`} tabIndex={0} aria-labelledby={labelledBy}>
    {children}
  </section>
)
