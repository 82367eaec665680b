import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../settings/settings.ts'
import { answerForAll } from './metrics.ts'
import type { Service } from './service.ts'

/** Messages between the processes that share the port. */
export const portMessages = { open: 'port open', close: 'close port', closed: 'port closed' } as const

const restartDelay = 1_000
const closeGraceMs = 1_000
const stopTimeoutMs = 9_500

/** Runs several service processes behind one port. A process that dies is replaced. */
export async function startProcesses(
  { processes, host, port, tlsCert, sandboxPort }: Settings,
  databaseUrl: string,
): Promise<Service> {
  let isStopping = false
  const startProcess = () => cluster.fork({ CHORUS_DATABASE_URL: databaseUrl, CHORUS_SANDBOX_PORT: sandboxPort })
  cluster.on('exit', async (worker) => {
    if (isStopping) return
    process.stderr.write(`A process of the service (pid ${worker.process.pid}) ended; starting another.\n`)
    await sleep(restartDelay)
    if (!isStopping) startProcess()
  })
  answerForAll()
  await Promise.all(Array.from({ length: processes }, () => listening(startProcess())))

  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  const closePort = () => {
    isStopping = true
    for (const worker of workers()) worker.send(portMessages.close)
  }
  return {
    closePort,
    url: `${tlsCert ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async stop() {
      // All of them first: a client disconnected by one must not reconnect to another that is about to close.
      const closed = Promise.all(workers().map((worker) => received(worker, portMessages.closed)))
      closePort()
      await Promise.race([closed, sleep(closeGraceMs)])
      await Promise.all(workers().map(end))
    },
  }
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    received(worker, portMessages.open).then(resolve)
    worker.once('exit', (code) => reject(new Error(`A process of the service ended with code ${code} while starting.`)))
  })
}

function received(worker: Worker, text: string): Promise<void> {
  return new Promise((resolve) => worker.on('message', (message) => message === text && resolve()))
}

function end(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => worker.process.kill('SIGKILL'), stopTimeoutMs)
    worker.once('exit', () => {
      clearTimeout(cut)
      resolve()
    })
    worker.process.kill('SIGTERM')
  })
}
