import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { openKeys, openSessions } from '#areas/account/identities.ts'
import { openReactions, type Reaction } from '#areas/events/reaction.ts'
import { conversionPages } from '#areas/links/conversion/conversion.page.ts'
import { openRedirector } from '#areas/links/redirect/redirect.api.ts'
import { openFeeds } from '#areas/live/feeds.ts'
import { feedRoute } from '#areas/live/live.api.ts'
import { openBudgets } from '#areas/profiles/budget/budgets.ts'
import type { SendObserver } from '#areas/sending/attempt.ts'
import { openFeedNotifier } from '#kernel/changes/change-feed.ts'
import type { Clock } from '#kernel/clock.ts'
import { type DatabaseOptions, type Db, openDatabase } from '#kernel/database/database.ts'
import { openListener } from '#kernel/database/listener.ts'
import { isMigrated } from '#kernel/database/schema/migrate.ts'
import { closePort, closeServer } from '#kernel/http/connections.ts'
import { addConsole } from '#kernel/http/console.ts'
import { addDocs } from '#kernel/http/docs.ts'
import { addHealth } from '#kernel/http/health.ts'
import { openMetrics } from '#kernel/http/metrics.ts'
import { type Endpoint, forSessions } from '#kernel/http/route/endpoint.ts'
import { buildServer } from '#kernel/http/server.ts'
import { addJobMetrics } from '#kernel/jobs/job-admin.ts'
import { openLimits } from '#kernel/limits/limits.ts'
import type { Log } from '#kernel/log.ts'
import type { Lookup } from '#kernel/outbound/outbound.ts'
import { defaultPollingIntervals, type PollingIntervals } from '#kernel/polling-intervals.ts'
import { skippedRows } from '#kernel/skipped-rows.ts'
import { openNetworks } from '#networks/networks.ts'
import { demoPages, offersDemo } from '../demo.ts'
import { migrationFolders, version } from '../project.ts'
import {
  appEndpoints,
  areas,
  descriptionsOf,
  downloadRoutes,
  fileRoutes,
  intakeRoutes,
  pagesOf,
  pushRoutes,
  reactions,
} from '../registry.ts'
import type { Settings } from '../settings/settings.ts'
import { addDatabaseMetrics, metricsReader } from './metrics.ts'
import { isSandboxApp, networkApps, openAppInspection, optionsOf } from './network-apps.ts'
import { connectableUrl, openOutboundClient } from './outbound-client.ts'
import { openFiles, openKeyring } from './storage.ts'
import { startWorkers } from './workers.ts'

export interface Service {
  readonly url: string
  /** Accepts no more connections; existing ones continue. */
  closePort(): void
  /** Accepts no more requests, finishes running ones, and releases all resources. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  settings: Settings
  /** Already migrated. */
  databaseUrl: string
  endpoints: readonly Endpoint[]
  clock: Clock
  log: Log
  /** Folder of the built console; without it there are plain pages. */
  consoleFolder?: string | undefined
  /** DNS lookup; defaults to that of the system. */
  lookup?: Lookup
  /** Reactions to events; defaults to those of the product. */
  reactions?: readonly Reaction[] | undefined
  /** Observes the stages of sends. */
  onSendStage?: SendObserver | undefined
  /** Polling intervals of workers; shorter in tests. */
  pollingIntervals?: PollingIntervals | undefined
  /** Database timeouts; the defaults unless set. */
  patience?: Pick<DatabaseOptions, 'statementTimeout' | 'grace' | 'patience'>
}

/** One process of the service, with the parts of its roles. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    settings,
    databaseUrl,
    endpoints,
    clock,
    log,
    lookup,
    onSendStage,
    pollingIntervals = defaultPollingIntervals,
    patience,
  } = options
  const waits = { patience: pollingIntervals.connection, statementTimeout: pollingIntervals.statement, ...patience }
  const database = openDatabase({ ...waits, url: databaseUrl, connections: settings.databaseConnections })
  const listener = await openListener(databaseUrl)
  const keyring = await openKeyring(settings)
  const outboundOptions = { settings, databaseUrl, lookup, port: () => listening(server) }
  // More than a single webhook may use, so that one that hangs does not block others on the same host.
  const outbound = openOutboundClient({ ...outboundOptions, socketsPerOrigin: 32 })
  // A separate client with as many sockets as the publishing engine has slots: webhooks and downloads must not delay posts.
  const networkClient = openOutboundClient({ ...outboundOptions, socketsPerOrigin: 256 })
  const files = openFiles(settings)
  let url = ''
  const publicUrl = () => settings.publicUrl ?? connectableUrl(url)
  const shortUrl = () => settings.shortUrl ?? `${publicUrl()}/l`
  const { publishMaxDelay: lateness, accountLimits } = settings
  const feedNotifier = openFeedNotifier(database)
  const opened = { database, listener, feedNotifier, clock, keyring, outbound, files }
  const { react, jobs: reactionJobs } = openReactions(options.reactions ?? reactions)
  const apps = networkApps(settings)
  const addresses = { publicUrl, shortUrl }
  const basis = {
    ...opened,
    ...addresses,
    lateness,
    accountLimits,
    appOptions: optionsOf(apps),
    react,
    recordAuditEntry,
  }
  const inspection = openAppInspection({ settings, databaseUrl, installation: () => ({ ...basis, networks }) })
  const installation = { ...basis, apps: inspection }
  const budgets = await openBudgets({
    database,
    clock,
    options: (network) => apps[network]?.options,
    isPaced: (network) => !isSandboxApp(settings, network),
    report: (error) => log.error({ err: error }, 'counting the use of networks failed'),
  })
  const networks = openNetworks(apps, { outbound: networkClient, clock, version }, budgets)
  const report = (error: unknown) => log.error({ err: error }, 'counting calls failed')
  const limits =
    settings.rateLimit && (await openLimits({ database, listener, clock, rules: settings.rateLimit, report }))
  const metrics = openMetrics()
  addDatabaseMetrics(metrics, database)
  metrics.gauge('rows_skipped', 'How often a row was left out because it could not be read.', skippedRows)
  addJobMetrics(metrics, database.shared, clock)
  for (const area of areas) area.metrics?.(metrics, database.shared, clock)

  let draining = false
  const isApi = settings.roles.includes('api')
  const consoleFolder = settings.console ? options.consoleFolder : undefined
  const serving = isApi ? [...endpoints, ...appEndpoints, ...forSessions(endpoints)] : []
  const { metricsToken, trustedProxies, allowHttp } = settings
  const transport = { trustedProxies, allowHttp }
  const serves = { transport, bindAddress: settings.host, log, metrics, draining: () => draining }
  const feeds = isApi
    ? await openFeeds({ database, listener, clock, log, limits: settings.feedLimits, every: pollingIntervals.feeds })
    : undefined
  if (feeds) metrics.gauge('feeds_open', 'Feeds that browsers have open.', feeds.count)
  const pages = conversionPages({ ...installation, log })
  const routeServices = { installation: { ...installation, networks }, log }
  const redirector = settings.roles.includes('links')
    ? await openRedirector({ ...installation, ...serves, databaseUrl, pages, alone: !isApi })
    : undefined
  const { server, gate } = buildServer({
    ...installation,
    endpoints: serving,
    downloads: isApi ? downloadRoutes(installation) : [],
    intakes: isApi ? intakeRoutes(installation) : [],
    streams: feeds ? [feedRoute(feeds)] : [],
    pushes: isApi ? pushRoutes(routeServices) : [],
    fileRoutes: isApi ? fileRoutes(routeServices) : [],
    pages: isApi
      ? [
          ...pagesOf({ ...routeServices, publicUrl: settings.publicUrl, hasConsole: consoleFolder !== undefined }),
          ...(offersDemo(settings) ? demoPages(installation) : []),
        ]
      : [],
    keys: openKeys(database, listener, clock),
    sessions: openSessions(database, listener, clock),
    limits,
    ...serves,
    tls: await readCertificate(settings),
    front: redirector?.front,
  })
  const unavailableReason = () => unavailableReasonOf(database.shared, draining)
  addHealth(server, gate, { metrics: metricsReader(metrics.registry), obstacle: unavailableReason, metricsToken })
  if (isApi) addDocs(server, gate, descriptionsOf(endpoints))
  if (isApi && consoleFolder) addConsole(server, gate, { folder: consoleFolder, offersDemo: offersDemo(settings) })
  const works = settings.roles.includes('worker')
  const workers = works
    ? await startWorkers({
        ...installation,
        networks,
        budgets,
        reactionJobs,
        settings,
        databaseUrl,
        log,
        onSendStage: onSendStage,
        pollingIntervals: pollingIntervals,
      })
    : undefined
  url = await server.listen({ port: settings.port, host: settings.host })

  return {
    url,
    closePort: () => closePort(server),
    async stop() {
      draining = true
      feeds?.close()
      await Promise.all([closeServer(server), workers?.stop()])
      await redirector?.close()
      await Promise.all([outbound.close(), networkClient.close()])
      await files.inspector.close()
      await limits?.close()
      await budgets.close()
      await feedNotifier.close()
      await listener.close()
      await database.close()
    },
  }
}

function listening(server: FastifyInstance): number | undefined {
  const address = server.server.address()
  return typeof address === 'object' ? address?.port : undefined
}

async function readCertificate({ tlsCert, tlsKey }: Settings) {
  if (!tlsCert || !tlsKey) return undefined
  const [cert, key] = await Promise.all([readFile(tlsCert), readFile(tlsKey)])
  return { cert, key }
}

/** Why a process can't serve requests at the moment; undefined if it can. */
async function unavailableReasonOf(shared: Db, draining: boolean): Promise<string | undefined> {
  if (draining) return 'The process is stopping.'
  const applied = async () => {
    const rows = await shared.selectFrom('migrations').select('name').orderBy('name').execute()
    return rows.map(({ name }) => name)
  }
  try {
    return (await isMigrated(applied, migrationFolders))
      ? undefined
      : 'The database has other migrations than this version knows.'
  } catch {
    return 'The database cannot be reached.'
  }
}
