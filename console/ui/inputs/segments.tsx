import { useId } from 'react'

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
