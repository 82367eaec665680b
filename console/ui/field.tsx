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
  /** What helps to fill it in. */
  hint?: string | undefined
  /** What is wrong with it, in a sentence. */
  error?: string | undefined
  /** The label is there for who cannot see, and plain from its surroundings for who can. */
  hideLabel?: boolean
}

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>

interface FieldProps extends LabelProps, Input {
  value?: string
  onChange?: (value: string) => void
  /** Stands at its end: a unit, a button. */
  after?: ReactNode
}

/** One line of text. */
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

/** A password, which can be looked at. */
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

/** Whose password it is, for what keeps passwords: a form that asks for one alone does not say. */
export const HiddenUsername = ({ email = '' }: { email?: string }) => (
  <input hidden type="text" autoComplete="username" value={email} readOnly />
)

interface TextAreaProps extends LabelProps, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  value?: string
  onChange?: (value: string) => void
}

/** Several lines; it grows with what stands in it. */
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

/** One of several: the browser's own list. */
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

interface TickProps {
  label: ReactNode
  hint?: string
  checked: boolean
  onChange: (checked: boolean) => void
  name?: string
}

export const Checkbox = (props: TickProps) => <CheckboxInput {...props} />
/** Something that takes effect at once. */
export const Switch = (props: TickProps) => <CheckboxInput {...props} role="switch" />

function CheckboxInput({ label, hint, checked, onChange, name, role }: TickProps & { role?: 'switch' }) {
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

/** The label above, what helps below, and what is wrong where it is read aloud with the field. */
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

/** A day: the browser's own field, with its calendar. */
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

/** A time of the day, in hours and minutes. */
export const TimeField = ({ onChange, ...rest }: TimeProps) => (
  <Field {...rest} type="time" onChange={(text) => onChange(text.slice(0, 5))} />
)

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** One of a few, all in sight. Radio buttons of the browser: arrows go from one to the next. */
export function SegmentedControl<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  // Two of them can have the same label: each is a group of its own.
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

/** Puts a text where it can be pasted, and says so. */
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

/** A text to take along, such as a secret that is shown once. */
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
