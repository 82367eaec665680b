import type { JsonSchema } from './fields.ts'

/**
 * How parameters are described: everything that a reader accepts, in queries and forms, where all values are text, as well as in JSON.
 * A validator in front of the service must not refuse what the service takes.
 */

const flagSpellings: JsonSchema = {
  description: 'A boolean, in any of its spellings.',
  anyOf: [
    { type: 'boolean' },
    { type: 'integer', enum: [0, 1] },
    { type: 'string', enum: ['0', '1', 'true', 'false'] },
  ],
}

/** Described once and referred to, like a shape. */
export const flagSchema: JsonSchema = {
  $ref: '#/components/schemas/Flag',
  'x-shape': { title: 'Flag', schema: flagSpellings },
}

interface Bounds {
  min?: number
  max?: number
}

/** A list: an array, or text with commas in it or a JSON array. */
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

/** An object, or the same as JSON text; `none` where null takes it away. */
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

/** The array or object of such a schema, where there is one; else the schema itself. */
export function structureOf(schema: JsonSchema): JsonSchema {
  const branches = (schema.anyOf ?? []) as readonly JsonSchema[]
  return branches.find(({ type }) => type === 'array' || type === 'object') ?? schema
}

/** Whether a form can also spell it with brackets: `ids[]=`, `users[0][email]=`, `filter[network]=`. */
export const takesBrackets = (schema: JsonSchema) => structureOf(schema) !== schema
