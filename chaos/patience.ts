import { setTimeout as sleep } from 'node:timers/promises'

const most = 120_000

/** Does what the harness itself needs while the servers it asks are being killed: again and again, for a while. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const begun = performance.now(); ; await sleep(250)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() - begun > most) throw error
    }
  }
}
