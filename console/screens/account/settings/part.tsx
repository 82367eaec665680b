import type { ReactNode } from 'react'
import { Scroll } from '../../../ui/layout/scroll.tsx'
import { words } from '../../../words/words.ts'

interface PartProps {
  children: ReactNode
  /** The operations that do the same for programs, as the documentation writes them. */
  calls: readonly string[]
  /** It takes the whole width and scrolls by itself: a long table. */
  isTable?: boolean
}

/** One section of the settings, with the matching lines of the interface's documentation below. */
export const Part = ({ children, calls, isTable = false }: PartProps) =>
  isTable ? (
    <div className="table-page settings-table">
      {children}
      <Docs calls={calls} />
    </div>
  ) : (
    <Scroll className="settings-part">
      {children}
      <Docs calls={calls} />
    </Scroll>
  )

const Docs = ({ calls }: { calls: readonly string[] }) => (
  <footer className="settings-docs">
    <span>{words.settings.docs}</span>
    {calls.map((call) => (
      <a key={call} href={call.includes(' /app/') ? '/docs/app' : '/docs'} target="_blank" rel="noopener">
        <code>{call}</code>
      </a>
    ))}
  </footer>
)

interface GroupProps {
  title: string
  why?: string | undefined
  actions?: ReactNode
  children: ReactNode
}

/** What belongs together, under a heading. */
export const Group = ({ title, why, actions, children }: GroupProps) => (
  <section className="settings-group">
    <header>
      <div>
        <h2>{title}</h2>
        {why && <p className="hint">{why}</p>}
      </div>
      {actions}
    </header>
    {children}
  </section>
)

interface RowProps {
  title: ReactNode
  about?: ReactNode
  mark?: ReactNode
  children?: ReactNode
}

/** One of a few things: what it is, how it is, and what can be done with it. */
export const Row = ({ title, about, mark, children }: RowProps) => (
  <li className="settings-row">
    <div className="settings-what">
      <b dir="auto">{title}</b>
      {about && <span className="quiet">{about}</span>}
    </div>
    {mark}
    {children && <div className="settings-acts">{children}</div>}
  </li>
)
