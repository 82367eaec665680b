import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { texts } from '@/i18n/texts.ts'
import { type Day, isDay } from '@/time/days.ts'
import { Button } from './button.tsx'
import * as styles from './field.module.css'

interface LabelProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  /** Hides the label visually if it is evident from the context. */
  hideLabel?: boolean
}

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>

interface FieldProps extends LabelProps, Input {
  value?: string
  onChange?: (value: string) => void
  /** Shown at the end of the field: a unit, a button. */
  after?: ReactNode
}

export function Field({ label, hint, error, hideLabel, onChange, after, ...input }: FieldProps) {
  return (
    <FieldFrame {...{ label, hint, error, hideLabel }}>
      {(about) => (
        <span className={styles.row}>
          <input
            {...input}
            {...about}
            data-ui="field"
            className={styles.field}
            onChange={(event) => onChange?.(event.target.value)}
          />
          {after}
        </span>
      )}
    </FieldFrame>
  )
}

/** A password with a toggle to show it. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'after'>) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="off"
      after={
        <button type="button" className={styles.button} aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? texts.ui.hide : texts.ui.show}
          <span className="visually-hidden"> {props.label}</span>
        </button>
      }
    />
  )
}

/** The username for password managers, in forms that ask for a password only. */
export const HiddenUsername = ({ email = '' }: { email?: string }) => (
  <input hidden type="text" autoComplete="username" value={email} readOnly />
)

interface TextAreaProps extends LabelProps, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  value?: string
  onChange?: (value: string) => void
}

/** Grows with its content. */
export function TextArea({ label, hint, error, hideLabel, onChange, ...input }: TextAreaProps) {
  return (
    <FieldFrame {...{ label, hint, error, hideLabel }}>
      {(about) => (
        <textarea
          {...input}
          {...about}
          dir="auto"
          data-ui="field"
          className={`${styles.field} ${styles.textArea}`}
          onChange={(event) => onChange?.(event.target.value)}
        />
      )}
    </FieldFrame>
  )
}

interface SelectProps<Value extends string>
  extends LabelProps,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** The native select. */
export function Select<Value extends string>({
  label,
  hint,
  error,
  hideLabel,
  options,
  onChange,
  ...input
}: SelectProps<Value>) {
  return (
    <FieldFrame {...{ label, hint, error, hideLabel }}>
      {(about) => (
        <select
          {...input}
          {...about}
          data-ui="field"
          className={styles.field}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

interface ToggleProps {
  label: ReactNode
  hint?: string
  checked: boolean
  onChange: (checked: boolean) => void
  name?: string
}

export const Checkbox = (props: ToggleProps) => <CheckboxInput {...props} />
/** Takes effect immediately. */
export const Switch = (props: ToggleProps) => <CheckboxInput {...props} role="switch" />

function CheckboxInput({ label, hint, checked, onChange, name, role }: ToggleProps & { role?: 'switch' }) {
  const id = useId()
  return (
    <label data-ui="checkbox" className={styles.checkbox}>
      <input
        type="checkbox"
        role={role}
        name={name}
        checked={checked}
        aria-describedby={hint ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint && (
          <small id={id} className={styles.hint}>
            {hint}
          </small>
        )}
      </span>
    </label>
  )
}

interface FieldAttributes {
  id: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: true | undefined
}

/** Label above, hint below, and the error associated with the field for screen readers. */
export function FieldFrame({
  label,
  hint,
  error,
  hideLabel,
  children,
}: LabelProps & { children: (about: FieldAttributes) => ReactNode }) {
  const id = useId()
  const described = error ?? hint
  return (
    <div data-ui="field-frame" className={styles.frame}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.frameLabel}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described && `${id}-hint`, 'aria-invalid': error ? true : undefined })}
      {described && (
        <p id={`${id}-hint`} className={styles.hint} data-error={error ? true : undefined}>
          {described}
        </p>
      )}
    </div>
  )
}

interface DayProps {
  label: string
  value: Day | ''
  onChange: (day: Day | '') => void
  min?: Day
  max?: Day
  hint?: string | undefined
  error?: string | undefined
}

/** The native date input. */
export const DayField = ({ onChange, ...rest }: DayProps) => (
  <Field {...rest} type="date" onChange={(text) => onChange(isDay(text) ? text : '')} />
)

interface TimeProps {
  label: string
  /** `09:30` */
  value: string
  onChange: (time: string) => void
  hint?: string | undefined
  error?: string | undefined
}

export const TimeField = ({ onChange, ...rest }: TimeProps) => (
  <Field {...rest} type="time" onChange={(text) => onChange(text.slice(0, 5))} />
)

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** A visible choice of a few options. Native radio buttons, so that arrow keys work. */
export function SegmentedControl<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  // Two controls can have the same label, but each needs its own radio group.
  const id = useId()
  return (
    <fieldset data-ui="segmented-control" className={styles.segmentedControl}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="visually-hidden"
            name={id}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Copies a text and confirms it. */
export function CopyButton({ text, label = texts.ui.copy }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 2_000)
  }
  return (
    <Button variant="ghost" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy().catch(() => {})}>
      <span aria-live="polite">{isCopied ? texts.ui.copied : label}</span>
    </Button>
  )
}

/** A text to copy, such as a secret that is shown once. */
export const CopyField = ({ label, text }: { label: string; text: string }) => (
  <div className={styles.copy}>
    <label>
      <span className={styles.frameLabel}>{label}</span>
      <input
        data-ui="field"
        className={`${styles.field} ${styles.copyText}`}
        readOnly
        value={text}
        onFocus={(event) => event.target.select()}
      />
    </label>
    <CopyButton text={text} />
  </div>
)
