import { setTimeout as sleep } from 'node:timers/promises'
import { openSends } from './judge.ts'
import type { Stage } from './stage.ts'

/** Waits until every send is at its end; gives how many are not when nothing has moved for a long time. */
export async function settled(stage: Stage, say: (line: string) => void, patience = 120): Promise<number> {
  let before = Number.POSITIVE_INFINITY
  for (let quiet = 0; quiet < patience; quiet++) {
    const open = await openSends(stage)
    if (open === 0) return 0
    if (open < before) quiet = 0
    before = Math.min(before, open)
    if (quiet % 4 === 0) say(`${open} sends open`)
    await sleep(250)
  }
  return before
}

/** The middle, the hundredth and the last of what was measured. */
export function spread(values: readonly number[]) {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { measured: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}
