import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './service.ts'
import type { Settings } from './settings.ts'
import { answerForAll } from './shared-metrics.ts'

const restartDelay = 1_000
const patience = 9_500

/** Several processes of the service behind one port. One that dies is replaced. */
export async function startProcesses(
  { processes, host, port, tlsCert }: Settings,
  databaseUrl: string,
): Promise<Service> {
  let stopping = false
  const fork = () => cluster.fork({ CHORUS_DATABASE_URL: databaseUrl })
  cluster.on('exit', async (worker) => {
    if (stopping) return
    process.stderr.write(`A process of the service (pid ${worker.process.pid}) ended; starting another.\n`)
    await sleep(restartDelay)
    if (!stopping) fork()
  })
  answerForAll()
  await Promise.all(Array.from({ length: processes }, () => listening(fork())))

  return {
    url: `${tlsCert ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async stop() {
      stopping = true
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      await Promise.all(workers.map(end))
    },
  }
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message) => message === 'listening' && resolve())
    worker.once('exit', (code) => reject(new Error(`A process of the service ended with code ${code} while starting.`)))
  })
}

function end(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => worker.process.kill('SIGKILL'), patience)
    worker.once('exit', () => {
      clearTimeout(cut)
      resolve()
    })
    worker.process.kill('SIGTERM')
  })
}
