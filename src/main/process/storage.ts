import { join } from 'node:path'
import { runningServerUrl, startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import type { Files } from '#kernel/installation.ts'
import { openMediaInspector } from '#kernel/media-inspector/media-inspector.ts'
import { openFileStore } from '#kernel/storage/file-store.ts'
import { openS3Store } from '#kernel/storage/s3-store.ts'
import { openSpool } from '#kernel/storage/spool.ts'
import type { Settings } from '../settings/settings.ts'

export interface Storage {
  readonly url: string
  /** Resolves with the reason if the embedded database stopped and can't be restarted; never for an external server. */
  readonly lost: Promise<string>
  close(): Promise<void>
}

type Report = (line: string) => void

/** The database of this installation: the configured server, otherwise the embedded one. Callers need not distinguish them. */
export async function openStorage(settings: Settings, report: Report, alarm = report): Promise<Storage> {
  if (settings.databaseUrl) return outside(settings.databaseUrl)
  const server = await startEmbeddedServer({
    folder: embeddedFolder(settings),
    settings: serverSettings(settings),
    report,
    alarm,
  })
  return { url: server.url, lost: server.lost, close: () => server.stop() }
}

/** For commands: joins the embedded server if one is running. */
export async function joinStorage(settings: Settings, report: Report): Promise<Storage> {
  const running = settings.databaseUrl ?? (await runningServerUrl(embeddedFolder(settings)))
  return running ? outside(running) : openStorage(settings, report)
}

/** Connections for every process, its listener and a few commands; undefined if the server's default is enough. */
function serverSettings({ processes, databaseConnections }: Settings): { max_connections?: string } {
  const needed = processes * (databaseConnections + 1) + 20
  return needed > 100 ? { max_connections: String(needed) } : {}
}

const embeddedFolder = ({ dataDir }: Settings) => join(dataDir, 'postgres')

const outside = (url: string): Storage => ({ url, lost: new Promise(() => {}), close: async () => {} })

/** Files in the data folder or in an S3-compatible store; uploads in progress are always on this machine. */
export function openFiles({ storageUrl, dataDir }: Pick<Settings, 'storageUrl' | 'dataDir'>): Files {
  return {
    store: storageUrl.kind === 's3' ? openS3Store(storageUrl.settings) : openFileStore(join(dataDir, 'files')),
    spool: openSpool(join(dataDir, 'spool')),
    inspector: openMediaInspector(),
  }
}
