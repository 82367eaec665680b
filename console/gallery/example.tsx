import type { ReactNode } from 'react'
import * as styles from './gallery.module.css'

export interface ExamplesProps {
  /** The only component to show. */
  only: string | null
}

/** A component with its states. */
export function Example({ name, only, children }: ExamplesProps & { name: string; children: ReactNode }) {
  if (only && only !== name) return null
  return (
    <section className={styles.example} aria-label={name}>
      <h2>{name}</h2>
      <div className={styles.states}>{children}</div>
    </section>
  )
}
