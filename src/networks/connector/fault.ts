import type { Network } from '../manifests.ts'

/** What went wrong with a call to a network, in terms that say what to do next; nothing outside a connector knows its codes. */
export type Fault =
  /** Trying again may help. On a call that cannot be repeated it means as well that nothing happened. */
  | { kind: 'retryable'; afterMs?: number }
  /** The access token was not accepted: a new one may be fetched, or only a person can give one. */
  | { kind: 'token'; remedy: 'refresh' | 'reconnect' }
  /** Not before `until`; the scope says who has to wait. */
  | { kind: 'throttled'; until: Date; scope: 'app' | 'actor' | 'endpoint' }
  /** The network says that it has this content already. */
  | { kind: 'duplicate'; of?: string }
  /** It may have taken effect: search before doing anything. */
  | { kind: 'unknownOutcome' }
  /** It will never work as it is. */
  | { kind: 'permanent'; why: PermanentReason; field?: string }

export type PermanentReason = 'input' | 'permission' | 'policy' | 'gone' | 'unsupported' | 'config'

/** What the network itself said, for the log and for support. */
export interface Remote {
  status?: number | undefined
  code?: string | undefined
  subcode?: string | undefined
  requestId?: string | undefined
}

/** A call to a network that did not succeed; the sentence may be shown to the user. */
export class NetworkError extends Error {
  override name = 'NetworkError'
  readonly network: Network
  readonly fault: Fault
  readonly remote: Remote

  constructor(network: Network, fault: Fault, message: string, remote: Remote = {}, cause?: unknown) {
    super(message, { cause })
    this.network = network
    this.fault = fault
    this.remote = remote
  }
}

/** For what a network has no way to do. */
export const unsupported = (network: Network, message: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'unsupported' }, message)

/** For content the network would refuse. */
export const badInput = (network: Network, message: string, field?: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'input', ...(field !== undefined && { field }) }, message)
