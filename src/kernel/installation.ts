import type { AppInspection } from './app-inspection.ts'
import type { RecordAuditEntry } from './audit-entry.ts'
import type { FeedNotifier } from './changes/change-feed.ts'
import type { Clock } from './clock.ts'
import type { AccountLimits, AppOptions, React } from './context.ts'
import type { Database } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import type { MediaInspector } from './media-inspector/media-inspector.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Keyring } from './secrets/keyring.ts'
import type { Spool } from './storage/spool.ts'
import type { Store } from './storage/store.ts'

/** File storage, uploads and media inspection. */
export interface Files {
  readonly store: Store
  readonly spool: Spool
  readonly inspector: MediaInspector
}

/** The resources of a running process, opened once at startup. */
export interface Installation {
  readonly database: Database
  /** Undefined in short-lived commands. */
  readonly listener: Listener | undefined
  /** Undefined in short-lived commands: there each change notifies the feeds itself. */
  readonly feedNotifier?: FeedNotifier | undefined
  readonly clock: Clock
  readonly keyring: Keyring
  readonly outbound: Outbound
  readonly files: Files
  /** Limits set by the operator; `limitOf` knows the defaults. */
  readonly accountLimits: AccountLimits
  /** Runs the event handlers of all areas. */
  readonly react: React
  /** Public URL of the service, without a trailing slash. */
  readonly publicUrl: () => string
  /** Prefix of short links, without a trailing slash. */
  readonly shortUrl: () => string
  /** Maximum delay, in milliseconds, up to which an overdue post is still published automatically. */
  readonly lateness: number
  /** Options set by the operator for its app at a network. */
  readonly appOptions: AppOptions
  /** Reports and checks the configuration of those apps; only processes that serve requests have it. */
  readonly apps?: AppInspection | undefined
  /** Writes an entry to the audit log. */
  readonly recordAuditEntry: RecordAuditEntry
}
