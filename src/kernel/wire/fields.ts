import type { Listed } from '../pages.ts'

/** A JSON Schema, in the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The API encoding of a value: its schema, and source code that converts the expression of the domain value to the JSON value. Source code,
 * so that a whole shape compiles into one function instead of being traversed for every row.
 */
export interface Field<in Value, out Wire = unknown> {
  readonly schema: JsonSchema
  readonly code: (expression: string) => string
  /** For collections, so that their items can be serialized one by one: as an object keyed by id, or as an array. */
  readonly many?: { of: AnyField; byId: boolean }
  /** Set on fields that are omitted when undefined. */
  readonly optional?: true
  /** Carries the type only. A property, not a method: method parameters are bivariant and would accept wrong fields. */
  readonly takes?: (value: Value) => void
  /** An encoded example for the API reference; its type is the response type for clients (console/api/call.ts). */
  readonly example: Wire
}

const plain = <Value>(schema: JsonSchema, example: Value): Field<Value, Value> => ({
  schema,
  code: (expression) => expression,
  example,
})

export const text = plain<string>({ type: 'string' }, '')
/** Text or null. */
export const nullableText = plain<string | null>({ type: ['string', 'null'] }, null)
export const integer = plain<number>({ type: 'integer' }, 0)
/** Integer or null. */
export const nullableInteger = plain<number | null>({ type: ['integer', 'null'] }, null)
/** Decimal or null. */
export const nullableDecimal = plain<number | null>({ type: ['number', 'null'] }, null)
export const decimal = plain<number>({ type: 'number' }, 0)
export const boolean = plain<boolean>({ type: 'boolean' }, false)

const datetimePattern = '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$'
const moment = (expression: string) => `momentText(${expression})`

/** `2026-08-31 09:30:00`, always UTC. */
export const datetime: Field<Date, string> = {
  schema: { type: 'string', pattern: datetimePattern, description: 'UTC, as YYYY-MM-DD HH:MM:SS.' },
  code: moment,
  example: '2026-03-02 09:20:00',
}

const unset = '0000-00-00 00:00:00'

/** A timestamp that may be unset; encoded as 0000-00-00 00:00:00 then. */
export const zeroDatetime: Field<Date | null, string> = {
  schema: { type: 'string', pattern: datetimePattern, description: 'UTC; 0000-00-00 00:00:00 when unset.' },
  code: (expression) => `(${expression} === null ? '${unset}' : ${moment(expression)})`,
  example: unset,
}

/** A timestamp that may be unset, stored as the epoch; encoded as - then. */
export const dashDatetime: Field<Date, string> = {
  schema: { type: 'string', pattern: `${datetimePattern}|^-$`, description: 'UTC; - if it never occurred.' },
  code: (expression) => `(${expression}.getTime() === 0 ? '-' : ${moment(expression)})`,
  example: '-',
}

/** A timestamp in Unix seconds. */
export const unixTime: Field<Date, number> = {
  schema: integer.schema,
  code: (of) => `Math.floor(${of}.getTime() / 1000)`,
  example: Date.UTC(2026, 2, 2, 9, 20) / 1000,
}

/** Any JSON value, unchanged. */
export const json = plain<unknown>({}, {})

/** A boolean encoded as 0 or 1. */
export const flag: Field<boolean, 0 | 1> = {
  schema: { type: 'integer', enum: [0, 1] },
  code: (expression) => `(${expression} ? 1 : 0)`,
  example: 0,
}

/** A number encoded as text. */
export const numericText: Field<number, string> = {
  schema: { type: 'string', pattern: '^\\d+$' },
  code: (expression) => `String(${expression})`,
  example: '0',
}

/** Texts, or false if there are none. */
export const textsOrFalse: Field<readonly string[], string[] | false> = {
  schema: { anyOf: [{ const: false }, { type: 'array', items: { type: 'string' } }] },
  code: (expression) => `(${expression}.length === 0 ? false : ${expression})`,
  example: false,
}

export const choice = <const Value extends string>(values: readonly Value[]): Field<Value, Value> =>
  plain({ type: 'string', enum: values }, values[0] as Value)

/** Omitted when undefined. */
export const optional = <Value, Wire>(field: Field<Value, Wire>): Field<Value, Wire> & { readonly optional: true } => ({
  ...field,
  optional: true,
})

export type AnyField = Field<never>
type Fields = { readonly [name: string]: AnyField }
type ValueOf<F> = F extends Field<infer Value> ? Value : never
type WireOf<F> = F extends Field<never, infer Wire> ? Wire : never

/** Id -> id, CreatedBy -> createdBy, and the irregular spellings ID -> id, AccountID -> accountId, PostURL -> postUrl, SFDC… -> sfdc…. */
type PropertyName<Name extends string> = Name extends 'ID' | 'URL'
  ? Lowercase<Name>
  : Name extends `SFDC${infer Tail}`
    ? `sfdc${Tail}`
    : Name extends `${infer Head}ID`
      ? `${Uncapitalize<Head>}Id`
      : Name extends `${infer Head}URL`
        ? `${Uncapitalize<Head>}Url`
        : Uncapitalize<Name>

/** The domain type of a shape: camelCase names, optional where the field is. */
export type Entity<F extends Fields> = {
  [Name in keyof F as F[Name] extends { optional: true } ? never : PropertyName<Name & string>]: ValueOf<F[Name]>
} & {
  [Name in keyof F as F[Name] extends { optional: true } ? PropertyName<Name & string> : never]?: ValueOf<F[Name]>
}

/** The encoded type of a shape. */
export type WireObject<F extends Fields> = {
  [Name in keyof F as F[Name] extends { optional: true } ? never : Name]: WireOf<F[Name]>
} & {
  [Name in keyof F as F[Name] extends { optional: true } ? Name : never]?: WireOf<F[Name]>
}

export interface Shape<in Value, out Wire = unknown> extends Field<Value, Wire> {
  /** The name of the shape in the OpenAPI description. */
  readonly title?: string
}

/** A PascalCase object in the API, a camelCase one in code. A shape is itself a field. */
export function shape<const F extends Fields>(title: string | undefined, fields: F): Shape<Entity<F>, WireObject<F>> {
  const entries = Object.entries(fields)
  const always = entries.filter(([, field]) => !field.optional)
  const sometimes = entries.filter(([, field]) => field.optional)
  return {
    ...(title && { title }),
    example: Object.fromEntries(always.map(([name, { example }]) => [name, example])) as WireObject<F>,
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, reference(field)])),
      required: always.map(([name]) => name),
    },
    code(expression) {
      const literal = (of: typeof entries) =>
        of.map(([name, field]) => `${JSON.stringify(name)}: ${field.code(`value.${propertyName(name)}`)}`).join(', ')
      const additions = sometimes.map(([name, field]) => {
        const property = `value.${propertyName(name)}`
        return `if (${property} !== undefined) object[${JSON.stringify(name)}] = ${field.code(property)}`
      })
      return `((value) => { const object = { ${literal(always)} }; ${additions.join('; ')}; return object })(${expression})`
    },
  }
}

/** An array of the field's values. */
export const listOf = <Value, Wire>(field: Field<Value, Wire>): Field<readonly Value[], Wire[]> => ({
  schema: { type: 'array', items: reference(field as AnyField) },
  code: (expression) => `${expression}.map((item) => ${field.code('item')})`,
  many: { of: field as AnyField, byId: false },
  example: [field.example],
})

/** An object in the API whose keys are the ids of a list in code. */
export const mapOf = <Value extends { readonly id: string }, Wire>(
  field: Field<Value, Wire>,
): Field<readonly Value[], { [id: string]: Wire }> => ({
  schema: { type: 'object', additionalProperties: reference(field as AnyField) },
  code: (expression) =>
    `((items) => { const map = {}; for (const item of items) map[item.id] = ${field.code('item')}; return map })(${expression})`,
  many: { of: field as AnyField, byId: true },
  example: {},
})

/** The same for lists that may be too large for memory: only as a top-level part of a response, never inside another field. */
export const longList = <Value, Wire>(field: Field<Value, Wire>) => listOf(field) as Field<Listed<Value>, Wire[]>
export const longMap = <Value extends { readonly id: string }, Wire>(field: Field<Value, Wire>) =>
  mapOf(field) as Field<Listed<Value>, { [id: string]: Wire }>

/** Encodes a value as an object, for events, which use the same format as the API. */
export const wireForm = <Value, Wire>(field: Field<Value, Wire>): ((value: Value) => Wire) =>
  compiled(field.code('value'))

/** Compiles the source code of a field into a function of `value`. */
export const compiled = <Value, Wire>(code: string) =>
  new Function('momentText', `return (value) => (${code})`)(momentText) as (value: Value) => Wire

const secondsOfDay = 24 * 60 * 60
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** Lists contain many timestamps of the same days, and formatting the day takes most of the time, so it is cached. */
function momentText(moment: Date): string {
  const seconds = Math.floor(moment.getTime() / 1000)
  const day = Math.floor(seconds / secondsOfDay)
  const second = seconds - day * secondsOfDay
  const [hours, minutes] = [Math.floor(second / 3600), Math.floor(second / 60) % 60]
  return `${dayText(day)} ${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[second % 60]}`
}

const days = new Map<number, string>()
const mostDays = 1000

function dayText(day: number): string {
  const known = days.get(day)
  if (known) return known
  const text = new Date(day * secondsOfDay * 1000).toISOString().slice(0, 10)
  if (days.size >= mostDays) days.clear()
  days.set(day, text)
  return text
}

/** An encoded example: known values for some fields, the examples of their fields for the others. */
export function sampleOf<Wire extends object>({ schema, example }: Field<never, Wire>, known: Partial<Wire>): Wire {
  const values: { readonly [name: string]: unknown } = { ...example, ...known }
  const names = Object.keys(schema.properties as object).filter((name) => values[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Wire
}

/** The property and column names of a shape's fields, to select from a row that holds more than may be shown. */
export const columnsOf = <Value>({ schema }: Shape<Value>) =>
  Object.keys(schema.properties as object).map(propertyName) as (keyof Value & string)[]

/** A field's schema where it is used: titled shapes are described once and referenced. */
export function reference(field: AnyField): JsonSchema {
  const { title } = field as Shape<never>
  return title ? { $ref: `#/components/schemas/${title}`, 'x-shape': field } : field.schema
}

export function propertyName(name: string): string {
  if (name === 'ID' || name === 'URL') return name.toLowerCase()
  if (name.startsWith('SFDC')) return `sfdc${name.slice(4)}`
  const property = name.charAt(0).toLowerCase() + name.slice(1)
  return property.replace(/ID$/, 'Id').replace(/URL$/, 'Url')
}
