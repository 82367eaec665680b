import { z } from 'zod'
import type { ReferenceKind } from '../ids.ts'
import type { JsonSchema } from './fields.ts'
import {
  elements,
  objectListSchema,
  objectSchema,
  type Parameter,
  param,
  parameterSchemas,
  readCount,
  refersTo,
  refuse,
  scalar,
} from './parameter.ts'

const mostValues = 1000

/** An object of filters, in any of its encodings. Unknown keys are ignored; empty values do not filter. */
export function filters<const F extends Readers>(readers: F) {
  const properties = Object.fromEntries(
    Object.entries(readers).map(([name, reader]) => [name, parameterSchemas.get(reader)?.schema ?? {}]),
  )
  const schema = objectSchema({ properties })
  const parameter = param<object, FiltersSent<F>>(schema, givenFilters).pipe(z.object(readers).partial())
  parameterSchemas.add(parameter, { schema })
  return parameter
}

/** An array of ids. An unknown id, in any format, matches nothing. */
export const ids = (kind: ReferenceKind) =>
  arrayOf({ type: 'string' }, 'ids', (value) => (isPlainId(value) ? value : ''), refersTo(kind))

/** An array of names from a list, case-insensitive or by an alias. */
export function words<const Value extends string>(values: readonly Value[], aliases: { [alias: string]: Value } = {}) {
  const known = new Map<string, Value>(values.map((value) => [value.toLowerCase(), value]))
  for (const [alias, value] of Object.entries(aliases)) known.set(alias.toLowerCase(), value)
  const all = values.join(', ')
  return arrayOf({ type: 'string', enum: [...values, ...Object.keys(aliases)] }, `any of ${all}`, (value): Value => {
    return known.get(value.toLowerCase()) ?? refuse(`must be an array of any of ${all}`)
  })
}

type Readers = { readonly [name: string]: Parameter<unknown, unknown> }
type FiltersSent<F extends Readers> = { readonly [name in keyof F]?: z.input<F[name]> }

function arrayOf<Value>(items: JsonSchema, what: string, read: (text: string) => Value, more: JsonSchema = {}) {
  return param<Value[], readonly Value[]>({ type: 'array', items, maxItems: mostValues, ...more }, (raw) => {
    if (!Array.isArray(raw)) return refuse(`must be an array of ${what}`)
    if (raw.length > mostValues) refuse(`must not hold more than ${mostValues} values`)
    const texts = raw.map((value) => {
      return typeof value === 'string' || typeof value === 'number'
        ? String(value).trim()
        : refuse(`must be an array of ${what}`)
    })
    return [...new Set(texts.map(read))]
  })
}

function givenFilters(raw: unknown): object {
  const object = typeof raw === 'string' ? parsedFilters(raw.trim()) : raw
  if (typeof object !== 'object' || object === null || (Array.isArray(object) && object.length > 0))
    return refuse('must be a JSON object')
  const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)))
}

function parsedFilters(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return refuse('must be a JSON object')
  }
}

/** Text that can't be an id is not sent to the database, which may be unable to store it. */
const isPlainId = (text: string) => /^[\x21-\x7e]{1,200}$/.test(text)

interface Bounds {
  min?: number
  max: number
}

/** Objects in any of the encodings of an array, `users[0][email]=` or JSON; each with these fields, in their order. */
export const objectList = <Fields extends z.ZodObject>(fields: Fields, { min = 0, max }: Bounds) =>
  param<z.output<Fields>[], readonly z.input<Fields>[]>(objectListSchema(itemSchema(fields), { min, max }), (raw) =>
    givenEntries(raw, min, max).map((element, index): z.output<Fields> => {
      const { success, data, error } = fields.safeParse(element)
      if (success) return data
      const { path = [], message = '' } = error.issues[0] ?? {}
      const problem = path.length > 0 ? `${path.join('.')} ${message}` : 'must be an object'
      return refuse(`element ${index + 1}: ${problem}`)
    }),
  )

/** One parsed item of a list, or the reason why it can't be used. */
export type Entry<Value> =
  | { sent: unknown; value: Value; problem?: undefined }
  | { sent: unknown; problem: { field: string; message: string } }

/** The same with each item parsed separately, so that invalid items don't fail valid ones. */
export const entryList = <Fields extends z.ZodObject>(fields: Fields, { min = 0, max }: Bounds) =>
  param<Entry<z.output<Fields>>[], readonly z.input<Fields>[]>(
    objectListSchema(itemSchema(fields), { min, max }),
    (raw) => givenEntries(raw, min, max).map((sent) => readEntry(fields, sent)),
  )

function givenEntries(raw: unknown, min: number, max: number): unknown[] {
  const list = raw === '' ? [] : elements(raw)
  if (list.length < min || list.length > max) refuse(`must hold ${min} to ${max} elements`)
  return list
}

function readEntry<Fields extends z.ZodObject>(fields: Fields, sent: unknown): Entry<z.output<Fields>> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return { sent, problem: { field: '', message: 'The entry must be an object.' } }
  const invalidText = Object.entries(sent).find(([, value]) => typeof value === 'string' && !isSayable(value))
  if (invalidText) return { sent, problem: { field: invalidText[0], message: 'Only valid Unicode text can be kept.' } }
  const { success, data, error } = fields.safeParse(withoutNothing(sent))
  if (success) return { sent, value: data }
  const { path = [], message = '', ...issue } = error.issues[0] ?? {}
  const field = path.join('.')
  const { whole } = ('params' in issue ? issue.params : {}) as { whole?: boolean }
  return { sent, problem: { field, message: whole ? message : `${field} ${message}` } }
}

/** JSON as text bypasses the general check for text that the database can't store. */
const isSayable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Empty values count as absent: there is nothing to clear. */
const withoutNothing = (sent: object) =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null && value !== ''))

function itemSchema(fields: z.ZodObject) {
  const described = Object.entries(fields.shape as { [name: string]: z.ZodType }).map(([name, field]) => {
    const reader = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field
    return [name, parameterSchemas.get(reader)?.schema ?? {}] as const
  })
  return { type: 'object', properties: Object.fromEntries(described) }
}

/** Texts by name. Those not sent are absent; null means that there is no such object. */
export type Texts<Name extends string> = { [name in Name]?: string }

/** An object of texts in any of its encodings: `a[b]=`, JSON, JSON as text. Empty, null and an object without values are null. */
export const texts = <const Name extends string>(described: { readonly [name in Name]: JsonSchema }) => {
  const names = Object.keys(described) as Name[]
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', ...described[name] }]))
  const schema = objectSchema({ properties }, { none: true })
  return param(schema, (raw): Texts<Name> | null => {
    const object = typeof raw === 'string' ? parsedObject(raw.trim()) : raw
    if (object === null) return null
    if (typeof object !== 'object' || Array.isArray(object)) return refuse('must be an object')
    if (Object.keys(object).length === 0) return null
    const given = names.flatMap((name) => {
      const value = (object as { [name: string]: unknown })[name]
      return value === undefined ? [] : [[name, sayable(scalar(value ?? ''))]]
    })
    return Object.fromEntries(given) as Texts<Name>
  })
}

/** An object of integers within bounds, in any of its encodings; empty values are omitted. */
export const counts = <const Name extends string>(names: readonly Name[], least: number, most: number) => {
  const number: JsonSchema = { type: 'integer', minimum: least, maximum: most }
  const schema = objectSchema({ properties: Object.fromEntries(names.map((name) => [name, number])) })
  return param(schema, (raw): { [name in Name]?: number } => {
    const object = (typeof raw === 'string' ? parsedObject(raw.trim()) : raw) ?? {}
    if (typeof object !== 'object' || (Array.isArray(object) && object.length > 0)) return refuse('must be an object')
    const given = Object.entries(object).filter(([, value]) => value !== null && value !== '')
    const unknown = given.find(([name]) => !(names as readonly string[]).includes(name))
    if (unknown) refuse(`can name ${names.join(', ')}`)
    return Object.fromEntries(given.map(([name, value]) => [name, readCount(value, least, most)])) as {
      [name in Name]?: number
    }
  })
}

function parsedObject(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return refuse('must be an object')
  }
}

/** JSON as text bypasses the general check for text that the database can't store. */
function sayable(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) refuse('must hold valid Unicode text without NUL')
  return text.replaceAll('\r\n', '\n').trim()
}
