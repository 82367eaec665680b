import { z } from 'zod'
import { elements, param, parameterSchemas, refuse } from './parameter.ts'
import { objectListSchema } from './request-schema.ts'

interface Bounds {
  min?: number
  max: number
}

/** Objects in any of the encodings of an array, `users[0][email]=` or JSON; each with these fields, in their order. */
export const objectList = <Fields extends z.ZodObject>(fields: Fields, { min = 0, max }: Bounds) =>
  param<z.output<Fields>[], readonly z.input<Fields>[]>(objectListSchema(itemSchema(fields), { min, max }), (raw) =>
    given(raw, min, max).map((element, index): z.output<Fields> => {
      const { success, data, error } = fields.safeParse(element)
      if (success) return data
      const { path = [], message = '' } = error.issues[0] ?? {}
      const problem = path.length > 0 ? `${path.join('.')} ${message}` : 'must be an object'
      return refuse(`element ${index + 1}: ${problem}`)
    }),
  )

/** What one of many says, or why it cannot be used. */
export type Entry<Value> =
  | { sent: unknown; value: Value; problem?: undefined }
  | { sent: unknown; problem: { field: string; message: string } }

/** The same where each is read by itself, so that bad ones do not spoil the good ones. */
export const entryList = <Fields extends z.ZodObject>(fields: Fields, { min = 0, max }: Bounds) =>
  param<Entry<z.output<Fields>>[], readonly z.input<Fields>[]>(
    objectListSchema(itemSchema(fields), { min, max }),
    (raw) => given(raw, min, max).map((sent) => readEntry(fields, sent)),
  )

function given(raw: unknown, min: number, max: number): unknown[] {
  const list = raw === '' ? [] : elements(raw)
  if (list.length < min || list.length > max) refuse(`must hold ${min} to ${max} elements`)
  return list
}

function readEntry<Fields extends z.ZodObject>(fields: Fields, sent: unknown): Entry<z.output<Fields>> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return { sent, problem: { field: '', message: 'The entry must be an object.' } }
  const unsayable = Object.entries(sent).find(([, value]) => typeof value === 'string' && !isSayable(value))
  if (unsayable) return { sent, problem: { field: unsayable[0], message: 'Only valid Unicode text can be kept.' } }
  const { success, data, error } = fields.safeParse(withoutNothing(sent))
  if (success) return { sent, value: data }
  const { path = [], message = '', ...issue } = error.issues[0] ?? {}
  const field = path.join('.')
  const { whole } = ('params' in issue ? issue.params : {}) as { whole?: boolean }
  return { sent, problem: { field, message: whole ? message : `${field} ${message}` } }
}

/** JSON as text can hold what was refused elsewhere: what the database cannot. */
const isSayable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** What is empty was not given: there is nothing to clear. */
const withoutNothing = (sent: object) =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== ''))

function itemSchema(fields: z.ZodObject) {
  const described = Object.entries(fields.shape as { [name: string]: z.ZodType }).map(([name, field]) => {
    const reader = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field
    return [name, parameterSchemas.get(reader)?.schema ?? {}] as const
  })
  return { type: 'object', properties: Object.fromEntries(described) }
}
