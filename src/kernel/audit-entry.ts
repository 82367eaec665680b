import type { Via, Visitor } from './caller.ts'
import type { Db } from './database/database.ts'

/** What somebody does, as the audit log names it. Names only: nothing that was sent is ever part of it. */
export interface AuditEntry {
  /** As the interface or the command line writes it: `POST /team/{id}`, `user role`. */
  readonly operation: string
  /** The names of the parameters that were sent. */
  readonly fields: readonly string[]
}

/** What a deed was done to. */
export interface Subject {
  readonly id?: string | undefined
  /** To how many, where it was done to many at once. */
  readonly count?: number | undefined
}

/** Who does it, when, and from where. */
interface Doer {
  readonly db: Db
  readonly accountId: string
  readonly userId: string
  /** A deed without it cannot be written down, and then the change does not stand either. */
  readonly via?: Via | undefined
  readonly visitor?: Visitor | undefined
  readonly now: Date
}

/**
 * Writes a deed down; whoever keeps the log hands it in. It is the last thing in the transaction of what was done and travels with the
 * commit: both stand or neither does, and nobody waits for it.
 */
export type RecordAuditEntry = (doer: Doer, deed: AuditEntry, subject: Subject) => Promise<void>
