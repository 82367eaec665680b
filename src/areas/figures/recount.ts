import type { RawBuilder } from 'kysely'
import type { FigureName } from './figure.ts'

/** How figures are told from what they follow from: declared by the area that hands in the facts, listed in `main/recounts.ts`. */
export interface Recount {
  readonly names: readonly FigureName[]
  /** A query of every fact from a moment until before another: `name`, `at`, `kind` and `id` of what it counts for, and `amount`. */
  readonly facts: (accountId: string, from: Date, to: Date) => RawBuilder<unknown>
  /** A query for the moment of the first fact. */
  readonly first: (accountId: string) => RawBuilder<unknown>
}
