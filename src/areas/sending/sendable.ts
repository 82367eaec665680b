import type { RawBuilder, Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Sends } from '#kernel/database/tables.ts'
import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import type { Checkpoint, Found, Progress, Receipt, Step } from '#networks/connector/draft.ts'
import type { Network } from '#networks/manifests.ts'

type SendRow = Selectable<Sends>
export type SendState = SendRow['state']

/** Which send: what it is of, at which profile, and of what kind. */
export type SendKey = Pick<SendRow, 'contentId' | 'credentialId' | 'kind'>

/** One thing to be done once at one profile, as far as sending knows it. */
export interface Send
  extends SendKey,
    Pick<SendRow, 'accountId' | 'groupId' | 'planned' | 'attempts' | 'searches' | 'intent' | 'fence'> {
  network: Network
  state: SendState
  progress: Progress | null
}

/** A send that nothing more happens to by itself. */
export interface Ended<Content = unknown> {
  send: Send
  content: Content
  outcome: { kind: 'sent'; receipt: Receipt } | { kind: 'failed' | 'unconfirmed'; error: string }
}

/**
 * What must take effect at a network once. The area that owns the content declares it; sending sees to it that it happens, that it
 * happens once, and that a person hears of it where nobody can tell.
 */
export interface Sendable<Content = unknown> {
  readonly kind: string
  /** What people call it. */
  readonly noun: string
  /** What is to be sent, read together for many sends, in their order; nothing where it is gone. */
  read(db: Db, accountId: string, sends: readonly Send[]): Promise<(Content | undefined)[]>
  /**
   * A query for which of these contents may go out: their `content_id`, and whether they are held until somebody lets them go on
   * (`is_held`). What ended, and what somebody is deciding on at this moment, is not among them. Part of the statement that writes the intent.
   */
  allowance(accountId: string, contentIds: readonly string[]): RawBuilder<unknown>
  /** Why it may never go out any more; nothing while it only has to wait. */
  refusal(db: Db, send: Send): Promise<string | undefined>
  perform(order: Order<Content>, save: Checkpoint, progress?: Progress): Promise<Step>
  /** Looks for one whose answer got lost. */
  find(order: Order<Content>, since: Date, progress?: Progress): Promise<Found>
  /** In the transaction that ends sends: holds what they are of, before the sends themselves are held. */
  end(context: Context, ends: readonly Ended<Content>[]): Promise<Ending<Content>>
}

export interface Ending<Content> {
  /** Does what follows from those that stand. */
  follow(kept: readonly Ended<Content>[]): Promise<void>
}

/** What is to be done, and in whose name. */
export interface Order<Content> {
  send: Send
  content: Content
  connector: Connector
  actor: Actor
}

/** The call that makes it visible may be out; nobody can stop it any more. */
export const isUnderWay = (state: SendState) => state === 'sending' || state === 'unknown'
/** Nothing more will happen by itself. */
export const isOver = (state: SendState) => state === 'sent' || state === 'failed' || state === 'unconfirmed'

export const keyOf = ({ contentId, credentialId, kind }: SendKey) => `${contentId} ${credentialId} ${kind}`
