import { readFileSync } from 'node:fs'

/** The milliseconds for which this thread has had a processor: other work on the machine does not count. Elsewhere than on Linux it does. */
export function processorTime(): number {
  if (process.platform !== 'linux') return performance.now()
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
