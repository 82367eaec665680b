import { Worker } from 'node:worker_threads'

/** Ends this process when it needs too much memory or when its parent is gone, even while a decoder keeps it busy. */
export function watchOver(maximumMemoryMb: number): void {
  const thread = new Worker(watch, { eval: true, execArgv: [], env: {}, workerData: maximumMemoryMb * 2 ** 20 })
  thread.unref()
}

// As text, as it needs no file of its own. The heap has its own limit; this one counts what decoders take beside it.
const watch = `
  const { workerData: maximum } = require('node:worker_threads')
  const parent = process.ppid
  setInterval(() => {
    if (process.memoryUsage.rss() > maximum || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  }, 25)
`
