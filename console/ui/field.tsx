import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { words } from '@/i18n/texts.ts'
import { type Day, isDay } from '@/time/days.ts'
import { Button } from './button.tsx'

interface Labelled {
  label: string
  /** What helps to fill it in. */
  hint?: string | undefined
  /** What is wrong with it, in a sentence. */
  problem?: string | undefined
  /** The label is there for who cannot see, and plain from its surroundings for who can. */
  quietLabel?: boolean
}

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>

interface FieldProps extends Labelled, Input {
  value?: string
  onChange?: (value: string) => void
  /** Stands at its end: a unit, a button. */
  after?: ReactNode
}

/** One line of text. */
export function Field({ label, hint, problem, quietLabel, onChange, after, ...input }: FieldProps) {
  return (
    <Frame {...{ label, hint, problem, quietLabel }}>
      {(about) => (
        <span className="field-row">
          <input {...input} {...about} className="field" onChange={(event) => onChange?.(event.target.value)} />
          {after}
        </span>
      )}
    </Frame>
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
        <button type="button" className="field-button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? words.ui.hide : words.ui.show}
          <span className="unseen"> {props.label}</span>
        </button>
      }
    />
  )
}

/** Whose password it is, for what keeps passwords: a form that asks for one alone does not say. */
export const Username = ({ email = '' }: { email?: string }) => (
  <input hidden type="text" autoComplete="username" value={email} readOnly />
)

interface TextAreaProps extends Labelled, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  value?: string
  onChange?: (value: string) => void
}

/** Several lines; it grows with what stands in it. */
export function TextArea({ label, hint, problem, quietLabel, onChange, ...input }: TextAreaProps) {
  return (
    <Frame {...{ label, hint, problem, quietLabel }}>
      {(about) => (
        <textarea
          {...input}
          {...about}
          dir="auto"
          className="field text-area"
          onChange={(event) => onChange?.(event.target.value)}
        />
      )}
    </Frame>
  )
}

interface SelectProps<Value extends string>
  extends Labelled,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** One of several: the browser's own list. */
export function Select<Value extends string>({
  label,
  hint,
  problem,
  quietLabel,
  options,
  onChange,
  ...input
}: SelectProps<Value>) {
  return (
    <Frame {...{ label, hint, problem, quietLabel }}>
      {(about) => (
        <select {...input} {...about} className="field" onChange={(event) => onChange(event.target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Frame>
  )
}

interface TickProps {
  label: ReactNode
  hint?: string
  checked: boolean
  onChange: (checked: boolean) => void
  name?: string
}

export const Checkbox = (props: TickProps) => <Tick {...props} />
/** Something that takes effect at once. */
export const Switch = (props: TickProps) => <Tick {...props} role="switch" />

function Tick({ label, hint, checked, onChange, name, role }: TickProps & { role?: 'switch' }) {
  const id = useId()
  return (
    <label className="tick">
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
          <small id={id} className="hint">
            {hint}
          </small>
        )}
      </span>
    </label>
  )
}

interface About {
  id: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: true | undefined
}

/** The label above, what helps below, and what is wrong where it is read aloud with the field. */
export function Frame({
  label,
  hint,
  problem,
  quietLabel,
  children,
}: Labelled & { children: (about: About) => ReactNode }) {
  const id = useId()
  const described = problem ?? hint
  return (
    <div className="frame">
      <label htmlFor={id} className={quietLabel ? 'unseen' : 'frame-label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described && `${id}-hint`, 'aria-invalid': problem ? true : undefined })}
      {described && (
        <p id={`${id}-hint`} className="hint" data-problem={problem ? true : undefined}>
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
  problem?: string | undefined
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
  problem?: string | undefined
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
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  // Two of them can have the same label: each is a group of its own.
  const id = useId()
  return (
    <fieldset className="segments">
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="unseen"
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
export function CopyButton({ text, label = words.ui.copy }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 2_000)
  }
  return (
    <Button kind="bare" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy().catch(() => {})}>
      <span aria-live="polite">{isCopied ? words.ui.copied : label}</span>
    </Button>
  )
}

/** A text to take along, such as a secret that is shown once. */
export const Copy = ({ label, text }: { label: string; text: string }) => (
  <div className="copy">
    <label>
      <span className="frame-label">{label}</span>
      <input className="field copy-text" readOnly value={text} onFocus={(event) => event.target.select()} />
    </label>
    <CopyButton text={text} />
  </div>
)
