import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { clusterUrl, openCluster, type Settings, socketFolder } from './cluster.ts'
import { adoptServer, keepServer } from './keep-server.ts'
import { claimOwnership, findOwner } from './process-identity.ts'
import { findRunningServer, launchServer } from './server-process.ts'
import { findHomeFolder } from './system-user.ts'

export interface EmbeddedServerOptions {
  /** Absolute path; created if missing. */
  readonly folder: string
  /** A free port by default. */
  readonly port?: number
  /** PostgreSQL settings by name, in addition to ours. */
  readonly settings?: Settings
  /** Receives a line about each step that may take time or be unexpected. */
  readonly report?: (line: string) => void
  /** Receives problems of the running server; `report` by default. */
  readonly alarm?: (line: string) => void
  /** Milliseconds without a server after which restarting is given up. */
  readonly patience?: number
}

export interface EmbeddedServer {
  /** Stays the same while the server is kept running. */
  readonly url: string
  /** Changes with each restart. */
  readonly pid: number
  /** Resolves with the reason when the server exited and could not be restarted. */
  readonly lost: Promise<string>
  /** Resolves when the server has stopped and the folder is free for another owner. */
  stop(): Promise<void>
}

const standardPatience = 5 * 60_000

/**
 * Runs PostgreSQL from the installed npm package on the folder, and takes over a server left running by a killed process. If the server
 * exits, it is restarted on the same port, so its URL stays valid.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { report = () => {}, alarm = report, patience = standardPatience } = options
  const home = await findHomeFolder(options.folder, report)
  const release = await claimOwnership(home.folder)
  try {
    const cluster = await openCluster(home, await findBinaries(home, report), report)
    const adopted = await adoptServer(cluster, options, report)
    const first = adopted ?? (await launchServer(cluster, options, report))
    const keeper = keepServer(cluster, first, { ...options, report, alarm, patience })
    let stopping: Promise<void> | undefined
    return {
      url: clusterUrl(cluster, { port: first.port, sockets: socketFolder(cluster.folder) }),
      get pid() {
        return keeper.current().identity.pid
      },
      lost: keeper.lost,
      stop() {
        stopping ??= keeper.stop().finally(release)
        return stopping
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** The URL of the server that a running Chorus process owns in this folder, for a command that works beside it. */
export async function runningServerUrl(folder: string): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined
  const home = await findHomeFolder(folder, () => {})
  const owner = await findOwner(home.folder)
  if (!owner) return undefined
  const server = await findRunningServer(home.cluster)
  if (!server) throw new Error(`Chorus (pid ${owner.pid}) is just starting or stopping; try again in a few seconds.`)
  const password = (await readFile(join(home.folder, 'password'), 'utf8')).trim()
  return clusterUrl({ password }, server.note)
}
