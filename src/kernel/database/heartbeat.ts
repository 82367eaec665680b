import { Worker } from 'node:worker_threads'

export interface Heartbeat {
  /** Resolves when a beat changed no row. */
  readonly lost: Promise<void>
  end(): Promise<void>
}

interface Beat {
  url: string
  /** The statement of each beat; it must change a row. */
  text: string
  values: readonly unknown[]
  /** Milliseconds between beats. */
  every: number
  /**
   * Milliseconds after which the connection to a silent server is dropped, since a frozen server reports nothing; long enough not to drop a
   * slow one.
   */
  patience?: number
}

/** Repeats a statement from a worker thread, however busy the event loop is. */
export function startHeartbeat(beat: Beat): Heartbeat {
  thread ??= startThread()
  return thread.start(beat)
}

/** One thread for all heartbeats of this process: starting it takes longer than all of its work. */
let thread: ReturnType<typeof startThread> | undefined

interface Listener {
  lost(): void
  ended(): void
}

function startThread() {
  const worker = new Worker(new URL('./heartbeat-thread.mjs', import.meta.url))
  const listeners = new Map<number, Listener>()
  let last = 0

  worker.on('message', ({ lost, ended }: { lost?: number; ended?: number }) => {
    if (lost !== undefined) listeners.get(lost)?.lost()
    if (ended !== undefined) listeners.get(ended)?.ended()
  })
  // Without the thread all heartbeats stop; the next heartbeat starts a new one.
  const gone = () => {
    if (thread === own) thread = undefined
    for (const listener of listeners.values()) {
      listener.lost()
      listener.ended()
    }
  }
  worker.once('error', gone)
  worker.once('exit', gone)

  const own = {
    start(beat: Beat): Heartbeat {
      const id = ++last
      const listener: Listener = { lost: () => {}, ended: () => {} }
      const notified = (what: keyof Listener) =>
        new Promise<void>((resolve) => {
          listener[what] = resolve
        })
      const [lost, ended] = [notified('lost'), notified('ended')]
      listeners.set(id, listener)
      worker.ref()
      worker.postMessage({ start: { id, beat } })
      return {
        lost,
        async end() {
          worker.postMessage({ end: id })
          await ended
          listeners.delete(id)
          // Lets an otherwise idle process exit.
          if (listeners.size === 0) worker.unref()
        },
      }
    },
  }
  return own
}
