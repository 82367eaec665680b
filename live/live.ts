import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '#kernel/clock.ts'
import { runLive } from './command.ts'

/** `npm run live -- <network>`, documented in docs/networks.md. */
const lines = createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]()
let interrupted = false
process.on('SIGINT', () => {
  // A second interrupt exits immediately.
  if (interrupted) process.exit(1)
  interrupted = true
  console.log('Stopping after this step; what was published is deleted first.')
})

const code = await runLive(process.argv.slice(2), {
  environment: process.env,
  clock: systemClock,
  print: (line) => console.log(line),
  readLine: async () => (await lines.next()).value as string | undefined,
  wait: (milliseconds) => setTimeout(milliseconds),
  stopped: () => interrupted,
})
process.exit(code)
