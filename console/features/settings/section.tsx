import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { errorDetails } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import * as fieldStyles from '@/ui/field.module.css'
import { Field } from '@/ui/field.tsx'
import { ScrollArea } from '@/ui/layout.tsx'
import * as tableStyles from '@/ui/table.module.css'
import * as styles from './settings.module.css'

interface PartProps {
  children: ReactNode
  /** The API operations that do the same, as named in the documentation. */
  calls: readonly string[]
  /** Full width with its own scrolling, for long tables. */
  isTable?: boolean
}

/** One section of the settings, followed by links to the matching API documentation. */
export const SettingsSection = ({ children, calls, isTable = false }: PartProps) =>
  isTable ? (
    <div className={`${tableStyles.page} ${styles.table}`}>
      {children}
      <Docs calls={calls} />
    </div>
  ) : (
    <ScrollArea className={styles.section}>
      {children}
      <Docs calls={calls} />
    </ScrollArea>
  )

const Docs = ({ calls }: { calls: readonly string[] }) => (
  <footer className={styles.docsLinks}>
    <span>{texts.settings.docs}</span>
    {calls.map((call) => (
      <a key={call} href={call.includes(' /app/') ? '/docs/app' : '/docs'} target="_blank" rel="noopener">
        <code>{call}</code>
      </a>
    ))}
  </footer>
)

interface GroupProps {
  title: string
  description?: string | undefined
  actions?: ReactNode
  children: ReactNode
}

export const SettingsGroup = ({ title, description: help, actions, children }: GroupProps) => (
  <section data-testid="settings-group" className={styles.group}>
    <header>
      <div>
        <h2>{title}</h2>
        {help && <p className={fieldStyles.hint}>{help}</p>}
      </div>
      {actions}
    </header>
    {children}
  </section>
)

interface RowProps {
  title: ReactNode
  details?: ReactNode
  badge?: ReactNode
  children?: ReactNode
}

/** One entry with its status and actions. */
export const SettingsRow = ({ title, details: about, badge: mark, children }: RowProps) => (
  <li data-testid="settings-row" className={styles.row}>
    <div className={styles.rowText}>
      <b dir="auto">{title}</b>
      {about && <span className="muted">{about}</span>}
    </div>
    {mark}
    {children && (
      <div data-testid="actions" className={styles.actions}>
        {children}
      </div>
    )}
  </li>
)

interface SavedFieldProps extends Omit<ComponentProps<typeof Field>, 'onChange' | 'value' | 'problem'> {
  value: string
  /** Saves the value; errors are shown below the field. */
  onSave: (value: string) => Promise<unknown>
}

/** A field that saves on blur and Enter. Escape discards unsaved text. */
export function SavedField({ value, onSave, hint, ...field }: SavedFieldProps) {
  const [typed, setTyped] = useState(value)
  const [state, setState] = useState<'saving' | 'saved'>()
  const [problem, setProblem] = useState<string>()
  const saved = useRef(value)
  useEffect(() => {
    saved.current = value
    setTyped(value)
  }, [value])
  const save = async () => {
    if (typed === saved.current) return
    const before = saved.current
    saved.current = typed
    setState('saving')
    try {
      await onSave(typed)
      setState('saved')
      setProblem(undefined)
    } catch (error) {
      saved.current = before
      setState(undefined)
      setProblem(errorDetails(error).message)
    }
  }
  return (
    <Field
      {...field}
      value={typed}
      error={problem}
      hint={state ? texts.settings[state] : hint}
      onChange={(text) => {
        setTyped(text)
        setState(undefined)
      }}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
          event.preventDefault()
          void save()
        } else if (event.key === 'Escape' && typed !== saved.current) {
          event.preventDefault()
          setTyped(saved.current)
          setProblem(undefined)
        }
      }}
    />
  )
}
