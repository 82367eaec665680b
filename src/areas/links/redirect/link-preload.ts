import { setTimeout as sleep } from 'node:timers/promises'
import type { KeptLink } from './link-store.ts'

export interface PreloadOptions {
  /** The links after this hash, in the order of hashes. */
  page(after: string): Promise<ReadonlyMap<string, KeptLink>>
  hasRoom(): boolean
  report(error: unknown): void
}

/** Reads links until all are in memory or no more have room; half of the time it leaves to others. */
export async function preload({ page, hasRoom, report }: PreloadOptions, signal: AbortSignal) {
  let last: string | undefined = ''
  while (last !== undefined && hasRoom() && !signal.aborted) {
    const begun = performance.now()
    const links: ReadonlyMap<string, KeptLink> = await page(last).catch((error) => {
      if (!signal.aborted) report(error)
      return new Map()
    })
    last = [...links.keys()].at(-1)
    await sleep(performance.now() - begun, undefined, { ref: false })
  }
}
