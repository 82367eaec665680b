import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../tests/support/files.ts'
import { systemClock } from '../clock.ts'
import { openListener } from '../database/listener.ts'
import { openLog } from '../log.ts'
import { openOutbound } from '../outbound/outbound.ts'
import { newKeyring, readKeyring } from '../secrets/keyring.ts'
import { job } from './job.ts'
import { registerWorker } from './lease.ts'
import { startWorker } from './worker.ts'

/** A process that claims the job and never completes it: the tests kill it. */
const url = process.argv[2] as string
const hanging = job<{ name: string }>('tests.write-effect', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: () => {
    process.stdout.write('running\n')
    return new Promise(() => {})
  },
})
const database = openPatientDatabase({ url, connections: 3 })
const log = openLog('silent')
await startWorker({
  database,
  registration: await registerWorker(database.shared, url, systemClock, log),
  listener: await openListener(url),
  clock: systemClock,
  keyring: readKeyring(newKeyring()),
  outbound: openOutbound({ allow: [] }),
  ...elsewhere,
  log,
  jobs: [hanging],
  recurring: [],
})
