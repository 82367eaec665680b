import { setTimeout as sleep } from 'node:timers/promises'

/** Slows down whoever tries one key after the other; those who are known never wait. */
export interface WrongKeys {
  /** To be waited for before this address is told that its key is wrong. */
  hold(address: string): Promise<void>
}

/** From one address: so many in a window are mistakes, more of them are attempts. */
const mistakes = 50
const windowMs = 10_000
const holdMs = 1_000
const rememberedAddresses = 10_000

export function openWrongKeys(): WrongKeys {
  let counts = new Map<string, number>()
  let since = 0
  return {
    async hold(address) {
      if (performance.now() - since > windowMs || counts.size >= rememberedAddresses) {
        counts = new Map()
        since = performance.now()
      }
      const count = (counts.get(address) ?? 0) + 1
      counts.set(address, count)
      if (count > mistakes) await sleep(holdMs)
    },
  }
}
