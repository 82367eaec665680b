import type { Field } from './fields.ts'
import { param, refuse, scalar } from './parameter.ts'

const schema = { type: 'string', pattern: '^\\d{2}:\\d{2}$', description: 'HH:MM, from 00:00 to 23:59.' }

/** Minutes after midnight, as a clock shows them: `09:30`. */
export const clockTime: Field<number, string> = {
  schema,
  code: (expression) => `new Date(${expression} * 60000).toISOString().slice(11, 16)`,
  example: '09:30',
}

/** The same in a request. */
export const clockParam = param<number, string>(schema, (raw) => {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(scalar(raw).trim()) ?? []
  if (hours === undefined) return refuse('must be a time such as 09:30')
  return Number(hours) * 60 + Number(minutes)
})
