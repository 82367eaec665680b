import type { Outbound } from '#kernel/outbound/outbound.ts'

/** A system of others that knows people and takes cases. */
export interface Crm {
  /** Proves that it can be reached and lets us in; gives what else has to be known of it later. */
  check(): Promise<Facts>
  readonly actions: { readonly [name: string]: CrmAction }
  /** Makes a case or changes it: the same key is the same case, however often it is saved. */
  saveCase(wanted: WantedCase): Promise<SavedCase>
}

export type Facts = { readonly [name: string]: string }

export type Payload = { readonly [name: string]: unknown }

/** Something that can be asked of it by name. */
export interface CrmAction {
  /** Of the payload, and whether a text or an object. */
  readonly needs: { readonly [name: string]: 'text' | 'object' }
  run(payload: Payload): Promise<ActionResult>
}

export interface ActionResult {
  /** As the other system gives it. */
  record: object
  /** Whom the record is of, where it is of a person. */
  person?: { id: string; email: string } | undefined
}

export interface WantedCase {
  key: string
  /** What it became before, if anything is known of that. */
  remoteId: string
  subject: string
  description: string
  owner: string
  contactId: string
}

export interface SavedCase {
  remoteId: string
  /** Where people find it. */
  url: string
}

/** A kind of such systems, and what has to be known to talk to one. */
export interface CrmType {
  readonly type: string
  readonly title: string
  /** By their names; those in `secrets` are never shown. */
  readonly settings: readonly string[]
  readonly secrets: readonly string[]
  /** Without which it cannot be talked to. */
  readonly required: readonly string[]
  /** What stands where nothing was given. */
  readonly standard: Facts
  open(connection: CrmConnection): Crm
}

export interface CrmConnection {
  outbound: Outbound
  /** The same as long as the settings are. */
  key: string
  settings: Facts
  secret: Facts
}

/** `signIn`: it does not let us in; `absent`: it has no such thing; `refused`: it will not; `later`: it may, another time. */
export type CrmFaultKind = 'signIn' | 'absent' | 'refused' | 'later'

/** What another system did not do; the sentence may be shown. */
export class CrmFault extends Error {
  override name = 'CrmFault'
  readonly kind: CrmFaultKind
  /** Seconds after which it may be asked again, where it says so. */
  readonly retryAfter: number | undefined

  constructor(
    kind: CrmFaultKind,
    message: string,
    { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.retryAfter = retryAfter
  }
}
