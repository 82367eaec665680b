import type { Settings } from '../settings/settings.ts'

/** A page that holds whatever a command lists: more than an account may have of anything it lists. */
export const allRows = 1_000_000

export type Say = (line: string) => void

/** One command of the command line; options are given as --name value, flags as --name alone. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** What stands behind the name without a dash, by the name under which it is given on. */
  readonly word?: { readonly name: string; readonly help: string; readonly isOptional?: true }
  readonly options?: {
    readonly [name: string]: { readonly help: string; readonly required?: true; readonly flag?: true }
  }
  readonly run: (settings: Settings, options: { [name: string]: string }, say: Say) => Promise<void>
}
