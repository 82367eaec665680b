import { systemClock } from '../clock.ts'
import { openDatabase } from '../database/database.ts'
import { openListener } from '../database/listener.ts'
import { openLog } from '../log.ts'
import { job } from './job.ts'
import { startWorker } from './worker.ts'

/** A process that takes the job and never ends it: the tests kill it. */
const url = process.argv[2] as string
const hanging = job<{ name: string }>('deed', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: () => {
    process.stdout.write('running\n')
    return new Promise(() => {})
  },
})
await startWorker({
  database: openDatabase({ url, connections: 3 }),
  url,
  listener: await openListener(url),
  clock: systemClock,
  log: openLog('silent'),
  jobs: [hanging],
  recurring: [],
})
