import cluster from 'node:cluster'
import { constants, setPriority } from 'node:os'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { makeLink } from '#areas/account/session/session.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { type Log, openLog } from '#kernel/log.ts'
import { type DemoAccess, demoAdmin, isLoopback, prepareDemo } from '../demo.ts'
import { consoleFolder, migrationFolders, version } from '../project.ts'
import { endpoints, react } from '../registry.ts'
import type { Settings } from '../settings/settings.ts'
import { networkApps, optionsOf, warnOfVersions } from './network-apps.ts'
import { allowedRanges, connectableUrl, openOutboundClient, ownAddress, shortAddress } from './outbound-client.ts'
import { portMessages, startProcesses } from './processes.ts'
import { registerSandboxWebhooks, runningSandbox, type SandboxProcess, startSandbox } from './sandbox-process.ts'
import { startService } from './service.ts'
import { listAccounts, openFiles, openKeyring, openStorage } from './storage.ts'
/** `chorus start`: database, migrations and demo, then the service until a signal stops it. */
export async function launch(configured: Settings, print: (line: string) => void) {
  if (cluster.isWorker) return serve(configured, configured.databaseUrl as string)
  refusePublicDemo(configured)
  const log = openLog(configured.logLevel)
  const storage = await openStorage(configured, print, (line) => log.error(line))
  let sandbox: SandboxProcess | undefined
  try {
    const [migration, start] = await Promise.allSettled([
      migrate(storage.url, migrationFolders, print),
      openSandbox(configured),
    ])
    if (start.status === 'fulfilled') sandbox = start.value
    if (migration.status === 'rejected') throw migration.reason
    if (start.status === 'rejected') throw start.reason
    warnOfVersions(configured, systemClock.now(), log)
    const settings = { ...configured, sandboxPort: sandbox?.port ?? configured.sandboxPort }
    const { demo, empty, entry } = await prepare(settings, storage.url)
    const service =
      settings.processes > 1 ? await startProcesses(settings, storage.url) : await runService(settings, storage.url)
    const stop = async () => {
      await service.stop()
      await sandbox?.stop()
      await storage.close()
    }
    stopOnSignal(stop)
    if (sandbox) await registerDemoWebhooks(settings, storage.url, sandbox.url, service.url, log)
    print(printStartup(settings, service.url, { demo, empty, sandbox: sandbox?.url, entry }))
    storage.lost.then((reason) => {
      process.stderr.write(
        `The embedded database ended and could not be started again, so Chorus ends too.\n${reason}\n`,
      )
      process.exit(1)
    })
  } catch (error) {
    await sandbox?.stop()
    await storage.close()
    throw error
  }
}

async function openSandbox(settings: Settings): Promise<SandboxProcess | undefined> {
  if (!settings.demo) return undefined
  return settings.sandbox ? startSandbox(settings) : runningSandbox(settings)
}

/** A public demo would expose well-known keys, requests to local services, and publishing to fake networks. */
function refusePublicDemo({ demo, demoPublic, host }: Settings) {
  if (!demo || demoPublic || isLoopback(host)) return
  throw new Error(
    `CHORUS_HOST is ${host}, so other machines could reach this service, and the demo is on (CHORUS_DEMO): its keys are printed and easy to guess from one another, addresses of this machine may be called, and posts go to the sandbox networks. Set CHORUS_DEMO=0 for real work, or CHORUS_DEMO_PUBLIC=1 to show the demo to others all the same.`,
  )
}

/** A child process that shares the port; the parent handles everything else. */
async function serve(settings: Settings, databaseUrl: string) {
  const service = await runService(settings, databaseUrl)
  process.send?.(portMessages.open)
  process.on('message', (message) => {
    if (message !== portMessages.close) return
    service.closePort()
    process.send?.(portMessages.closed)
  })
  // Ctrl-C reaches every process of the terminal; the parent stops them in order.
  stopOnSignal(service.stop, ['SIGTERM'])
  process.on('SIGINT', () => {})
}

function runService(settings: Settings, databaseUrl: string) {
  const log = openLog(settings.logLevel)
  const ranges = allowedRanges(settings)
  if (ranges.length > 0) log.info({ ranges }, 'private addresses that may be called')
  // Pure worker processes get a lower priority, so that requests come first on a busy machine.
  if (settings.roles.includes('worker') && !settings.roles.includes('api'))
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  return startService({ settings, databaseUrl, endpoints, consoleFolder, clock: systemClock, log })
}

/** Without these webhooks the demo's networks are only polled, which is slightly slower. */
async function registerDemoWebhooks(
  settings: Settings,
  databaseUrl: string,
  url: string,
  serviceUrl: string,
  log: Log,
) {
  const outbound = openOutboundClient({ settings, databaseUrl, port: () => settings.port, socketsPerOrigin: 1 })
  try {
    await registerSandboxWebhooks(outbound, { url, token: settings.sandboxToken }, settings.publicUrl ?? serviceUrl)
  } catch (error) {
    log.warn({ err: error }, 'the sandbox networks do not know where to call')
  } finally {
    await outbound.close()
  }
}

interface Prepared {
  demo: DemoAccess[]
  empty: boolean
  /** One-time sign-in link of the demo, if there is one. */
  entry: string | undefined
}

/** A link for the demo's admin, relative to the service, whose URL is not known yet. */
const entryLink = (context: Context) => makeLink({ ...context, publicUrl: '' }, demoAdmin, 'entry')

async function prepare(settings: Settings, url: string): Promise<Prepared> {
  const keyring = await openKeyring(settings)
  const database = openDatabase({ url, connections: 2 })
  const outbound = openOutboundClient({ settings, databaseUrl: url, port: () => settings.port, socketsPerOrigin: 4 })
  const files = openFiles(settings)
  const addresses = { publicUrl: () => ownAddress(settings), shortUrl: () => shortAddress(settings) }
  const { publishMaxDelay: lateness, accountLimits } = settings
  const opened = { database, listener: undefined, clock: systemClock, keyring, outbound, files }
  const appOptions = optionsOf(networkApps(settings))
  const installation = { ...opened, ...addresses, lateness, accountLimits, appOptions, react, recordAuditEntry }
  try {
    const demo = settings.demo
      ? await prepareDemo(installation, settings.demoApiKey, `http://127.0.0.1:${settings.sandboxPort}`)
      : []
    // Until tables are analyzed, statements are planned as if an account had a handful of rows in each.
    if (demo.some(({ users }) => users.some(({ key }) => key !== undefined))) await ownerQuery(url, 'analyze')
    const [first] = demo
    const entry = first && (await change(installation, systemActor(first.accountId, systemClock.now()), entryLink))
    return { demo, empty: !settings.demo && (await listAccounts(url)).length === 0, entry }
  } finally {
    await files.inspector.close()
    await outbound.close()
    await database.close()
  }
}

/** Stops gracefully on the first signal, immediately on the second. */
function stopOnSignal(stop: () => Promise<void>, signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  let isStopping = false
  const onSignal = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    try {
      await stop()
      process.exit(0)
    } catch (error) {
      process.stderr.write(`Stopping failed: ${(error as Error).stack}\n`)
      process.exit(1)
    }
  }
  for (const signal of signals) process.on(signal, onSignal)
}

interface Startup {
  demo: DemoAccess[]
  /** There is no account yet. */
  empty: boolean
  sandbox: string | undefined
  /** One-time sign-in link for the demo's admin, valid on this machine. */
  entry: string | undefined
}

/** Startup message for the operator. */
function printStartup(
  { publicUrl, databaseUrl, dataDir, console, roles }: Settings,
  listening: string,
  { demo, empty, sandbox, entry }: Startup,
): string {
  const base = publicUrl ?? listening
  return [
    '',
    `Chorus ${version} is running.`,
    '',
    `  Base URL   ${base}/v2`,
    `  API docs   ${base}/docs`,
    ...(console && roles.includes('api') ? [`  Console    ${base}/app`] : [`  Sign in    ${base}/app/sign-in`]),
    ...(entry ? [`  Enter      ${connectableUrl(listening)}${entry}  once, as the demo's admin, on this machine`] : []),
    `  Data       ${databaseUrl ? 'in the database of CHORUS_DATABASE_URL' : dataDir}`,
    ...(sandbox ? [`  Sandbox    ${sandbox}  the networks of the demo: look there for what was published`] : []),
    ...demo.flatMap(accountLines),
    ...(demo[0] ? (demo[0].users[0]?.key ? exampleLines(base, demo[0]) : newKeyLines(demo[0])) : []),
    ...(empty ? firstAccountLines : []),
    '',
    '  Stop with Ctrl-C.',
    '',
  ].join('\n')
}

const accountLines = ({ accountId, accountName, users }: DemoAccess) => [
  '',
  `  Account    ${accountId}  ${accountName}`,
  ...users.map(({ role, email, key }) => `    ${role.padEnd(13)}${key ?? email}`),
]

/** API keys are shown only when created; a lost key has to be replaced. */
const newKeyLines = ({ accountId, users }: DemoAccess) => [
  '',
  '  The keys were shown at the first start. For a new one:',
  '',
  `    npx chorus key create --account ${accountId} --email ${users[0]?.email} --name "My key"`,
]

const exampleLines = (base: string, { accountId, users }: DemoAccess) => [
  '',
  `  Try        curl -u ${accountId}:${users[0]?.key} ${base}/v2/me`,
]

const firstAccountLines = [
  '',
  '  There is no account yet. Create the first one, with its admin and an API key:',
  '',
  '    npx chorus account create --name "Your company" --email you@example.com --first-name Your --last-name Name',
]
