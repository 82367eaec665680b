import type { ReactNode } from 'react'

interface TabsProps {
  label: string
  tabs: readonly { href: string; label: ReactNode; count?: number; isCurrent: boolean }[]
}

/** Parts of a screen with addresses of their own: links, so each can be opened and sent by itself. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav className="tabs" aria-label={label} data-sideways>
    {tabs.map(({ href, label: name, count, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
        {count !== undefined && <span className="tabs-count number">{count}</span>}
      </a>
    ))}
  </nav>
)
