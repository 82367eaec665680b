import type { AppInspection } from './app-inspection.ts'
import type { RecordAuditEntry } from './audit-entry.ts'
import type { Clock } from './clock.ts'
import type { AccountLimits, AppOptions, React } from './context.ts'
import type { Database } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import type { Files } from './files.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Keyring } from './secrets/keyring.ts'

/** What one running process works with, opened once when it starts. */
export interface Installation {
  readonly database: Database
  /** A command that ends anyway has none. */
  readonly listener: Listener | undefined
  readonly clock: Clock
  readonly keyring: Keyring
  readonly outbound: Outbound
  readonly files: Files
  /** Limits that the operator has set; `limitOf` knows the others. */
  readonly accountLimits: AccountLimits
  /** What areas do when others tell that something happened. */
  readonly react: React
  /** The address of the service as others see it, without a slash at its end. */
  readonly publicUrl: () => string
  /** What short links start with, without a slash at its end. */
  readonly shortUrl: () => string
  /** By how much something may be late and still go out by itself, in milliseconds. */
  readonly lateness: number
  /** What the operator set for its app at a network. */
  readonly appOptions: AppOptions
  /** Tells how those apps are set up, and checks them; only a process that answers requests has it. */
  readonly apps?: AppInspection | undefined
  /** Writes down for the audit log who changed what. */
  readonly recordAuditEntry: RecordAuditEntry
}
