import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import * as styles from './combobox.module.css'
import * as fieldStyles from './field.module.css'
import { FieldFrame } from './field.tsx'
import * as filtersStyles from './filters.module.css'
import { Icon } from './icons.tsx'
import { positionBelow } from './popover.tsx'

export interface Option {
  value: string
  label: string
  /** Shown next to the label, and searched as well. */
  detail?: string
}

interface CommonProps {
  label: string
  options: readonly Option[]
  placeholder?: string
  hint?: string
  error?: string | undefined
  /** Searches remotely; without it the given options are filtered. */
  onSearch?: (text: string) => void
}

interface ComboboxProps extends CommonProps {
  value: string
  onChange: (value: string) => void
}

/** Selects one of many options by typing. */
export function Combobox({ value, onChange, ...rest }: ComboboxProps) {
  const chosen = rest.options.find((option) => option.value === value)
  return (
    <ComboboxInput {...rest} shown={chosen?.label ?? ''} isChosen={(option) => option === value} onPick={onChange} />
  )
}

interface MultiComboboxProps extends CommonProps {
  values: readonly string[]
  onChange: (values: string[]) => void
}

/** Selects several options. Selected ones are shown before the field and can be removed there. */
export function MultiCombobox({ values, onChange, ...rest }: MultiComboboxProps) {
  const toggle = (value: string) =>
    onChange(values.includes(value) ? values.filter((one) => one !== value) : [...values, value])
  const nameOf = (value: string) => rest.options.find((option) => option.value === value)?.label ?? value
  const field = useRef<HTMLDivElement>(null)
  const remove = (value: string) => {
    toggle(value)
    // The button that has the focus disappears.
    field.current?.querySelector('input')?.focus()
  }
  return (
    <div ref={field} className={styles.many}>
      <ComboboxInput {...rest} shown="" keepOpen isChosen={(option) => values.includes(option)} onPick={toggle} />
      {values.length > 0 && (
        <ul data-ui="combobox-chosen" className={styles.chosen} aria-label={texts.ui.chosen(values.length)}>
          {values.map((value) => (
            <li key={value}>
              <button type="button" className={filtersStyles.toggleChip} onClick={() => remove(value)}>
                <span dir="auto">{nameOf(value)}</span>
                <Icon name="close" />
                <span className="visually-hidden">{texts.ui.remove(nameOf(value))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface ComboboxInputProps extends CommonProps {
  /** Text of the field while the user is not typing. */
  shown: string
  isChosen: (value: string) => boolean
  onPick: (value: string) => void
  keepOpen?: boolean
}

const most = 100

function ComboboxInput({
  label,
  options,
  placeholder,
  hint,
  error,
  onSearch: onFind,
  shown,
  isChosen,
  onPick,
  keepOpen = false,
}: ComboboxInputProps) {
  const [typed, setTyped] = useState<string>()
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const isOpen = typed !== undefined
  const found = useMemo(() => matching(options, onFind ? '' : (typed ?? '')), [options, typed, onFind])
  useEffect(() => {
    if (!list.current || !field.current) return
    list.current.togglePopover(isOpen)
    if (!isOpen) return
    list.current.style.inlineSize = `${field.current.offsetWidth}px`
    positionBelow(list.current, field.current)
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  })
  const open = (text = '', from = 0) => {
    setTyped(text)
    setAt(from)
    onFind?.(text)
  }
  const pick = (option: Option | undefined) => {
    if (!option) return
    onPick(option.value)
    if (!keepOpen) setTyped(undefined)
  }
  const press = (event: KeyboardEvent) => {
    // Ignore keys during IME composition.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      if (isOpen) setAt((at + step + found.length) % Math.max(found.length, 1))
      else open('', step < 0 ? Math.max(0, Math.min(options.length, most) - 1) : 0)
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      pick(found[at])
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      event.stopPropagation()
      setTyped(undefined)
    }
  }
  return (
    <FieldFrame {...{ label, hint, error }}>
      {(about) => (
        <span className={styles.combobox}>
          <input
            {...about}
            ref={field}
            data-ui="field"
            className={fieldStyles.field}
            role="combobox"
            autoComplete="off"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-activedescendant={isOpen && found[at] ? `${id}-${at}` : undefined}
            placeholder={placeholder}
            value={typed ?? shown}
            onChange={(event) => open(event.target.value)}
            onClick={() => !isOpen && open()}
            onBlur={() => setTyped(undefined)}
            onKeyDown={press}
          />
          <Icon name="down" />
          <div ref={list} className={styles.list} popover="manual">
            <div role="listbox" id={`${id}-list`} aria-label={label}>
              {found.map((option, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles keys
                <div
                  key={option.value}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  className={styles.option}
                  aria-selected={isChosen(option.value)}
                  data-at={index === at || undefined}
                  // Otherwise the field would lose the focus, and the list close, before the click.
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => pick(option)}
                >
                  <span dir="auto">{option.label}</span>
                  {option.detail && <small>{option.detail}</small>}
                  {isChosen(option.value) && <Icon name="check" />}
                </div>
              ))}
            </div>
            {found.length === 0 && <p className={styles.none}>{texts.ui.nothingFound}</p>}
          </div>
        </span>
      )}
    </FieldFrame>
  )
}

function matching(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.trim().toLowerCase()
  const all = wanted
    ? options.filter(({ label, detail = '' }) => `${label} ${detail}`.toLowerCase().includes(wanted))
    : options
  return all.slice(0, most)
}
