import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { platform } from 'node:process'
import { promisify } from 'node:util'

/** A process and the moment it began, because its id alone may later name another one. */
export interface ProcessIdentity {
  readonly pid: number
  readonly began: string
}

const unknown = 'unknown'

/** Undefined when no such process runs; one that has ended but is not yet reaped does not run. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!takesSignals(pid)) return undefined
  if (platform === 'linux') return identifyByProc(pid)
  if (platform === 'win32') return { pid, began: unknown }
  return identifyByPs(pid)
}

export async function isRunning(seen: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(seen.pid)
  return now !== undefined && (now.began === seen.began || now.began === unknown || seen.began === unknown)
}

/** Program and arguments joined by spaces; undefined where the system does not tell. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (platform === 'win32') return undefined
  if (platform !== 'linux') return ps(pid, 'command=')
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return text?.replace(/\0$/, '').replaceAll('\0', ' ')
}

/** Undefined where the system does not tell. */
export async function workingFolder(pid: number): Promise<string | undefined> {
  return platform === 'linux' ? readlink(`/proc/${pid}/cwd`).catch(() => undefined) : undefined
}

function takesSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function identifyByProc(pid: number): Promise<ProcessIdentity | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return { pid, began: unknown }
  // The program name in parentheses may hold anything, so fields are counted from behind it: state, …, start ticks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  // Ticks count from the boot of the machine, and so repeat after the next one.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return { pid, began: `${fields[19]}-${boot.slice(0, 8)}` }
}

async function identifyByPs(pid: number): Promise<ProcessIdentity | undefined> {
  const text = await ps(pid, 'stat=,lstart=')
  if (text === undefined) return { pid, began: unknown }
  const [state = '', ...began] = text.split(/\s+/)
  return state.startsWith('Z') ? undefined : { pid, began: began.join('').replaceAll(':', '') }
}

async function ps(pid: number, columns: string): Promise<string | undefined> {
  const args = ['-ww', '-o', columns, '-p', String(pid)]
  const run = promisify(execFile)('ps', args, { env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } })
  return run.then((result) => result.stdout.trim()).catch(() => undefined)
}
