import type { Day } from '../../time/days.ts'
import { isDay } from '../../time/days.ts'
import { Field } from './field.tsx'

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
