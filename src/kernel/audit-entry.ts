import type { Via, Visitor } from './caller.ts'
import type { Db } from './database/database.ts'

/** An action as recorded in the audit log. It holds names only, never submitted values. */
export interface AuditEntry {
  /** As the API or the CLI writes it: `POST /team/{id}`, `user role`. */
  readonly operation: string
  /** Names of the submitted parameters. */
  readonly fields: readonly string[]
}

/** The object of an audited action. */
export interface Subject {
  readonly id?: string | undefined
  /** Number of objects, for bulk actions. */
  readonly count?: number | undefined
}

/** Actor, time and origin of an action. */
interface Doer {
  readonly db: Db
  readonly accountId: string
  readonly userId: string
  /** Without it the audit entry can't be written, and the change fails as well. */
  readonly via?: Via | undefined
  readonly visitor?: Visitor | undefined
  readonly now: Date
}

/**
 * Writes an audit entry; the owner of the audit log provides it. It is the last statement of the change's transaction and is sent with the
 * commit: both are committed or neither is, without an extra round trip.
 */
export type RecordAuditEntry = (doer: Doer, entry: AuditEntry, subject: Subject) => Promise<void>
