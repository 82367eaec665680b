import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { Field } from '../../../ui/inputs/field.tsx'
import { told } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'

interface SavedFieldProps extends Omit<ComponentProps<typeof Field>, 'onChange' | 'value' | 'problem'> {
  value: string
  /** Keeps what was written; what it throws is shown below the field. */
  onSave: (value: string) => Promise<unknown>
}

/** A line that saves itself: when it is left, or by Enter. Escape takes back what was not saved. */
export function SavedField({ value, onSave, hint, ...field }: SavedFieldProps) {
  const [typed, setTyped] = useState(value)
  const [state, setState] = useState<'saving' | 'saved'>()
  const [problem, setProblem] = useState<string>()
  const kept = useRef(value)
  useEffect(() => {
    kept.current = value
    setTyped(value)
  }, [value])
  const save = async () => {
    if (typed === kept.current) return
    const before = kept.current
    kept.current = typed
    setState('saving')
    try {
      await onSave(typed)
      setState('saved')
      setProblem(undefined)
    } catch (error) {
      kept.current = before
      setState(undefined)
      setProblem(told(error).sentence)
    }
  }
  return (
    <Field
      {...field}
      value={typed}
      problem={problem}
      hint={state ? words.settings[state] : hint}
      onChange={(text) => {
        setTyped(text)
        setState(undefined)
      }}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
          event.preventDefault()
          void save()
        } else if (event.key === 'Escape' && typed !== kept.current) {
          event.preventDefault()
          setTyped(kept.current)
          setProblem(undefined)
        }
      }}
    />
  )
}
