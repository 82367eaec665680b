import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import * as fieldStyles from './field.module.css'
import * as styles from './filters.module.css'
import { Icon } from './icons.tsx'
import { Popover } from './popover.tsx'

interface FindProps {
  label: string
  value: string
  /** Called when the user pauses typing. */
  onChange: (text: string) => void
}

const pause = 200

/** Filters the current view. `/` focuses it from anywhere. */
export function SearchField({ label, value, onChange }: FindProps) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Values passed to `onChange` that have not come back yet: what was typed since must not be replaced by them. */
  const reported = useRef<string[]>([])
  useEffect(() => {
    const index = reported.current.indexOf(value)
    reported.current = reported.current.slice(index + 1)
    if (index < 0) setTyped(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const id = useId()
  return (
    <search data-ui="search" className={styles.search}>
      <Icon name="search" />
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <input
        id={id}
        type="search"
        data-ui="field"
        className={fieldStyles.field}
        data-find
        placeholder={label}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => {
            if (target.value !== value) reported.current.push(target.value)
            onChange(target.value)
          }, pause)
        }}
      />
    </search>
  )
}

interface FilterProps {
  label: string
  options: readonly { value: string; label: string }[]
  values: readonly string[]
  onChange: (values: string[]) => void
}

/** A filter that shows its current values. */
export function Filter({ label, options, values, onChange }: FilterProps) {
  const [isOpen, setIsOpen] = useState(false)
  const names = values.map((value) => options.find((option) => option.value === value)?.label ?? value)
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((one) => one !== value) : [...values, value])
  return (
    <span className={styles.filter} data-on={values.length > 0 || undefined}>
      <Popover
        {...{ isOpen, label }}
        onToggle={setIsOpen}
        trigger={(props) => (
          <button type="button" className={styles.toggleChip} {...props}>
            {names.length === 0 ? label : `${label}: ${names.length > 1 ? texts.ui.chosen(names.length) : names[0]}`}
            <Icon name="down" />
          </button>
        )}
      >
        <fieldset className={styles.options}>
          <legend className="visually-hidden">{label}</legend>
          {options.map((option) => (
            <label key={option.value} data-ui="checkbox" className={fieldStyles.checkbox}>
              <input type="checkbox" checked={values.includes(option.value)} onChange={() => toggle(option.value)} />
              <span dir="auto">{option.label}</span>
            </label>
          ))}
        </fieldset>
      </Popover>
      {values.length > 0 && (
        <button
          type="button"
          className={styles.clear}
          onClick={({ currentTarget }) => {
            // This button disappears, so the focus goes to the filter.
            currentTarget.parentElement?.querySelector('button')?.focus()
            onChange([])
          }}
        >
          <Icon name="close" />
          <span className="visually-hidden">{texts.ui.clear(label)}</span>
        </button>
      )}
    </span>
  )
}

/** A toggle among several. */
export const ToggleChip = ({
  isOn,
  onChange,
  children,
}: {
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}) => (
  <button type="button" className={styles.toggleChip} aria-pressed={isOn} onClick={() => onChange(!isOn)}>
    {children}
  </button>
)
