import { type ChildProcess, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { createServer } from 'node:net'

const children: ChildProcess[] = []

interface Run {
  environment?: Record<string, string>
  /** Folder to run in; that of this process by default. */
  cwd?: string
}

interface Start extends Run {
  /** File for its output after startup. */
  log?: string
}

/** Starts a program, which is ended with the others. */
export function run(program: string, args: string[], { environment = {}, cwd }: Run = {}): ChildProcess {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

/** Starts a script of Node.js and waits for its output; returns the child and the first group of the pattern. */
export function start(args: string[], pattern: RegExp, { log, ...options }: Start = {}) {
  const child = run(process.execPath, args, options)
  const file = log ? openSync(log, 'w') : undefined
  let seen = ''
  return new Promise<{ child: ChildProcess; found: string }>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      if (file === undefined || seen.length < 10_000) seen += data
      const found = pattern.exec(seen)
      if (found) resolve({ child, found: found[1] ?? found[0] })
    })
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${seen}`)))
  })
}

/** Starts a script of the benchmarks. */
export const startScript = (script: string, args: string[], pattern: RegExp) =>
  start(['--import', 'tsx', script, ...args], pattern)

export async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}

export const endAll = () => Promise.all(children.map(end))

export const median = (values: number[]) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** A port that no program listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
