import type { RawBuilder, Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Sends } from '#kernel/database/tables.ts'
import type { Actor, Connector } from '#networks/connector/connector.ts'
import type { Checkpoint, Found, Progress, Receipt, Step } from '#networks/connector/draft.ts'
import type { Network } from '#networks/manifests.ts'

type SendRow = Selectable<Sends>
export type SendState = SendRow['state']

/** Identifies a send within its account: the content, the profile and the kind. */
export type SendKey = Pick<SendRow, 'contentId' | 'credentialId' | 'kind'>

/** One operation that must take effect once on one profile. */
export interface Send
  extends SendKey,
    Pick<SendRow, 'accountId' | 'groupId' | 'planned' | 'attempts' | 'confirmations' | 'intent' | 'fence'> {
  network: Network
  state: SendState
  progress: Progress | null
}

/** A send in a final state. */
export interface EndedSend<Content = unknown> {
  send: Send
  content: Content
  outcome: { kind: 'sent'; receipt: Receipt } | { kind: 'failed' | 'unconfirmed'; error: string }
}

/** Everything needed to perform a send, with access to the profile. */
export interface SendTask<Content> {
  send: Send
  content: Content
  connector: Connector
  actor: Actor
}

/**
 * A kind of content that can be sent, implemented by the area that owns it. Sending guarantees that it takes effect at most once, and asks
 * a user if the result cannot be determined.
 */
export interface Sendable<Content = unknown> {
  readonly kind: string
  /** For error messages. */
  readonly noun: string
  /** Reads the contents of many sends, in their order; undefined where one was deleted. */
  readContents(db: Db, accountId: string, sends: readonly Send[]): Promise<(Content | undefined)[]>
  /**
   * A query for the contents that may be sent now: `content_id`, and `is_held` if they wait for approval or a paused group. Contents that
   * ended, or that a transaction is changing right now, are not in it. It runs inside the statement that records the intent.
   */
  allowedContents(accountId: string, contentIds: readonly string[]): RawBuilder<unknown>
  /** The reason why the content may never be sent; undefined while it only has to wait. */
  refusalReason(db: Db, send: Send): Promise<string | undefined>
  perform(task: SendTask<Content>, save: Checkpoint, progress?: Progress): Promise<Step>
  /** Asks the network whether a send whose response was lost took effect. */
  findSent(task: SendTask<Content>, since: Date, progress?: Progress): Promise<Found>
  /** Called in the transaction that ends sends, before the sends are locked: locks the contents. */
  lockContents(context: Context, ends: readonly EndedSend<Content>[]): Promise<LockedContents<Content>>
}

interface LockedContents<Content> {
  /** Applies the consequences of those sends that this process still held. */
  applyOutcomes(ended: readonly EndedSend<Content>[]): Promise<void>
}

/** The request that makes it visible may have been made; it can no longer be stopped. */
export const isInFlight = (state: SendState) => state === 'sending' || state === 'unknown'
/** No further change without a user's action. */
export const isFinal = (state: SendState) => state === 'sent' || state === 'failed' || state === 'unconfirmed'

export const sendKey = ({ contentId, credentialId, kind }: SendKey) => `${contentId} ${credentialId} ${kind}`
