import type { Subject } from './audit-entry.ts'
import type { Via, Visitor } from './caller.ts'
import type { ChangeNotification } from './changes/change-notification.ts'
import type { Db } from './database/database.ts'
import type { Expected } from './etag.ts'
import type { CallerRole } from './permissions.ts'
import type { Keyring } from './secrets/keyring.ts'

/** What is worth a line in the log beside who called what. */
export type Remark = (facts: { readonly [name: string]: string | number }) => void

/**
 * Whose teams may see something: the ids of every campaign, board and workflow that it concerns. A user sees it who sees all of them;
 * with none, everybody in the account does.
 */
export type Scopes = readonly string[]

/** An event: something that happened in an account, as those hear of it who react. */
export interface Emitted<Data = unknown> {
  /** The same however often somebody hears of it. */
  readonly id: string
  readonly accountId: string
  readonly at: Date
  readonly type: string
  /** Null for an inner event: it is shown to nobody. */
  readonly scopes: Scopes | null
  readonly data: Data
}

/** By the network's name; nothing where the installation has no app there. */
export type AppOptions = (network: string) => { readonly [option: string]: string | undefined } | undefined

/** Does what follows from events of one type, in the transaction in which they happened. */
export type React = (context: Context, events: readonly Emitted[]) => Promise<void>

/** Limits that the operator has set, by the name of the quota. */
export type AccountLimits = { readonly [quota: string]: number }

/** Who asks, when, and the one database handle to answer with. Nothing outside is in reach: who has a transaction waits for nobody. */
export interface Context {
  readonly db: Db
  readonly accountId: string
  readonly userId: string
  readonly role: CallerRole
  /** How the caller proved who they are; nothing where the service itself acts, or anybody may ask. */
  readonly via?: Via | undefined
  /** Where the call came from; nothing where the service itself acts. */
  readonly visitor?: Visitor | undefined
  /** What the caller read before, if they said so; `requireUnchanged` compares it. */
  readonly expected?: Expected | undefined
  readonly now: Date
  /** Encrypts what must not lie open in the database. */
  readonly keyring: Keyring
  /** Limits that the operator has set; `limitOf` knows the others. */
  readonly accountLimits: AccountLimits
  /** The address of the service as others see it, without a slash at its end. */
  readonly publicUrl: string
  /** What short links start with, without a slash at its end. */
  readonly shortUrl: string
  /** By how much something may be late and still go out by itself, in milliseconds. */
  readonly lateness: number
  /** What the operator set for the app of this installation at a network, which itself is out of reach. */
  readonly appOptions: AppOptions
  /** Does what follows from an event; `emit` calls it and nobody else. */
  readonly react: React
  /** Tells every process, once the change is committed, that what it remembers of something is out of date. */
  readonly announce: (channel: string, payload: string) => Promise<void>
  /**
   * Tells the audit log what is changed, and of how many. What is said first stays. To be called where neither the address nor what
   * is given back names it.
   */
  readonly about: (subject: Subject) => void
  /** Tells browsers, once the change is committed, that something they may be looking at is another. */
  readonly notifyChange: (hint: ChangeNotification) => void
  /** Adds to what the log says of this call; ids and numbers only. */
  readonly remark: Remark
}
