import type { Network } from '../state/rows.ts'

/** How long a network works on media before it can be used, and whether that ends well. */
export class Processing {
  private readonly delays = new Map<Network, number>()
  private readonly failures = new Map<Network, string>()

  /** Pictures are ready at once and videos after a second, unless the control plane says otherwise. */
  delayMs(network: Network, mime: string): number {
    return this.delays.get(network) ?? (mime.startsWith('video/') ? 1000 : 0)
  }

  failure(network: Network): string | undefined {
    return this.failures.get(network)
  }

  set(network: Network, { delayMs, failure }: { delayMs?: number; failure?: string }) {
    if (delayMs === undefined) this.delays.delete(network)
    else this.delays.set(network, delayMs)
    if (failure === undefined) this.failures.delete(network)
    else this.failures.set(network, failure)
  }

  clear() {
    this.delays.clear()
    this.failures.clear()
  }
}
