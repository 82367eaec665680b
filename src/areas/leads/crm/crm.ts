import type { Outbound } from '#kernel/outbound/outbound.ts'

/** An external system with people and cases. */
export interface Crm {
  /** Checks the connection and credentials; returns details needed later. */
  check(): Promise<Facts>
  readonly actions: { readonly [name: string]: CrmAction }
  /** Creates or updates a case: idempotent by its key. */
  saveCase(requested: CaseRequest): Promise<SavedCase>
}

export type Facts = { readonly [name: string]: string }

export type Payload = { readonly [name: string]: unknown }

/** A named operation of the system. */
export interface CrmAction {
  /** Payload fields and whether they are texts or objects. */
  readonly needs: { readonly [name: string]: 'text' | 'object' }
  run(payload: Payload): Promise<ActionResult>
}

export interface ActionResult {
  /** As returned by the external system. */
  record: object
  /** The person the record belongs to, if any. */
  person?: { id: string; email: string } | undefined
}

export interface CaseRequest {
  key: string
  /** Id of the existing record, if known. */
  remoteId: string
  subject: string
  description: string
  owner: string
  contactId: string
}

export interface SavedCase {
  remoteId: string
  /** URL for people. */
  url: string
}

/** A type of external system with the settings to connect to it. */
export interface CrmType {
  readonly type: string
  readonly title: string
  /** Names; those in `secrets` are never returned. */
  readonly settings: readonly string[]
  readonly secrets: readonly string[]
  /** Required to connect. */
  readonly required: readonly string[]
  /** Defaults. */
  readonly standard: Facts
  open(connection: CrmConnection): Crm
}

export interface CrmConnection {
  outbound: Outbound
  /** Stable while the settings are unchanged. */
  key: string
  settings: Facts
  secret: Facts
}

/** `signIn`: credentials rejected; `absent`: not found; `refused`: rejected; `later`: temporary. */
export type CrmFaultKind = 'signIn' | 'absent' | 'refused' | 'later'

/** A failed request to an external system; the message can be shown to users. */
export class CrmFault extends Error {
  override name = 'CrmFault'
  readonly kind: CrmFaultKind
  /** Seconds until a retry, if reported. */
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
