import { Worker } from 'node:worker_threads'

export interface Heartbeat {
  /** Resolves when a beat found nothing to keep alive any more. */
  readonly lost: Promise<void>
  end(): Promise<void>
}

interface Beat {
  url: string
  /** The statement of each beat; it must change a row. */
  text: string
  values: readonly unknown[]
  /** Milliseconds from one beat to the next. */
  every: number
  /** Milliseconds after which a silent server is left, for a frozen one never says that it is; long, so that a slow one is not. */
  patience?: number
}

/** Repeats a statement from a thread of its own, however busy this one is. */
export function startHeartbeat(beat: Beat): Heartbeat {
  const thread = new Worker(new URL('./heartbeat-thread.mjs', import.meta.url), { workerData: beat })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const lost = new Promise<void>((resolve) => {
    thread.once('message', () => resolve())
    thread.once('error', () => resolve())
  })
  return {
    lost,
    async end() {
      thread.postMessage('end')
      await ended
    },
  }
}
