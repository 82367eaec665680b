import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine, identifyProcess, type ProcessIdentity, workingFolder } from './process-identity.ts'

/** What a running server notes in its cluster. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number
  /** The folder of its socket; empty where it has none. */
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
 * For the owner alone, once no server runs, because a server ends itself when its note is gone.
 * PostgreSQL minds a note whose process id is in use again, or whose process nobody has reaped, as in many containers.
 * Should parts of the old server live on, it still notices by the shared memory they hold. A killed server leaves its socket too.
 */
export async function removePostmasterFile(cluster: string): Promise<void> {
  const names = (await readdir(cluster)).filter((name) => name.startsWith('.s.PGSQL.'))
  for (const name of ['postmaster.pid', ...names]) await rm(join(cluster, name), { force: true })
}

/** True as well where the system tells nothing: then only PostgreSQL itself can judge. */
async function serves(pid: number, cluster: string): Promise<boolean> {
  const command = await commandLine(pid)
  if (command === undefined) return true
  // PostgreSQL makes its cluster the working folder, however it was started.
  const folder = await workingFolder(pid)
  return command.includes('postgres') && (folder === undefined ? command.includes(cluster) : folder === cluster)
}
