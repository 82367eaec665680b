import cluster from 'node:cluster'
import { systemClock } from '#kernel/clock.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { migrate } from '#kernel/database/migrate.ts'
import { openLog } from '#kernel/log.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { listAccounts } from './accounts.ts'
import { welcome } from './banner.ts'
import { type DemoAccess, prepareDemo } from './demo.ts'
import { endpoints } from './endpoints.ts'
import { keyringText } from './keys-file.ts'
import { portMessages, startProcesses } from './processes.ts'
import { migrationsFolder } from './project.ts'
import { startService } from './service.ts'
import type { Settings } from './settings.ts'
import { stopOnSignal } from './signals.ts'
import { openStorage } from './storage.ts'

/** `chorus start`: database, migrations, demo, then the service, until a signal ends it all. */
export async function launch(settings: Settings, say: (line: string) => void) {
  if (cluster.isWorker) return serve(settings, settings.databaseUrl as string)
  const storage = await openStorage(settings, say)
  try {
    await migrate(storage.url, migrationsFolder, say)
    const { demo, empty } = await prepare(settings, storage.url)
    const service =
      settings.processes > 1 ? await startProcesses(settings, storage.url) : await runService(settings, storage.url)
    say(welcome(settings, service.url, demo, empty))
    const stop = async () => {
      await service.stop()
      await storage.close()
    }
    stopOnSignal(stop)
    storage.lost.then((reason) => {
      process.stderr.write(`The embedded database ended by itself. Start Chorus again to recover.\n${reason}\n`)
      process.exit(1)
    })
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** A child process of several that share the port: the parent has seen to everything else. */
async function serve(settings: Settings, databaseUrl: string) {
  const service = await runService(settings, databaseUrl)
  process.send?.(portMessages.open)
  process.on('message', (message) => {
    if (message !== portMessages.close) return
    service.closePort()
    process.send?.(portMessages.closed)
  })
  // Ctrl-C reaches every process of the terminal; the parent ends them in order.
  stopOnSignal(service.stop, ['SIGTERM'])
  process.on('SIGINT', () => {})
}

function runService(settings: Settings, databaseUrl: string) {
  return startService({ settings, databaseUrl, endpoints, clock: systemClock, log: openLog(settings.logLevel) })
}

async function prepare(settings: Settings, url: string): Promise<{ demo: DemoAccess[]; empty: boolean }> {
  const keyring = readKeyring(await keyringText(settings.secretKeys, settings.dataDir))
  const database = openDatabase({ url, connections: 2 })
  try {
    const demo = settings.demo ? await prepareDemo(database, keyring, settings.demoApiKey, systemClock.now()) : []
    return { demo, empty: !settings.demo && (await listAccounts(url)).length === 0 }
  } finally {
    await database.close()
  }
}
