import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundLinks } from './link-lookup.ts'

export interface PreloadOptions {
  /** The links after this hash, in the order of hashes. */
  page(after: string): Promise<FoundLinks>
  hasRoom(): boolean
  report(error: unknown): void
}

/** Reads links until all are in memory or no more have room; half of the time it leaves to others. */
export async function preload({ page, hasRoom, report }: PreloadOptions, signal: AbortSignal) {
  let last: string | undefined = ''
  while (last !== undefined && hasRoom() && !signal.aborted) {
    const begun = performance.now()
    const found: FoundLinks | undefined = await page(last).catch((error) => {
      if (!signal.aborted) report(error)
      return undefined
    })
    last = found?.last
    await sleep(performance.now() - begun, undefined, { ref: false })
  }
}
