import { boolean, type Entity, type Field, integer, type JsonSchema, reference, shape } from './fields.ts'

/** How a result is wrapped and written. The encoder is compiled once, when the endpoint is declared. */
export interface Reply<in Value> {
  readonly schema: JsonSchema
  readonly encode: (value: Value) => string
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
  reply(
    { Items: { type: 'array', items: reference(field) }, Total: integer.schema },
    `{ Result: true, Items: value.items.map((item) => ${field.code('item')}), Total: value.total }`,
  )

/** Either of the two at one address: one thing when it was asked for by its id, else a list. */
export const itemOrList = <Value>(key: string, field: Field<Value>): Reply<Value | Listing<Value>> => {
  const [one, many] = [item(key, field), list(field)]
  return {
    schema: { anyOf: [one.schema, many.schema] },
    encode: (value) =>
      typeof value === 'object' && value !== null && 'items' in value ? many.encode(value) : one.encode(value as Value),
  }
}

/** `{Result, …}`: several named parts beside Result. */
export const parts = <const F extends Fields>(fields: F): Reply<Entity<F>> => {
  const whole = shape(undefined, fields)
  const { properties, required } = whole.schema as { properties: JsonSchema; required: string[] }
  return reply(properties, `{ Result: true, ...${whole.code('value')} }`, required)
}

/** `{Result: true}`. */
export const done: Reply<unknown> = { schema: envelope({}, []), encode: () => '{"Result":true}' }

function reply<Value>(properties: JsonSchema, code: string, required = Object.keys(properties)): Reply<Value> {
  const toJson = new Function('value', `return ${code}`) as (value: Value) => unknown
  return { schema: envelope(properties, required), encode: (value) => JSON.stringify(toJson(value)) }
}

function envelope(properties: JsonSchema, required: string[]): JsonSchema {
  return {
    type: 'object',
    properties: { Result: boolean.schema, ...properties },
    required: ['Result', ...required],
  }
}
