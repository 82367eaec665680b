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
  /** Absolute; made when missing. */
  readonly folder: string
  /** A free one is chosen when not given. */
  readonly port?: number
  /** PostgreSQL settings by name, on top of ours. */
  readonly settings?: Settings
  /** Receives a line about each step that may take time or surprise. */
  readonly report?: (line: string) => void
  /** Receives what went wrong while the server ran; else `report` does. */
  readonly alarm?: (line: string) => void
  /** Milliseconds without a server after which starting it again is given up. */
  readonly patience?: number
}

export interface EmbeddedServer {
  /** The same for as long as it is kept. */
  readonly url: string
  /** Another one after each start. */
  readonly pid: number
  /** Resolves, saying why, when the server ended by itself and could not be started again. */
  readonly lost: Promise<string>
  /** Resolves when the server is gone and the folder is free for another owner. */
  stop(): Promise<void>
}

const standardPatience = 5 * 60_000

/**
 * Runs PostgreSQL from the installed npm package on the folder, taking over one left running by a killed process. Should the server
 * end by itself it is started again in its place, so that whoever uses it finds it at the same address.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { report = () => {}, alarm = report, patience = standardPatience } = options
  const home = await findHomeFolder(options.folder, report)
  const release = await claimOwnership(home.folder)
  try {
    const cluster = await openCluster(home, await findBinaries(home, report), report)
    const adopted = await adoptServer(cluster, options, report)
    const first = adopted ?? (await launchServer(cluster, options, report))
    const kept = keepServer(cluster, first, { ...options, report, alarm, patience })
    let stopping: Promise<void> | undefined
    return {
      url: clusterUrl(cluster, { port: first.port, sockets: socketFolder(cluster.folder) }),
      get pid() {
        return kept.current().identity.pid
      },
      lost: kept.lost,
      stop() {
        stopping ??= kept.stop().finally(release)
        return stopping
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** The address of the server that a living Chorus runs in this folder, for a command that works beside it. */
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
