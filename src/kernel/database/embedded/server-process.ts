import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Cluster, clusterUrl, type Settings, serverCommand, socketFolder } from './cluster.ts'
import {
  commandLine,
  endLeftovers,
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  workingFolder,
} from './process-identity.ts'
import { runAs } from './system-user.ts'

export interface ServerProcess {
  readonly identity: ProcessIdentity
  readonly port: number
  /** Resolves with a description when the process has exited for any reason. */
  readonly ended: Promise<string>
}

export interface LaunchOptions {
  readonly port?: number
  readonly settings?: Settings
  /** Aborts the attempt. */
  readonly signal?: AbortSignal
}

const attempts = 20
const pauseMilliseconds = 250

/** Starts a server on a cluster without one, and resolves when it accepts queries. */
export async function launchServer(
  cluster: Cluster,
  options: LaunchOptions,
  report: (line: string) => void,
): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt++) {
    await endLeftovers(cluster.folder)
    const port = options.port ?? (await findFreePort())
    const log = await openLog(cluster.log)
    const logBegin = await logSize(cluster.log)
    try {
      return await launchOnce(cluster, port, options, log.fd, report)
    } catch (error) {
      const tail = await logTail(cluster.log, logBegin)
      if (attempt === attempts || options.signal?.aborted || !mayPass(tail, options.port)) {
        throw new Error(`${(error as Error).message}\nthe end of ${cluster.log}:\n${tail}`, { cause: error })
      }
      await sleep(pauseMilliseconds)
    } finally {
      await log.close()
    }
  }
}

async function findFreePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

async function launchOnce(
  cluster: Cluster,
  port: number,
  { settings = {}, signal }: LaunchOptions,
  log: number,
  report: (line: string) => void,
): Promise<ServerProcess> {
  const [program, args] = serverCommand(cluster, port, settings)
  // In its own session, so that Ctrl-C at the terminal does not end the server before we have closed our connections.
  const child = spawn(program, args, {
    ...runAs(cluster.user, dirname(cluster.folder)),
    detached: true,
    stdio: ['ignore', log, log],
  })
  const ended = describeEnd(child)
  const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid)
  if (!identity) throw new Error(await ended)
  try {
    await awaitReady(cluster, identity, port, report, signal)
  } catch (error) {
    await stopServer(cluster, identity)
    throw error
  }
  child.unref()
  return { identity, port, ended }
}

function describeEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`PostgreSQL cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(`PostgreSQL ended by ${signal ?? `itself with code ${code}`}`))
  })
}

/** Another process took the free port first, or processes of a crashed server are still exiting. */
function mayPass(log: string, fixedPort: number | undefined): boolean {
  return log.includes('pre-existing shared memory block') || (!fixedPort && log.includes('could not bind'))
}

const pollMilliseconds = 15

/** Fast shutdown first, then immediate, which the next start recovers from, then SIGKILL. */
const steps = [
  { signal: 'SIGINT', seconds: 8 },
  { signal: 'SIGQUIT', seconds: 8 },
  { signal: 'SIGKILL', seconds: 5 },
] as const

/** Resolves when the server has stopped; immediately if it isn't running. */
export async function stopServer(cluster: Cluster, server: ProcessIdentity): Promise<void> {
  if (process.platform === 'win32') return stopByPgCtl(cluster)
  for (const { signal, seconds } of steps) {
    if (!(await isRunning(server))) return
    sendSignal(server.pid, signal)
    if (await endsWithin(server, seconds)) return
  }
  throw new Error(`PostgreSQL (pid ${server.pid}) does not end; end it by hand before the next start`)
}

/** Windows has no signals a process could handle; pg_ctl uses PostgreSQL's own mechanism and fails if nothing runs. */
async function stopByPgCtl(cluster: Cluster): Promise<void> {
  const args = ['stop', '-D', cluster.folder, '-t', '8', '-m']
  const run = (mode: string) => promisify(execFile)(cluster.binaries.pgCtl, [...args, mode], { windowsHide: true })
  await run('fast').catch(() => run('immediate').catch(() => {}))
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function endsWithin(server: ProcessIdentity, seconds: number): Promise<boolean> {
  const limit = performance.now() + seconds * 1000
  while (await isRunning(server)) {
    if (performance.now() > limit) return false
    await sleep(pollMilliseconds)
  }
  return true
}

const reportMilliseconds = 5_000
const limitMilliseconds = 600_000
const connectAttempts = 3

/** Resolves when the server answers a query on its database; rejects if it exits first or rejects the login. */
export async function awaitReady(
  cluster: Cluster,
  server: ProcessIdentity,
  port: number,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await awaitNotedReady(cluster, server, report, signal)
  for (let attempt = 1; ; attempt++) {
    try {
      return await checkAnswers(cluster, port)
    } catch (error) {
      if (attempt === connectAttempts || !(await isRunning(server))) throw explain(error, cluster)
      await sleep(pollMilliseconds * attempt)
    }
  }
}

/** Waits for the server's postmaster.pid first: until it holds the port, another server may be listening there. */
async function awaitNotedReady(
  cluster: Cluster,
  server: ProcessIdentity,
  report: (line: string) => void,
  signal: AbortSignal | undefined,
) {
  const began = performance.now()
  let reported = began
  for (;;) {
    const note = await readPostmasterFile(cluster.folder)
    if (note?.pid === server.pid && note.status === 'ready') return
    if (!(await isRunning(server))) throw new Error('PostgreSQL ended before it was ready')
    if (signal?.aborted) throw new Error('PostgreSQL was stopped before it was ready')
    const now = performance.now()
    if (now - began > limitMilliseconds) throw new Error('PostgreSQL was not ready within ten minutes')
    if (now - reported > reportMilliseconds) {
      reported = now
      report('waiting for PostgreSQL, which is recovering from a crash or stopping')
    }
    await sleep(pollMilliseconds)
  }
}

async function checkAnswers(cluster: Cluster, port: number): Promise<void> {
  const listening = { port, sockets: socketFolder(cluster.folder) }
  try {
    const folder = await ask(clusterUrl(cluster, listening), 'show data_directory')
    if (relative(String(folder), cluster.folder) !== '')
      throw new Error(`port ${port} serves another cluster, ${folder}`)
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '3D000') throw error
    await ask(clusterUrl(cluster, listening, 'postgres'), 'create database chorus')
  }
}

async function ask(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 30_000 })
  // A server that exits meanwhile must fail the query, not the whole process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end().catch(() => {})
  }
}

function explain(error: unknown, cluster: Cluster): Error {
  const { code, message } = error as pg.DatabaseError
  const hint = code === '28P01' ? `; the password in ${cluster.passwordFile} is not that of ${cluster.folder}` : ''
  return new Error(`PostgreSQL started but does not answer (${message})${hint}`, { cause: error })
}

/** Contents of postmaster.pid, which a running server writes to its cluster. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number
  /** Folder of its socket; empty if it has none. */
  readonly sockets: string
  readonly status: string
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const [pid, , , port, sockets = '', , , status = ''] = text.split('\n')
  return { pid: Math.abs(Number(pid)), port: Number(port), sockets, status: status.trim() }
}

/** The server that runs on the cluster, if any. */
export async function findRunningServer(
  cluster: string,
): Promise<{ identity: ProcessIdentity; note: PostmasterFile } | undefined> {
  const note = await readPostmasterFile(cluster)
  const identity = note?.pid ? await identifyProcess(note.pid) : undefined
  return note && identity && (await serves(identity.pid, cluster)) ? { identity, note } : undefined
}

/**
 * Only the owner may call it, once no server runs, because a server exits when its postmaster.pid is gone. PostgreSQL refuses to start if
 * the process id in the file is in use again or belongs to a zombie, as in many containers. It still detects live processes of the old
 * server by the shared memory they hold. A killed server leaves its socket file, too.
 */
export async function removePostmasterFile(cluster: string): Promise<void> {
  const names = (await readdir(cluster)).filter((name) => name.startsWith('.s.PGSQL.'))
  for (const name of ['postmaster.pid', ...names]) await rm(join(cluster, name), { force: true })
}

/** Also true if the system doesn't provide the command: then only PostgreSQL itself can decide. */
async function serves(pid: number, cluster: string): Promise<boolean> {
  const command = await commandLine(pid)
  if (command === undefined) return true
  // PostgreSQL makes its cluster the working folder, however it was started.
  const folder = await workingFolder(pid)
  return command.includes('postgres') && (folder === undefined ? command.includes(cluster) : folder === cluster)
}

const maximumBytes = 10 * 1024 * 1024
const tailBytes = 4 * 1024
const tailLines = 15

/** Opens the log for the server to append to; truncates it first if it is large. */
async function openLog(path: string): Promise<FileHandle> {
  if ((await logSize(path)) > maximumBytes) await truncate(path)
  return open(path, 'a', 0o600)
}

async function logSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

/** The last lines written since the log had the given size. */
export async function logTail(path: string, since = 0): Promise<string> {
  const end = await logSize(path)
  const begin = Math.max(since, end - tailBytes)
  if (begin >= end) return '(nothing was logged)'
  const log = await open(path)
  try {
    const { buffer } = await log.read(Buffer.alloc(end - begin), 0, end - begin, begin)
    return buffer.toString('utf8').trim().split('\n').slice(-tailLines).join('\n')
  } finally {
    await log.close()
  }
}
