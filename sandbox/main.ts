import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startSimulatedVisitors } from './behaviour/simulated-users.ts'
import { sandboxServer } from './http/server.ts'
import { tellHistory } from './state/history.ts'
import { seed } from './state/profiles.ts'
import { World } from './state/state.ts'

interface SandboxOptions {
  port?: number
  host?: string
  token?: string
  /** Without it everything is forgotten at the end. */
  dataFolder?: string
  clock?: { now(): Date }
  /** Multiplies every rate limit, for runs that are not about them. */
  limitFactor?: number
  /** How long every call takes, in milliseconds, half of it before its effect and half after. */
  latency?: [from: number, to: number]
  /** Begins with what the first profiles posted, and what was said about them, in the days before. */
  history?: boolean
  /** Every so many milliseconds somebody outside does something to a profile; nobody does unless told. */
  passersBy?: number
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
    passersBy,
  } = options
  const now = () => (clock ? clock.now().getTime() : Date.now())
  const world = new World({ now, limitFactor, latency, ...(dataFolder === undefined ? {} : { dataFolder }) })
  if (seed(world) && history) tellHistory(world)
  const server = sandboxServer(world, token, host)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken by another program.`) : error),
    )
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const passing = passersBy === undefined ? undefined : startSimulatedVisitors(world, passersBy)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      passing?.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      world.close()
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
      'passers-by': { type: 'string' },
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
    ...(values['passers-by'] === undefined ? {} : { passersBy: Number(values['passers-by']) * 1000 }),
  })
  process.stdout.write(`Sandbox networks on ${sandbox.url}\n`)
  // Started by another program, it ends with it, however that ends.
  process.once('disconnect', () => void sandbox.close().then(() => process.exit()))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.close().then(() => process.exit()))
}

function range(text: string): [from: number, to: number] {
  const [from = 0, to = from] = text.split('-').map(Number)
  return [from, to]
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) void run()
