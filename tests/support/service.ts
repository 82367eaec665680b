import { inject } from 'vitest'
import type { Reaction } from '#areas/events/reaction.ts'
import { type Clock, systemClock } from '#kernel/clock.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { type Log, openLog } from '#kernel/log.ts'
import { type Lookup, openOutbound } from '#kernel/outbound/outbound.ts'
import { resolveName } from '#kernel/outbound/target.ts'
import { defaultPollingIntervals, type PollingIntervals } from '#kernel/polling-intervals.ts'
import { type ServiceOptions, startService } from '#main/process/service.ts'
import { endpoints } from '#main/registry.ts'
import { readSettings } from '#main/settings/settings.ts'
import { startSandbox } from '../../sandbox/main.ts'
import { type Caller, caller } from './caller.ts'
import { demoDatabase } from './database/database.ts'
import { demoKey } from './database/templates.ts'
import { demoAccount } from './demo-files.ts'
import { startDnsServer } from './dns-server.ts'
import { startImageServer } from './external-servers.ts'
import { testFolder } from './files.ts'

export { demoAccount, demoKey }
export const otherAccount = '001demo00000002'

/** One keyring for every process of the tests. */
export const testKeys = inject('demo').keys
/** For tests without outbound requests. */
export const nowhere = openOutbound({ allow: [] })

export interface TestService {
  url: string
  databaseUrl: string
  /** A caller for each of the demo's users. */
  admin: Caller
  publisher: Caller
  contributor: Caller
  reader: Caller
  otherAdmin: Caller
  /** URL of a small image, if requested. */
  pictureUrl: string
  /** URL of a CRM, if an image is served. */
  crmUrl: string
  stop(): Promise<void>
}

interface Options {
  clock?: Clock
  environment?: Record<string, string>
  endpoints?: readonly Endpoint[]
  /** Reactions to events; defaults to those of the product. */
  reactions?: readonly Reaction[]
  lookup?: Lookup
  /** Receives the service's log; discarded by default. */
  log?: Log
  /** Serves an image and a CRM that the service may call, and points domains under brand.example at its short links. */
  picture?: true
  /** An existing database, for a second process of the same installation. */
  databaseUrl?: string
  /** Polling intervals of workers; `quick` for tests that move the clock. */
  pollingIntervals?: PollingIntervals
  /** Folder of the built console, for tests of its delivery. */
  consoleFolder?: string
  /** Database timeouts. */
  patience?: NonNullable<ServiceOptions['patience']>
}

/** Long timeouts, so that a busy machine causes no errors. */
const patient: PollingIntervals = { ...defaultPollingIntervals, connection: 60_000, statement: 120_000 }
/** For tests that wait for click counts. */
export const quickClicks: PollingIntervals = { ...patient, clicks: { busy: 100, idle: 200, poisoned: 1_000 } }
/** For tests that wait for jobs that become due by moving the clock. */
export const quickJobs: PollingIntervals = { ...patient, jobs: 200 }
/** For tests that move the clock: workers are not notified of that and have to poll. */
export const quick: PollingIntervals = { ...quickClicks, jobs: 200, webhooks: 200, posts: 200 }

/** The short link host is in no DNS server; resolving it here avoids the wait for a timeout. */
const withShortHost: Lookup = async (hostname) =>
  hostname === 'short.example' ? [{ address: '203.0.113.7', family: 4 }] : resolveName(hostname)

/** The service as users see it: a real port, and a real database with the demo workspace. Rate limits and quotas are off by default. */
export async function startTestService(options: Options = {}): Promise<TestService> {
  const { clock = systemClock, environment = {} } = options
  const own = options.databaseUrl ? undefined : await demoDatabase(clock)
  const databaseUrl = options.databaseUrl ?? own?.url ?? ''
  const picture = options.picture && (await startImageServer())
  const sandbox = options.picture && (await startSandbox())
  const dns = options.picture && (await startDnsServer({ '*.brand.example': { cname: 'short.example' } }))
  const settings = readSettings({
    CHORUS_PORT: '0',
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_DATABASE_CONNECTIONS: '8',
    CHORUS_SECRET_KEYS: testKeys,
    CHORUS_DATA_DIR: testFolder,
    // No polling of the sandbox except by tests.
    CHORUS_POLL_SECONDS: '0',
    ...(picture && { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' }),
    ...(dns && { CHORUS_DNS_SERVER: dns.address, CHORUS_SHORT_URL: 'https://short.example' }),
    ...environment,
  })
  const log = options.log ?? openLog('silent')
  const lookup = options.lookup ?? (dns && withShortHost)
  const service = await startService({
    settings,
    databaseUrl,
    endpoints: options.endpoints ?? endpoints,
    clock,
    log,
    reactions: options.reactions,
    ...(lookup && { lookup }),
    ...(options.consoleFolder && { consoleFolder: options.consoleFolder }),
    pollingIntervals: options.pollingIntervals ?? patient,
    ...(options.patience && { patience: options.patience }),
  })
  const as = (account: string, ending: string) => caller(service.url, account, demoKey + ending)
  return {
    url: service.url,
    databaseUrl,
    admin: as(demoAccount, ''),
    publisher: as(demoAccount, '-publisher'),
    contributor: as(demoAccount, '-contributor'),
    reader: as(demoAccount, '-read'),
    otherAdmin: as(otherAccount, '-other'),
    pictureUrl: picture ? picture.url : '',
    crmUrl: sandbox ? `${sandbox.url}/crm` : '',
    async stop() {
      await service.stop()
      if (picture) await picture.close()
      if (sandbox) await sandbox.close()
      if (dns) await dns.close()
      await own?.drop()
    },
  }
}
