import { type Network, networks } from '../state/rows.ts'

/** A fault applies to requests of one network, or of the CRM. */
export const faultTargets = [...networks, 'CRM'] as const
type FaultTarget = Network | 'CRM'

export const faultNames = [
  'lost-answer',
  'delay',
  'rate-limit',
  'server-error',
  'token-expired',
  'token-revoked',
  'duplicate',
  'not-ready',
  'answer',
] as const
export type FaultName = (typeof faultNames)[number]

/** Every API request is one of these operations; a fault can be limited to one. */
export const operations = [
  'authorize',
  'token',
  'profile',
  'upload',
  'status',
  'publish',
  'comment',
  'reply',
  'message',
  'like',
  'delete',
  'moderate',
  'posts',
  'inbox',
  'metrics',
  'subscribe',
  'crm',
] as const
export type Operation = (typeof operations)[number]

export interface Fault {
  network?: FaultTarget
  profile?: string
  operation?: Operation
  fault: FaultName
  count: number
  delayMs: number
  /** The custom response of an `answer` fault, for errors that have no fault name. */
  answer?: { status: number; headers: Record<string, string>; body: string }
  /** Whether the request takes effect before the custom response is sent. */
  afterEffect?: boolean
}

/** Planned faults, oldest first; each matching request uses up one count. */
export class Faults {
  private planned: Fault[] = []

  plan(fault: Fault) {
    this.planned.push(fault)
  }

  list(): Fault[] {
    return this.planned
  }

  take(network: FaultTarget, profile: string | undefined, operation: Operation): Fault | undefined {
    const fault = this.planned.find(
      (candidate) =>
        (candidate.network ?? network) === network &&
        (candidate.operation ?? operation) === operation &&
        (candidate.profile === undefined || candidate.profile === profile),
    )
    if (!fault) return undefined
    if (--fault.count <= 0) this.planned = this.planned.filter((other) => other !== fault)
    return fault
  }

  clear() {
    this.planned = []
  }
}

/** Media processing per network: its delay, an optional failure, and the delay until a published post gets its id. */
export class Processing {
  private readonly delays = new Map<Network, number>()
  private readonly failures = new Map<Network, string>()
  private readonly idDelays = new Map<Network, number>()

  /** Images are ready immediately and videos after a second, unless the control plane sets a delay. */
  delayMs(network: Network, mime: string): number {
    return this.delays.get(network) ?? (mime.startsWith('video/') ? 1000 : 0)
  }

  failure(network: Network): string | undefined {
    return this.failures.get(network)
  }

  /** TikTok reports the id of a post some time after reporting it as published. */
  idDelayMs(network: Network): number {
    return this.idDelays.get(network) ?? 5000
  }

  set(network: Network, { delayMs, failure, idDelayMs }: { delayMs?: number; failure?: string; idDelayMs?: number }) {
    if (delayMs === undefined) this.delays.delete(network)
    else this.delays.set(network, delayMs)
    if (failure === undefined) this.failures.delete(network)
    else this.failures.set(network, failure)
    if (idDelayMs === undefined) this.idDelays.delete(network)
    else this.idDelays.set(network, idDelayMs)
  }

  clear() {
    this.delays.clear()
    this.failures.clear()
    this.idDelays.clear()
  }
}
