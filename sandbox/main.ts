import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startSimulatedVisitors } from './behaviour/simulated-users.ts'
import { sandboxServer } from './http/server.ts'
import { seedHistory } from './state/history.ts'
import { seed } from './state/profiles.ts'
import { SandboxState } from './state/state.ts'

interface SandboxOptions {
  port?: number
  host?: string
  token?: string
  /** Everything is kept in memory only if unset. */
  dataFolder?: string
  clock?: { now(): Date }
  /** Multiplies every rate limit. */
  limitFactor?: number
  /** Duration of every request in milliseconds, half before its effect and half after. */
  latency?: [from: number, to: number]
  /** Seeds posts and mentions of the last days. */
  history?: boolean
  /** Interval of simulated visitor actions in milliseconds; none if unset. */
  visitorIntervalMs?: number
}

/** Starts the six networks on one port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<{ url: string; close(): Promise<void> }> {
  const {
    port = 0,
    host = '127.0.0.1',
    token = 'sandbox',
    dataFolder,
    clock,
    limitFactor = 1,
    latency = [0, 0],
    history = false,
    visitorIntervalMs,
  } = options
  const now = () => (clock ? clock.now().getTime() : Date.now())
  const state = new SandboxState({ now, limitFactor, latency, ...(dataFolder === undefined ? {} : { dataFolder }) })
  if (seed(state) && history) seedHistory(state)
  const server = sandboxServer(state, token, host)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken by another program.`) : error),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const visitors = visitorIntervalMs === undefined ? undefined : startSimulatedVisitors(state, visitorIntervalMs)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      visitors?.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      state.close()
    },
  }
}

async function run() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4001' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'limit-factor': { type: 'string', default: '1' },
      latency: { type: 'string', default: '0-0' },
      history: { type: 'boolean', default: false },
      visitors: { type: 'string' },
    },
  })
  const sandbox = await startSandbox({
    port: Number(values.port),
    host: values.host,
    token: process.env.CHORUS_SANDBOX_TOKEN ?? 'sandbox',
    limitFactor: Number(values['limit-factor']),
    latency: range(values.latency),
    history: values.history,
    ...(values.data === undefined ? {} : { dataFolder: values.data }),
    ...(values.visitors === undefined ? {} : { visitorIntervalMs: Number(values.visitors) * 1000 }),
  })
  process.stdout.write(`Sandbox networks on ${sandbox.url}\n`)
  // When started by another program, exit with it.
  process.once('disconnect', () => void sandbox.close().then(() => process.exit()))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.close().then(() => process.exit()))
}

function range(text: string): [from: number, to: number] {
  const [from = 0, to = from] = text.split('-').map(Number)
  return [from, to]
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) void run()
