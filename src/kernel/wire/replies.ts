import type { Listed } from '../pages.ts'
import {
  boolean,
  compiled,
  type Entity,
  type Field,
  integer,
  type JsonSchema,
  json,
  longList,
  reference,
  shape,
  type WireObject,
} from './fields.ts'
import { longListWriter, longObjectWriter, type Pieces } from './long-lists.ts'

/** How a result is wrapped and serialized. The serializer is compiled once, when the endpoint is declared. */
export interface Reply<in Value, out Body = unknown> {
  readonly schema: JsonSchema
  readonly pieces: (value: Value) => Pieces
  /** Carries the type of the response only. */
  readonly gives?: () => Body
}

type Answered<Members> = { Result: true } & Members

type Fields = Parameters<typeof shape>[1]

/** The result of a list: one page or everything, and the total number of matches. */
export interface Listing<Item> {
  items: Listed<Item>
  total: number
}

/** `{Result, Team}`: one object under its own key. */
export const item = <const Key extends string, Value, Wire>(
  key: Key,
  field: Field<Value, Wire>,
): Reply<Value, Answered<{ [name in Key]: Wire }>> =>
  reply({ [key]: reference(field) }, `{ Result: true, ${JSON.stringify(key)}: ${field.code('value')} }`)

/** The same for an object of plain JSON; lists among its members may be too large for memory. */
export const longItem = <const Key extends string>(
  key: Key,
): Reply<{ readonly [name: string]: unknown }, Answered<{ [name in Key]: unknown }>> => ({
  schema: envelope({ [key]: json.schema }, [key]),
  pieces: longObjectWriter(key),
})

/** `{Result, Items, Total}`. */
export const list = <Value, Wire>(
  field: Field<Value, Wire>,
): Reply<Listing<Value>, Answered<{ Items: Wire[]; Total: number }>> =>
  parts({ Items: longList(field), Total: integer })

/** Either of the two under one path: one object if it was requested by its id, else a list. */
export const itemOrList = <const Key extends string, Value, Wire>(
  key: Key,
  field: Field<Value, Wire>,
): Reply<Value | Listing<Value>, Answered<{ [name in Key]: Wire }> | Answered<{ Items: Wire[]; Total: number }>> => {
  const [one, many] = [item(key, field), list(field)]
  return {
    schema: { anyOf: [one.schema, many.schema] },
    pieces: (value) =>
      typeof value === 'object' && value !== null && 'items' in value ? many.pieces(value) : one.pieces(value as Value),
  }
}

/** `{Result, …}`: several named parts beside Result. */
export const parts = <const F extends Fields>(fields: F): Reply<Entity<F>, Answered<WireObject<F>>> => {
  const whole = shape(undefined, fields)
  const { properties, required } = whole.schema as { properties: JsonSchema; required: string[] }
  const { schema, pieces } = reply<Entity<F>, unknown>(
    properties,
    `{ Result: true, ...${whole.code('value')} }`,
    required,
  )
  const long = longListWriter(fields)
  return { schema, pieces: (value) => (long.isLong(value) ? long.pieces(value) : pieces(value)) }
}

/** `{Result: true}`. */
export const done: Reply<unknown, Answered<unknown>> = { schema: envelope({}, []), pieces: () => ['{"Result":true}'] }

function reply<Value, Body>(
  properties: JsonSchema,
  code: string,
  required = Object.keys(properties),
): Reply<Value, Body> {
  const toJson = compiled<Value, unknown>(code)
  return { schema: envelope(properties, required), pieces: (value) => [JSON.stringify(toJson(value))] }
}

function envelope(properties: JsonSchema, required: string[]): JsonSchema {
  return {
    type: 'object',
    properties: { Result: boolean.schema, ...properties },
    required: ['Result', ...required],
  }
}
