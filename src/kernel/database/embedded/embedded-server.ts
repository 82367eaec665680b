import { adoptServer } from './adopt-server.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, clusterUrl, openCluster } from './cluster.ts'
import { findHomeFolder } from './home-folder.ts'
import { launchServer, type ServerProcess } from './launch-server.ts'
import { claimOwnership } from './owner-claim.ts'
import type { Settings } from './server-command.ts'
import { logTail } from './server-log.ts'
import { stopServer } from './stop-server.ts'

export interface EmbeddedServerOptions {
  /** Absolute; made when missing. */
  readonly folder: string
  /** A free one is chosen when not given. */
  readonly port?: number
  /** PostgreSQL settings by name, on top of ours. */
  readonly settings?: Settings
  /** Receives a line about each step that may take time or surprise. */
  readonly report?: (line: string) => void
}

export interface EmbeddedServer {
  readonly url: string
  readonly pid: number
  /** Resolves, saying how, when the server ends without having been asked to. */
  readonly crashed: Promise<string>
  /** Resolves when the server is gone and the folder is free for another owner. */
  stop(): Promise<void>
}

/** Runs PostgreSQL from the installed npm package on the folder, taking over one left running by a killed process. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const report = options.report ?? (() => {})
  const home = await findHomeFolder(options.folder, report)
  const release = await claimOwnership(home.folder)
  try {
    const cluster = await openCluster(home, await findBinaries(home, report), report)
    const adopted = await adoptServer(cluster, options, report)
    return supervise(cluster, adopted ?? (await launchServer(cluster, options, report)), release)
  } catch (error) {
    await release()
    throw error
  }
}

function supervise(cluster: Cluster, server: ServerProcess, release: () => Promise<void>): EmbeddedServer {
  let stopping: Promise<void> | undefined
  const crashed = new Promise<string>((resolve) => {
    server.ended.then(async (how) => {
      if (stopping) return
      // Given up at once, so that the caller may simply start again.
      await release().catch(() => {})
      const tail = await logTail(cluster.log).catch((error: Error) => error.message)
      resolve(`${how}\nthe end of ${cluster.log}:\n${tail}`)
    })
  })
  return {
    url: clusterUrl(cluster, server.port),
    pid: server.identity.pid,
    crashed,
    stop() {
      stopping ??= stopServer(cluster, server.identity).finally(release)
      return stopping
    },
  }
}
