import type { Network } from '../state/rows.ts'

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
