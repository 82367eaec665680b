import type { CompiledQuery } from 'kysely'
import type { Via, Visitor } from './caller.ts'

/** What somebody does, as the audit log names it. Names only: nothing that was sent is ever part of it. */
export interface Deed {
  /** As the interface or the command line writes it: `POST /team/{id}`, `user role`. */
  readonly operation: string
  /** The names of the parameters that were sent. */
  readonly fields: readonly string[]
}

/** What a deed was done to. */
export interface Subject {
  readonly id?: string
  /** To how many, where it was done to many at once. */
  readonly count?: number
}

/** A deed together with who did it to what, when, and from where. */
export interface DeedDone extends Deed, Subject {
  readonly accountId: string
  readonly userId: string
  /** A deed without it cannot be written down, and then the change does not stand either. */
  readonly via: Via | undefined
  readonly visitor: Visitor | undefined
  readonly now: Date
}

/**
 * Gives the statement that writes a deed down; whoever keeps the log hands it in. It is sent in one packet with the commit of what
 * was done: both stand or neither does, and nobody waits for it.
 */
export type RecordDeed = (done: DeedDone) => CompiledQuery
