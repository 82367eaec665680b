import type { ReactNode } from 'react'

interface ScrollProps {
  className: string
  children: ReactNode
  /** The heading that names it; that of the screen unless told. */
  labelledBy?: string
}

/** What scrolls by itself: keys reach it too. */
export const Scroll = ({ className, children, labelledBy = 'title' }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section className={`scroll ${className}`} tabIndex={0} aria-labelledby={labelledBy}>
    {children}
  </section>
)
