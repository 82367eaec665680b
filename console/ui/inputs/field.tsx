import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { words } from '../../words/words.ts'

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
