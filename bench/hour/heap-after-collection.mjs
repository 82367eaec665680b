import { appendFileSync } from 'node:fs'
import process from 'node:process'

/** Loaded before the service: on a signal it collects garbage and appends what stays, as a line of JSON. */
process.on('SIGUSR2', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  const line = { at: Date.now(), pid: process.pid, bytes: heapUsed, external }
  appendFileSync(process.env.BENCH_HEAP_FILE, `${JSON.stringify(line)}\n`)
})
