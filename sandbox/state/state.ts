import { join } from 'node:path'
import { Faults, Processing } from '../behaviour/faults.ts'
import { Push } from '../behaviour/push.ts'
import { RateLimiter, UsageMeter } from '../behaviour/usage.ts'
import { SandboxClock } from './clock.ts'
import type {
  Account,
  Code,
  Container,
  CrmRecord,
  Grant,
  Json,
  Media,
  Network,
  Profile,
  Subscription,
  Thread,
  Upload,
  UrlProperty,
} from './rows.ts'
import { Files, Items, Journal, keyOf, Table } from './storage.ts'

interface Setting {
  name: string
  value: Json
}

/** The complete state of one sandbox. */
export class SandboxState {
  readonly clock: SandboxClock
  readonly faults = new Faults()
  readonly processing = new Processing()
  readonly rateLimiter: RateLimiter
  readonly usage = new UsageMeter()
  readonly push: Push
  readonly files: Files
  /** Unfinished uploads; not persisted. */
  readonly uploads = new Map<string, Upload>()
  /** Products of an app, where they differ from the default. */
  readonly products = new Map<Network, string>()
  /** Range of request durations in milliseconds. */
  readonly latency: [from: number, to: number]

  readonly accounts: Table<Account>
  readonly profiles: Table<Profile>
  readonly grants: Table<Grant>
  readonly codes: Table<Code>
  readonly items: Items
  readonly threads: Table<Thread>
  readonly media: Table<Media>
  readonly containers: Table<Container>
  readonly subscriptions: Table<Subscription>
  readonly urlProperties: Table<UrlProperty>
  /** Records of the CRM. */
  readonly crm: Table<CrmRecord>
  private readonly settings: Table<Setting>
  private readonly journal: Journal

  constructor(options: { dataFolder?: string; now: () => number; limitFactor: number; latency: [number, number] }) {
    this.latency = options.latency
    this.clock = new SandboxClock(options.now)
    this.rateLimiter = new RateLimiter(options.limitFactor)
    this.push = new Push(() => this.clock.now())
    this.journal = new Journal(options.dataFolder)
    this.files = new Files(options.dataFolder === undefined ? undefined : join(options.dataFolder, 'media'))
    const byId = (row: { network: Network; id: string }) => keyOf(row.network, row.id)
    this.accounts = new Table<Account>('accounts', byId, this.journal)
    this.profiles = new Table<Profile>('profiles', byId, this.journal)
    this.grants = new Table('grants', ({ token }) => token, this.journal)
    this.codes = new Table('codes', ({ code }) => code, this.journal)
    this.items = new Items(this.journal)
    this.threads = new Table<Thread>('threads', byId, this.journal)
    this.media = new Table<Media>('media', byId, this.journal)
    this.containers = new Table('containers', ({ id }) => id, this.journal)
    this.subscriptions = new Table<Subscription>('subscriptions', byId, this.journal)
    this.urlProperties = new Table('urlProperties', ({ url }) => url, this.journal)
    this.crm = new Table<CrmRecord>('crm', ({ kind, id }) => `${kind}/${id}`, this.journal)
    this.settings = new Table('settings', ({ name }) => name, this.journal)
    this.replay()
  }

  profile(network: Network, id: string): Profile | undefined {
    return this.profiles.get(keyOf(network, id))
  }

  /** The clock offset is persisted, so that expired tokens stay expired after a restart. */
  saveClock() {
    this.settings.put({ name: 'clock', value: this.clock.offsetMs })
  }

  reset() {
    for (const table of this.tables()) table.clear()
    const memories = [
      this.uploads,
      this.products,
      this.faults,
      this.processing,
      this.rateLimiter,
      this.usage,
      this.push,
    ]
    for (const memory of memories) memory.clear()
    this.clock.offsetMs = 0
    this.journal.truncate()
  }

  close() {
    this.push.clear()
    this.journal.close()
  }

  private replay() {
    const tables = new Map(this.tables().map((table) => [table.name, table as Table<unknown>]))
    for (const { table, key, row } of this.journal.lines()) tables.get(table)?.restore(key, row)
    const clock = this.settings.get('clock')
    if (clock) this.clock.offsetMs = Number(clock.value)
  }

  private tables(): { name: string; clear(): void }[] {
    const { accounts, profiles, grants, codes, items, threads, media, containers } = this
    const { subscriptions, urlProperties, crm, settings } = this
    const own = [accounts, profiles, grants, codes, items, threads, media, containers]
    return [...own, subscriptions, urlProperties, crm, settings]
  }
}
