import { z } from 'zod'
import type { JsonSchema } from './fields.ts'
import { type Parameter, param, parameterSchemas, refuse } from './parameter.ts'
import { type ReferenceKind, refersTo } from './reference.ts'
import { objectSchema } from './request-schema.ts'

const mostValues = 1000

/** One object that holds filters, in any of its encodings. Keys it does not know are ignored; what is empty filters nothing. */
export function filters<const F extends Readers>(readers: F) {
  const properties = Object.fromEntries(
    Object.entries(readers).map(([name, reader]) => [name, parameterSchemas.get(reader)?.schema ?? {}]),
  )
  const schema = objectSchema({ properties })
  const parameter = param<object, FiltersSent<F>>(schema, given).pipe(z.object(readers).partial())
  parameterSchemas.add(parameter, { schema })
  return parameter
}

/** An array of ids. One that names nothing, whatever it looks like, just finds nothing. */
export const ids = (kind: ReferenceKind) =>
  arrayOf({ type: 'string' }, 'ids', (value) => (isSayable(value) ? value : ''), refersTo(kind))

/** An array of names out of a list, in whatever case, or by another name they go by. */
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

function given(raw: unknown): object {
  const object = typeof raw === 'string' ? parsed(raw.trim()) : raw
  if (typeof object !== 'object' || object === null || (Array.isArray(object) && object.length > 0))
    return refuse('must be a JSON object')
  const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)))
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return refuse('must be a JSON object')
  }
}

/** What no id can look like is not said to the database, which may not be able to hold it. */
const isSayable = (text: string) => /^[\x21-\x7e]{1,200}$/.test(text)
