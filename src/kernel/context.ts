import type { Subject } from './audit-entry.ts'
import type { Via, Visitor } from './caller.ts'
import type { ChangeNotification } from './changes/change-notification.ts'
import type { Db } from './database/database.ts'
import type { Expected } from './etag.ts'
import type { CallerRole } from './permissions.ts'
import type { Keyring } from './secrets/keyring.ts'

/** Adds fields to the log line of a call. */
export type Remark = (facts: { readonly [name: string]: string | number }) => void

/**
 * Ids of all campaigns, boards and workflows that an object concerns. A user sees the object if they see all of them; if there are none,
 * everyone in the account does.
 */
export type Scopes = readonly string[]

/** An event in an account, as event handlers receive it. */
export interface Emitted<Data = unknown> {
  /** Stable across redeliveries. */
  readonly id: string
  readonly accountId: string
  readonly at: Date
  readonly type: string
  /** Null for an internal event, which is visible to no user. */
  readonly scopes: Scopes | null
  readonly data: Data
}

/** By network name; undefined if the installation has no app there. */
export type AppOptions = (network: string) => { readonly [option: string]: string | undefined } | undefined

/** Handles events of one type in the transaction in which they happened. */
export type React = (context: Context, events: readonly Emitted[]) => Promise<void>

/** Limits set by the operator, by quota name. */
export type AccountLimits = { readonly [quota: string]: number }

/**
 * Caller, time and the single database handle. It gives no access to external I/O, so a transaction never waits for an external service.
 */
export interface Context {
  readonly db: Db
  readonly accountId: string
  readonly userId: string
  readonly role: CallerRole
  /** How the caller authenticated; undefined if the service itself acts or the endpoint is public. */
  readonly via?: Via | undefined
  /** Origin of the call; undefined if the service itself acts. */
  readonly visitor?: Visitor | undefined
  /** The caller's If-Match condition, if any; checked by `requireUnchanged`. */
  readonly expected?: Expected | undefined
  readonly now: Date
  /** Above 1 if the transaction is being retried: then nothing may be assumed. */
  readonly attempt: number
  /** Encrypts values that must not be stored in plain text. */
  readonly keyring: Keyring
  /** Limits set by the operator; `limitOf` knows the defaults. */
  readonly accountLimits: AccountLimits
  /** Public URL of the service, without a trailing slash. */
  readonly publicUrl: string
  /** Prefix of short links, without a trailing slash. */
  readonly shortUrl: string
  /** Maximum delay, in milliseconds, up to which an overdue post is still published automatically. */
  readonly lateness: number
  /** Options set by the operator for the installation's app at a network. The network itself can't be reached from here. */
  readonly appOptions: AppOptions
  /** Runs the handlers of an event; called by `emit` only. */
  readonly react: React
  /** Invalidates a cache in every process once the change is committed. */
  readonly announce: (channel: string, payload: string) => Promise<void>
  /**
   * Sets the object and count of the audit entry; the first call wins. Needed if neither the URL nor the returned value identifies the
   * object.
   */
  readonly about: (subject: Subject) => void
  /** Notifies browsers, once the change is committed, that displayed data has changed. */
  readonly notifyChange: (notification: ChangeNotification) => void
  /** Adds to the log line of this call; ids and numbers only. */
  readonly remark: Remark
}
