import type { ReactNode } from 'react'
import { Field } from '../../../ui/inputs/field.tsx'
import { words } from '../../../words/words.ts'

/** What all ways in look like. */
export function Doorway({ title, why, children }: { title: string; why?: string; children: ReactNode }) {
  document.title = `${title} · ${words.shell.product}`
  return (
    <main className="doorway">
      <div className="doorway-card">
        <svg className="doorway-sign" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />
        </svg>
        <h1>{title}</h1>
        {why && <p className="quiet">{why}</p>}
        {children}
      </div>
    </main>
  )
}

export const EmailField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <Field
    label={words.entering.email}
    name="email"
    type="email"
    autoComplete="username"
    required
    value={value}
    onChange={onChange}
    autoFocus
  />
)

/** Everything is read anew by whoever is signed in now. Only addresses of the console are gone to. */
export function enter(next = ''): void {
  const { origin, pathname, search } = new URL(next || '/app', location.origin)
  location.assign(origin === location.origin && pathname.startsWith('/app') ? pathname + search : '/app')
}
