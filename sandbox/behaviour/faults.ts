import { type Network, networks } from '../state/rows.ts'

/** Whose calls a fault can wait for: a network's, or those of the CRM. */
export const faultPlaces = [...networks, 'CRM'] as const
type FaultPlace = Network | 'CRM'

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

/** Every call of a network's API is one of these; a fault can wait for one of them. */
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
  network?: FaultPlace
  profile?: string
  operation?: Operation
  fault: FaultName
  count: number
  delayMs: number
  /** What a fault `answer` says, for refusals that have no name here. */
  answer?: { status: number; headers: Record<string, string>; body: string }
  /** Whether the call takes effect before that. */
  afterEffect?: boolean
}

/** What shall go wrong, oldest order first; each fault is used up by the calls it meets. */
export class Faults {
  private planned: Fault[] = []

  plan(fault: Fault) {
    this.planned.push(fault)
  }

  list(): Fault[] {
    return this.planned
  }

  take(network: FaultPlace, profile: string | undefined, operation: Operation): Fault | undefined {
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

/** How long a network works on media before it can be used, whether that ends well, and how long after that it names the post. */
export class Processing {
  private readonly delays = new Map<Network, number>()
  private readonly failures = new Map<Network, string>()
  private readonly idDelays = new Map<Network, number>()

  /** Pictures are ready at once and videos after a second, unless the control plane says otherwise. */
  delayMs(network: Network, mime: string): number {
    return this.delays.get(network) ?? (mime.startsWith('video/') ? 1000 : 0)
  }

  failure(network: Network): string | undefined {
    return this.failures.get(network)
  }

  /** TikTok tells the id of a published post some time after it calls it published. */
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
