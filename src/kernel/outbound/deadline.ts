import { OutboundFailure } from './failure.ts'

export interface Deadline {
  signal: AbortSignal
  /** Ends the exchange for another reason, such as the service shutting down. */
  abort(reason: OutboundFailure): void
  /** Waits for something that cannot be given up itself. */
  race<Value>(promise: Promise<Value>): Promise<Value>
  clear(): void
}

/** One clock for a whole exchange: names, waiting, connecting, and every byte of the answer. */
export function startDeadline(milliseconds: number, host: string, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const late = () => controller.abort(new OutboundFailure('timeout', tooLate(host, milliseconds)))
  const giveUp = () => controller.abort(new OutboundFailure('aborted', `The call to ${host} was given up.`))
  const timer = setTimeout(late, milliseconds)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })
  return {
    signal,
    abort: (reason) => controller.abort(reason),
    race: (promise) => raceSignal(promise, signal),
    clear() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
    },
  }
}

const tooLate = (host: string, milliseconds: number) =>
  `${host} did not answer completely within ${milliseconds / 1_000} seconds.`

function raceSignal<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
