import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmitter } from '../tests/support/emitter.ts'
import { account, type Installation, type InstallationOptions, openInstallation } from './installation.ts'
import { memoryOf } from './processes.ts'
import { close, listen, textOf } from './receivers.ts'

export interface IsolationOptions extends Pick<InstallationOptions, 'small' | 'opened'> {
  receivers: number
  /** Events per second; each is delivered to every receiver. */
  rate: number
  warmUpSeconds: number
  seconds: number
  log?: (line: string) => void
}

export interface IsolationReport {
  receivers: number
  hung: number
  healthyCalls: number
  /** Latency from event to receiver in milliseconds. */
  p50: number
  p99: number
  slowest: number
  /** Missing deliveries to healthy receivers. */
  missing: number
  mostSockets: number
  memoryBeforeMiB: number
  memoryAfterMiB: number
}

/** Half of the receivers never respond; measures the latency of the others. */
export async function webhookIsolation(options: IsolationOptions): Promise<IsolationReport> {
  const { receivers: count, rate, warmUpSeconds, seconds, small, opened, log = () => {} } = options
  const receiverPool = await openReceiverPool(count)
  const installation = await openInstallation({ small, opened })
  const worker = await installation.startWorker()
  const emitter = openEmitter(installation.databaseUrl, account)
  try {
    await subscribeAll(installation, receiverPool.ports)
    const emitFor = async (duration: number) => {
      const end = performance.now() + duration * 1000
      let emitted = 0
      for (; performance.now() < end; emitted++) {
        await emitter.emit('postSent', [{ Sent: Date.now() }])
        await sleep(1000 / rate)
      }
      return emitted
    }
    const healthy = count - receiverPool.hung
    await receiverPool.waitForRequests((await emitFor(warmUpSeconds)) * healthy)
    receiverPool.latencies.length = 0
    const memoryBefore = memoryOf(worker.child.pid)
    log('steady state begins')
    const expected = (await emitFor(seconds)) * healthy
    await receiverPool.waitForRequests(expected)
    const sorted = receiverPool.latencies.slice().sort((one, other) => one - other)
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
    return {
      receivers: count,
      hung: receiverPool.hung,
      healthyCalls: sorted.length,
      p50: at(0.5),
      p99: at(0.99),
      slowest: at(1),
      missing: expected - sorted.length,
      mostSockets: receiverPool.mostSockets(),
      memoryBeforeMiB: memoryBefore,
      memoryAfterMiB: memoryOf(worker.child.pid),
    }
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
    await emitter.close()
    await receiverPool.stop()
    await installation.stop()
  }
}

/** Every receiver has its own port and origin; every second one hangs. */
async function openReceiverPool(count: number) {
  const latencies: number[] = []
  const servers: Server[] = []
  let sockets = 0
  let most = 0
  for (let index = 0; index < count; index++) {
    const server = createServer(async (request, response) => {
      const { data } = JSON.parse(await textOf(request))
      if (index % 2 === 1) return
      latencies.push(Date.now() - data[0].Sent)
      response.end()
    })
    server.on('connection', (socket) => {
      most = Math.max(most, ++sockets)
      socket.once('close', () => sockets--)
    })
    await listen(server)
    servers.push(server)
  }
  return {
    ports: servers.map((server) => (server.address() as AddressInfo).port),
    hung: Math.floor(count / 2),
    latencies,
    mostSockets: () => most,
    /** Waits for this many requests, or until none has arrived for a long time. */
    async waitForRequests(calls: number) {
      let last = -1
      for (
        let idleRounds = 0;
        latencies.length < calls && idleRounds < 600;
        idleRounds = latencies.length === last ? idleRounds + 1 : 0
      ) {
        last = latencies.length
        await sleep(50)
      }
    },
    stop: async () => void (await Promise.all(servers.map(close))),
  }
}

async function subscribeAll({ admin }: Installation, ports: number[]) {
  for (const port of ports) {
    const body = { event: 'postSent', name: `Receiver ${port}`, url: `http://127.0.0.1:${port}/` }
    const { status, text } = await admin('POST /webhook', { body })
    if (status !== 200) throw new Error(text)
  }
}
