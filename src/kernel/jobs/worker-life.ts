import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from '../database/database.ts'
import type { Heartbeat } from '../database/heartbeat.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import { takeLease } from './lease.ts'
import { startRollCall } from './roll-call.ts'

/** The name this process takes jobs under, and the signal that ends whatever it runs under that name. */
export interface Life {
  readonly id: string
  readonly signal: AbortSignal
}

export interface Lives {
  /** None while the last lease is lost and the next one not yet taken: then nothing may be claimed. */
  current(): Life | undefined
  /** Calls back when another process lives no more. */
  onAbsence(hear: () => void): void
  /** To be called when everything done under the name has ended. */
  end(): Promise<void>
}

const beginAgainAfter = 1000

/** Keeps a lease. When one is lost, others have its jobs: what runs here is cut off, and a new life begins. */
export async function startLives(db: Db, url: string, clock: Clock, log: Log): Promise<Lives> {
  let life: (Life & { lease: Heartbeat }) | undefined
  let ended = false

  const begin = async () => {
    const id = newId('worker', clock.now())
    const lease = await takeLease(db, url, id)
    const abort = new AbortController()
    // Every call under way listens.
    setMaxListeners(0, abort.signal)
    life = { id, lease, signal: abort.signal }
    lease.lost.then(async () => {
      if (ended) return
      life = undefined
      abort.abort(new Error('Another process took the job over.'))
      log.warn({ worker: id }, 'the lease of this worker was lost')
      await lease.end()
      await beginAgain()
    })
  }
  const beginAgain = async () => {
    while (!ended && !life) {
      await begin().catch((error) => log.error({ err: error }, 'registering a worker failed'))
      if (!life) await sleep(beginAgainAfter)
    }
  }
  await begin()
  const rollCall = startRollCall(db, log)

  return {
    current: () => life,
    onAbsence: rollCall.onAbsence,
    async end() {
      ended = true
      rollCall.stop()
      if (!life) return
      await life.lease.end()
      await db.deleteFrom('jobWorkers').where('id', '=', life.id).execute()
    },
  }
}
