import type { IdKind } from '../ids.ts'
import type { JsonSchema } from './fields.ts'
import { structureOf } from './request-schema.ts'

/** What an id in a request can name: everything with a prefix of its own, and the few things that have none. */
export type ReferenceKind = IdKind | 'credential' | 'draft' | 'linkHash' | 'clickedLead' | 'visitor'

const keyword = 'x-refers-to'

/** Says in a parameter's description what it names. The tests make every operation's references out of it. */
export const refersTo = (...kinds: ReferenceKind[]): JsonSchema => ({ [keyword]: kinds })

/** A place in a request where an id stands: `filters.campaigns`, `steps.0.approverIds`. */
export interface Reference {
  at: readonly string[]
  kinds: readonly ReferenceKind[]
  isList: boolean
}

/** Every reference in the description of a parameter, however deep. */
export function referencesIn(schema: JsonSchema, at: readonly string[]): Reference[] {
  const kinds = schema[keyword] as ReferenceKind[] | undefined
  const structure = structureOf(schema)
  if (kinds) return [{ at, kinds, isList: structure.type === 'array' }]
  const properties = Object.entries((structure.properties ?? {}) as { [name: string]: JsonSchema })
  const items = structure.items as JsonSchema | undefined
  return [
    ...properties.flatMap(([name, property]) => referencesIn(property, [...at, name])),
    ...(items ? referencesIn(items, [...at, '0']) : []),
  ]
}
