import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runningServerUrl, startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import type { Files } from '#kernel/installation.ts'
import { openMediaInspector } from '#kernel/media-inspector/media-inspector.ts'
import { type Keyring, newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
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
  if (settings.databaseUrl) return externalServer(settings.databaseUrl)
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
  return running ? externalServer(running) : openStorage(settings, report)
}

/** Connections for every process, its listener and a few commands; undefined if the server's default is enough. */
function serverSettings({ processes, databaseConnections }: Settings): { max_connections?: string } {
  const needed = processes * (databaseConnections + 1) + 20
  return needed > 100 ? { max_connections: String(needed) } : {}
}

const embeddedFolder = ({ dataDir }: Settings) => join(dataDir, 'postgres')

const externalServer = (url: string): Storage => ({ url, lost: new Promise(() => {}), close: async () => {} })

/** Files in the data folder or in an S3-compatible store; uploads in progress are always on this machine. */
export function openFiles({ storageUrl, dataDir }: Pick<Settings, 'storageUrl' | 'dataDir'>): Files {
  return {
    store: storageUrl.kind === 's3' ? openS3Store(storageUrl.settings) : openFileStore(join(dataDir, 'files')),
    spool: openSpool(join(dataDir, 'spool')),
    inspector: openMediaInspector(),
  }
}

/** Whether the installation has a single account. */
export async function hasOneAccount(url: string): Promise<boolean> {
  return (await ownerQuery(url, 'select id from accounts limit 2')).length === 1
}

/** All accounts, oldest first. */
export const listAccounts = (url: string) =>
  ownerQuery<{ id: string; name: string; created: Date }>(
    url,
    'select id, name, created from accounts order by created, id',
  )

type KeySource = Pick<Settings, 'secretKeys' | 'dataDir'>

/** The keyring of this installation: from the settings, otherwise from the data folder, where keys can be added at any time. */
export async function openKeyring({ secretKeys, dataDir }: KeySource): Promise<Keyring> {
  const text = await keyringText(secretKeys, dataDir)
  return secretKeys ? readKeyring(text) : readKeyring(text, () => readFileSync(keysFile(dataDir), 'utf8'))
}

/** From the settings, otherwise from the data folder, where it is created if missing. */
export async function keyringText(configured: string | undefined, dataDir: string): Promise<string> {
  if (configured) return configured
  const file = keysFile(dataDir)
  await mkdir(dataDir, { recursive: true })
  try {
    await writeFile(file, `${newKeyring()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}

/** Replaces the keys atomically: after a crash the file holds either the old or the new ones. */
export async function replaceKeys(dataDir: string, text: string) {
  const file = keysFile(dataDir)
  const { uid, gid } = await stat(file)
  const temporary = `${file}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(`${text}\n`)
    // If run as root, the file must stay readable for the service.
    if (process.getuid?.() === 0) await handle.chown(uid, gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncFolder(dirname(file))
}

export const keysChanged = async (dataDir: string) => (await stat(keysFile(dataDir))).mtime

const keysFile = (dataDir: string) => join(dataDir, 'secret-keys')

async function syncFolder(folder: string) {
  // Windows can't open folders.
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
