import type { ReactNode } from 'react'

interface BarProps {
  title: string
  /** What stands right of it: how many, which zone. */
  about?: ReactNode
  /** What one steps through: earlier, today, later. */
  steps?: ReactNode
  actions?: ReactNode
  /** A second line: find and filters. */
  children?: ReactNode
}

/** The top of a screen. Its heading takes the focus when somebody comes here from elsewhere. */
export const Bar = ({ title, about, steps, actions, children }: BarProps) => (
  <header className="bar">
    <h1 id="title" tabIndex={-1}>
      {title}
    </h1>
    {steps}
    {about && <p className="bar-about">{about}</p>}
    {actions && <div className="bar-actions">{actions}</div>}
    {children && (
      <div className="bar-more" data-sideways>
        {children}
      </div>
    )}
  </header>
)
