import { contentProblems } from '#networks/content/content-check.ts'
import type { Network } from '#networks/manifests.ts'

/** What messages are made of. */
export interface Source {
  /** The same source with the same seed gives the same texts. */
  seed: string
  title: string
  /** All that may be said: nothing is added to it. */
  text: string
  /** Where the story leads; empty for one that shares a post again, which carries its own. */
  link: string
  network: Network
  /** How many are wanted at most. */
  count: number
}

/** Makes texts that advocates can share, each another. What it gives is checked like anybody's. */
export interface Generator {
  generate(source: Source, signal?: AbortSignal): Promise<string[]>
}

/** Those that the network takes, each once, no more than are wanted. */
export function usable({ network, count }: Source, texts: readonly string[]): string[] {
  const kept = new Map<string, string>()
  for (const text of texts) {
    if (kept.size >= count) break
    const clean = text.trim()
    const key = clean.toLowerCase()
    if (clean === '' || kept.has(key) || contentProblems(network, { text: clean, media: [] }).length > 0) continue
    kept.set(key, clean)
  }
  return [...kept.values()]
}
