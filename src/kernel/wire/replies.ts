import { boolean, type Entity, type Field, integer, type JsonSchema, listOf, reference, shape } from './fields.ts'
import { longListWriter } from './long-lists.ts'

/** How a result is wrapped and written. The writer is compiled once, when the endpoint is declared. */
export interface Reply<in Value> {
  readonly schema: JsonSchema
  /** The JSON text, in pieces none of which takes long to write. */
  readonly pieces: (value: Value) => Iterable<string>
}

type Fields = Parameters<typeof shape>[1]

/** What a list gives: one page and the number of all that match. */
export interface Listing<Item> {
  items: readonly Item[]
  total: number
}

/** `{Result, Team}`: one thing under its own key. */
export const item = <Value>(key: string, field: Field<Value>): Reply<Value> =>
  reply({ [key]: reference(field) }, `{ Result: true, ${JSON.stringify(key)}: ${field.code('value')} }`)

/** `{Result, Items, Total}`. */
export const list = <Value>(field: Field<Value>): Reply<Listing<Value>> =>
  parts({ Items: listOf(field), Total: integer })

/** Either of the two at one address: one thing when it was asked for by its id, else a list. */
export const itemOrList = <Value>(key: string, field: Field<Value>): Reply<Value | Listing<Value>> => {
  const [one, many] = [item(key, field), list(field)]
  return {
    schema: { anyOf: [one.schema, many.schema] },
    pieces: (value) =>
      typeof value === 'object' && value !== null && 'items' in value ? many.pieces(value) : one.pieces(value as Value),
  }
}

/** `{Result, …}`: several named parts beside Result. */
export const parts = <const F extends Fields>(fields: F): Reply<Entity<F>> => {
  const whole = shape(undefined, fields)
  const { properties, required } = whole.schema as { properties: JsonSchema; required: string[] }
  const { schema, pieces } = reply<Entity<F>>(properties, `{ Result: true, ...${whole.code('value')} }`, required)
  const long = longListWriter(fields)
  return { schema, pieces: (value) => (long.isLong(value) ? long.pieces(value) : pieces(value)) }
}

/** `{Result: true}`. */
export const done: Reply<unknown> = { schema: envelope({}, []), pieces: () => ['{"Result":true}'] }

function reply<Value>(properties: JsonSchema, code: string, required = Object.keys(properties)): Reply<Value> {
  const toJson = new Function('value', `return ${code}`) as (value: Value) => unknown
  return { schema: envelope(properties, required), pieces: (value) => [JSON.stringify(toJson(value))] }
}

function envelope(properties: JsonSchema, required: string[]): JsonSchema {
  return {
    type: 'object',
    properties: { Result: boolean.schema, ...properties },
    required: ['Result', ...required],
  }
}
