import { z } from 'zod'
import type { ReferenceKind } from '../ids.ts'
import type { JsonSchema } from './fields.ts'

interface Description {
  schema: JsonSchema
  /** Undocumented aliases that some clients use. */
  otherNames?: readonly string[]
}

/** The schema of each kind of parameter in the OpenAPI description. */
export const parameterSchemas = z.registry<Description>()

/** A parameter with aliases that some clients send. */
export function alsoCalled<Parameter extends z.ZodType>(parameter: Parameter, ...otherNames: string[]): Parameter {
  const { schema } = parameterSchemas.get(parameter) ?? { schema: {} }
  parameterSchemas.add(parameter, { schema, otherNames })
  return parameter
}

/** The parsed type of a parameter, and the type that may be sent for it. */
export type Parameter<Value, Sent> = z.ZodType<Value, Sent>

/**
 * Declares a kind of parameter: its schema, and how its raw value is parsed or refused. `Sent` is the type the console sends; other clients
 * may use more spellings.
 */
export function param<Value, Sent = Value>(schema: JsonSchema, read: (raw: unknown) => Value): Parameter<Value, Sent> {
  const parameter = z.unknown().transform((raw, issues) => {
    if (raw !== undefined) {
      try {
        return read(raw)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        issues.addIssue({ code: 'custom', message: error.message, params: { whole: error.whole } })
        return z.NEVER
      }
    }
    issues.addIssue({ code: 'custom', message: 'is missing', params: { missing: true } })
    return z.NEVER
  })
  parameterSchemas.add(parameter, { schema })
  return parameter as z.ZodType as Parameter<Value, Sent>
}

/** A single value as text, in any encoding. */
export function scalar(raw: unknown): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  return refuse(Array.isArray(raw) ? 'must be given once' : 'must be a single value')
}

/** The elements of a list in any of its encodings. */
export function elements(raw: unknown): unknown[] {
  if (Array.isArray(raw)) return raw
  const value = scalar(raw).trim()
  if (!value.startsWith('[')) return value.split(',')
  try {
    const parsed: unknown = JSON.parse(value)
    if (Array.isArray(parsed)) return parsed
  } catch {}
  return refuse('must be a list')
}

/** A trimmed line. */
export function readLine(raw: unknown, min: number, max: number): string {
  const value = scalar(raw).trim()
  if (value.length < min) refuse(min === 1 ? 'must not be empty' : `must be at least ${min} characters long`)
  if (value.length > max) refuse(`must be at most ${max} characters long`)
  return value
}

/** An integer within bounds. */
export function readCount(raw: unknown, least: number, most: number): number {
  const text = scalar(raw).trim()
  const number = Number(text)
  const isWritten = (least < 0 ? /^-?\d{1,15}$/ : /^\d{1,15}$/).test(text)
  if (!isWritten || number < least || number > most) refuse(`must be a whole number from ${least} to ${most}`)
  return number
}

/** Unique lines in any of the encodings of an array. */
export function readLines(raw: unknown, max: number): string[] {
  const lines = [...new Set(elements(raw).map((element) => scalar(element).trim()))].filter((text) => text !== '')
  if (lines.length > max) refuse(`must not hold more than ${max} values`)
  if (lines.some((text) => text.length > 255)) refuse('must hold values of at most 255 characters')
  return lines
}

/** Refuses the value; the message starts with the parameter's name. */
export function refuse(rule: string): never {
  throw new Problem(rule, false)
}

/** Refuses with a complete message. */
export function refuseWhole(sentence: string): never {
  throw new Problem(sentence, true)
}

class Problem extends Error {
  readonly whole: boolean
  constructor(message: string, whole: boolean) {
    super(message)
    this.whole = whole
  }
}

/**
 * Parameter schemas: everything that a parser accepts, in queries and forms, where all values are text, as well as in JSON. A validator in
 * front of the service must not refuse requests that the service accepts.
 */

const flagSpellings: JsonSchema = {
  description: 'A boolean in any accepted encoding.',
  anyOf: [
    { type: 'boolean' },
    { type: 'integer', enum: [0, 1] },
    { type: 'string', enum: ['0', '1', 'true', 'false'] },
  ],
}

/** Described once and referenced, like a shape. */
export const flagSchema: JsonSchema = {
  $ref: '#/components/schemas/Flag',
  'x-shape': { title: 'Flag', schema: flagSpellings },
}

interface Bounds {
  min?: number
  max?: number
}

/** A list: an array, comma-separated text, or a JSON array as text. */
export const listSchema = (items: JsonSchema, bounds: Bounds = {}): JsonSchema => ({
  anyOf: [
    arraySchema(items, bounds),
    { type: 'string', description: 'Comma-separated, or the same array as JSON text.' },
  ],
})

/** A list of objects: an array, or the same as JSON text. */
export const objectListSchema = (items: JsonSchema, bounds: Bounds = {}): JsonSchema => ({
  anyOf: [arraySchema(items, bounds), jsonText],
})

/** An object, or the same as JSON text; `none` if null removes it. */
export const objectSchema = (object: JsonSchema, { none = false } = {}): JsonSchema => ({
  anyOf: [{ type: 'object', ...object }, ...(none ? [{ type: 'null' }] : []), jsonText],
})

const arraySchema = (items: JsonSchema, { min, max }: Bounds): JsonSchema => ({
  type: 'array',
  items,
  ...(min && { minItems: min }),
  ...(max !== undefined && { maxItems: max }),
})

const jsonText = { type: 'string', contentMediaType: 'application/json', description: 'The same as JSON text.' }

/** The array or object alternative of such a schema, if there is one; else the schema itself. */
export function structureOf(schema: JsonSchema): JsonSchema {
  const branches = (schema.anyOf ?? []) as readonly JsonSchema[]
  return branches.find(({ type }) => type === 'array' || type === 'object') ?? schema
}

/** Whether forms can also use brackets: `ids[]=`, `users[0][email]=`, `filter[network]=`. */
export const takesBrackets = (schema: JsonSchema) => structureOf(schema) !== schema

const keyword = 'x-refers-to'

/** Adds the kinds of referenced objects to a parameter's schema. Tests derive every operation's references from it. */
export const refersTo = (...kinds: ReferenceKind[]): JsonSchema => ({ [keyword]: kinds.map(({ name }) => name) })

/** The path of an id in a request: `filters.campaigns`, `steps.0.approverIds`. */
export interface Reference {
  at: readonly string[]
  /** Names of the kinds it can refer to. */
  kinds: readonly string[]
  isList: boolean
}

/** Every reference in a parameter's schema, at any depth. */
export function referencesIn(schema: JsonSchema, at: readonly string[]): Reference[] {
  const kinds = schema[keyword] as string[] | undefined
  const structure = structureOf(schema)
  if (kinds) return [{ at, kinds, isList: structure.type === 'array' }]
  const properties = Object.entries((structure.properties ?? {}) as { [name: string]: JsonSchema })
  const items = structure.items as JsonSchema | undefined
  return [
    ...properties.flatMap(([name, property]) => referencesIn(property, [...at, name])),
    ...(items ? referencesIn(items, [...at, '0']) : []),
  ]
}
