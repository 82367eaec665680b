import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A process with its start time, because its id may be reused later. */
export interface ProcessIdentity {
  readonly pid: number
  readonly began: string
}

const unknown = 'unknown'

/** Undefined if no such process runs; a zombie process doesn't count as running. */
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

/** Program and arguments joined by spaces; undefined if the system doesn't provide them. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (platform === 'win32') return undefined
  if (platform !== 'linux') return ps(pid, 'command=')
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return text?.replace(/\0$/, '').replaceAll('\0', ' ')
}

/** Undefined if the system doesn't provide it. */
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
  // The program name in parentheses may contain anything, so fields are counted after it: state, …, start ticks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  // Ticks count from the boot of the machine, so they may repeat after a reboot.
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

const patience = 1_000
const pollMilliseconds = 15

/**
 * Ends the processes that a killed server left behind. Only the owner may call it, once no server runs: they hold the shared memory without
 * which no other server starts. Most of them exit by themselves; a busy or frozen one does not. Where the system doesn't list processes,
 * the start waits for them instead.
 */
export async function endLeftovers(cluster: string): Promise<void> {
  let left = await findLeftovers(cluster)
  const frozen = performance.now() + patience
  for (let signal: NodeJS.Signals = 'SIGQUIT'; left.length > 0; left = await stillRunning(left)) {
    for (const { pid } of left) send(pid, signal)
    if (performance.now() > frozen) signal = 'SIGKILL'
    if (performance.now() > frozen + patience) return
    await sleep(pollMilliseconds)
  }
}

async function findLeftovers(cluster: string): Promise<ProcessIdentity[]> {
  if (platform !== 'linux') return []
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => ((await serves(pid, cluster)) ? identifyProcess(pid) : undefined)),
  )
  return found.filter((identity) => identity !== undefined)
}

/** Every process of a server has its cluster as the working folder. */
async function serves(pid: number, cluster: string): Promise<boolean> {
  if ((await workingFolder(pid)) !== cluster) return false
  return (await commandLine(pid))?.includes('postgres') ?? false
}

async function stillRunning(processes: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const running = await Promise.all(processes.map(isRunning))
  return processes.filter((_, index) => running[index])
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended meanwhile.
  }
}

const attempts = 5
const claimedHere = new Set<string>()

/**
 * Makes this process the only owner of the folder and returns the function that releases it. Each claimant writes its own file and
 * withdraws if it then finds a live competitor, so two can never both win; claims of dead processes are ignored and removed.
 */
export async function claimOwnership(folder: string): Promise<() => Promise<void>> {
  if (claimedHere.has(folder)) throw new Error(`this process already runs the database in ${folder}`)
  claimedHere.add(folder)
  try {
    const claim = await writeClaim(folder)
    return once(async () => {
      claimedHere.delete(folder)
      await rm(claim, { force: true })
    })
  } catch (error) {
    claimedHere.delete(folder)
    throw error
  }
}

/** Another live process that has claimed the folder; claims of dead ones are removed. */
export async function findOwner(folder: string): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, began] = /^owner-(\d+)-(.+)$/.exec(name) ?? []
    if (!pid || !began || Number(pid) === process.pid) continue
    const owner = { pid: Number(pid), began }
    if (await isRunning(owner)) return owner
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

async function writeClaim(folder: string): Promise<string> {
  const self = await identifyProcess(process.pid)
  const claim = join(folder, `owner-${process.pid}-${self?.began}`)
  let rival: ProcessIdentity | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    rival = await findOwner(folder)
    if (!rival) {
      await writeFile(claim, '')
      rival = await findOwner(folder)
      if (!rival) return claim
      await rm(claim, { force: true })
    }
    // Two processes that start at the same moment both withdraw; the random delay lets one of them come first next time.
    await sleep(20 + Math.random() * 100)
  }
  throw new Error(`another Chorus (pid ${rival?.pid}) is using this data folder; stop it or set CHORUS_DATA_DIR`)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}
