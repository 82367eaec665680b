import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { newKeyring } from '#kernel/secrets/keyring.ts'
import { caller } from '../../tests/support/caller.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { openDatabases } from '../databases.ts'
import {
  buildPrograms,
  killChildren,
  type RunningService,
  type ServiceChild,
  startChild,
  startInProcess,
} from '../processes.ts'
import { createAccounts, type FeedAccount, type FeedUser } from './accounts.ts'
import { type FeedSubscriber, openSubscriber } from './subscriber.ts'

export interface FeedKillOptions {
  accounts: number
  /** Concurrent feeds, each of a different user. */
  feeds: number
  changes: number
  /** Without kills, half of the subscribers disconnect for a while. */
  kills: number
  seed: number
  /** A migrated, empty database. */
  databaseUrl: string
  /** Service program from `buildPrograms`. */
  service: string
  processes?: number
  /** Runs processes that are not killed in this process, for small runs. */
  inProcess?: true
  writers?: number
  /** Negative controls: subscribers reconnect without a last event id; feed entries lose their scope. */
  forgetful?: boolean
  unscoped?: boolean
  log?: (line: string) => void
}

export interface FeedKillReport extends FeedTally {
  kills: number
  seed: number
  /** Confirmed changes, and how many of them are missing. */
  answered: number
  lost: number
  seconds: number
}

/** Kills processes repeatedly while many feeds are open and data changes; then compares the received notifications with the database. */
export async function feedKills(options: FeedKillOptions): Promise<FeedKillReport> {
  const { accounts, feeds, changes, kills, seed, databaseUrl, processes = 3, writers = 12, forgetful = false } = options
  const { inProcess } = options
  const log = options.log ?? (() => {})
  const started = performance.now()
  const random = randomness(seed)
  const folder = await temporaryFolder()
  const feedAccounts = await createAccounts(databaseUrl, accounts, Math.ceil(feeds / accounts), random)
  if (options.unscoped) for (const statement of removeScopes) await ownerQuery(withTriggers(databaseUrl), statement)
  const keys = newKeyring()
  const environment = {
    CHORUS_PORT: '0',
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_DATA_DIR: folder.path,
    CHORUS_ROLES: 'api',
    CHORUS_SECRET_KEYS: keys,
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: 'fatal',
  }
  const victimOf = (kill: number) => (inProcess ? processes - 1 : kill % processes)
  const start = (isVictim: boolean): Promise<RunningService | ServiceChild> =>
    inProcess && !isVictim ? startInProcess(environment) : startChild(options.service, environment)
  const running = await Promise.all(
    Array.from({ length: processes }, (_, index) => start(kills > 0 && index === victimOf(1))),
  )
  const processUrl = () => (running[Math.floor(random() * running.length)] as RunningService).url
  let subscribers: FeedSubscriber[] = []
  try {
    const subscriptions = feedAccounts
      .flatMap((account) => account.users.map((user) => ({ account, user })))
      .slice(0, feeds)
    subscribers = await Promise.all(
      subscriptions.map((subscription) => openSubscriber({ ...subscription, processUrl, forgetful })),
    )
    log(`${subscribers.length} feeds are open after ${seconds(started)} s`)
    const confirmed: string[] = []
    const writes = write({ feedAccounts, random, processUrl, changes, writers, confirmed })
    const waitForConfirmed = async (wanted: number) => {
      while (confirmed.length < wanted) await sleep(10)
    }
    if (kills === 0) {
      await waitForConfirmed(changes / 4)
      const reconnectAfter = waitForConfirmed(changes / 2)
      for (const subscriber of subscribers) if (random() < 0.5) subscriber.disconnect(reconnectAfter)
    }
    for (let kill = 1; kill <= kills; kill++) {
      await waitForConfirmed(Math.round((changes * kill) / (kills + 1)))
      await sleep(random() * 50)
      const index = victimOf(kill)
      const victim = running[index] as ServiceChild
      victim.child.kill('SIGKILL')
      await victim.ended
      // Some subscribers disconnect on their own.
      for (const subscriber of subscribers) if (random() < 0.05) subscriber.disconnect()
      log(`kill ${kill} of ${kills}: ${confirmed.length} changes answered`)
      running[index] = await start(kill < kills)
    }
    await writes
    const created = await createdItems(databaseUrl, feedAccounts)
    // Missed notifications never arrive in the control.
    await settled(() => verify(subscribers, created), forgetful ? 4 : 80, log)
    const tally = verify(subscribers, created)
    const createdIds = new Set(created.map(({ id }) => id))
    const lost = confirmed.filter((id) => !createdIds.has(id)).length
    return { kills, seed, answered: confirmed.length, lost, ...tally, seconds: seconds(started) }
  } finally {
    await Promise.all(subscribers.map((subscriber) => subscriber.end()))
    for (const process of running) {
      if (!('child' in process)) await process.stop()
      else {
        process.child.kill('SIGKILL')
        await process.ended
      }
    }
    await folder.remove()
  }
}

/** Removes the scope of feed entries, as a wrong filter would. */
const removeScopes = [
  `create function forget_scope() returns trigger language plpgsql as $$ begin
    new.hints := regexp_replace(new.hints, '"scope":"[^"]*"', '"scope":null', 'g'); return new; end $$`,
  'create trigger forget before insert on feed_entries for each row execute function forget_scope()',
]

/** Citus needs this option for triggers on distributed tables; other servers ignore it. */
function withTriggers(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c citus.enable_unsafe_triggers=on')
  return url.href
}

interface WriteOptions {
  feedAccounts: readonly FeedAccount[]
  random: () => number
  processUrl: () => string
  changes: number
  writers: number
  /** Created ids. */
  confirmed: string[]
}

/** Creates items until this many are confirmed; each has its own id, so that no notification replaces another. */
async function write({ feedAccounts, random, processUrl, changes, writers, confirmed }: WriteOptions) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
  const change = async () => {
    const account = pick(feedAccounts)
    const isUpload = random() < 0.2
    const authors = account.users.filter(({ role }) => (isUpload ? role !== 'read' : role === 'admin'))
    const call = caller(processUrl(), account.id, pick(authors).key)
    if (isUpload) return (await call('POST /app/api/media', { body: { name: 'feed.png', size: 10 } })).json.Upload?.Id
    const { messageId } = pick(account.campaigns)
    const body = { messageId, credentialIds: account.credentialId, status: 'draft', startDateTime: 1_900_000_000 }
    return (await call('POST /post', { body })).json.Post?.Id
  }
  let started = 0
  const writeLoop = async () => {
    while (started < changes) {
      started++
      const id: string | undefined = await change().catch(() => undefined)
      if (id) confirmed.push(id)
      // Not confirmed: create another one instead.
      else started--
    }
  }
  await Promise.all(Array.from({ length: writers }, writeLoop))
}

/** Waits until nothing is missing, or nothing has arrived for a long time. */
async function settled(tally: () => FeedTally, maxIdleRounds: number, log: (line: string) => void) {
  let previousMissed = -1
  for (let idleRounds = 0; idleRounds < maxIdleRounds; idleRounds++) {
    const { missed } = tally()
    if (missed === 0) return
    if (missed !== previousMissed) idleRounds = 0
    previousMissed = missed
    if (idleRounds % 4 === 0) log(`${missed} hints are still to come`)
    await sleep(250)
  }
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1000)

/** An item created during the run, and its visibility. */
export interface CreatedItem {
  account: string
  id: string
  isVisibleTo(user: FeedUser): boolean
}

/** All created items from the database, with their expected visibility. */
async function createdItems(databaseUrl: string, feedAccounts: readonly FeedAccount[]): Promise<CreatedItem[]> {
  const campaigns = new Map(
    feedAccounts.flatMap((account) => account.campaigns.map((campaign) => [campaign.id, campaign])),
  )
  const posts = await ownerQuery<{ account: string; id: string; campaign: string }>(
    databaseUrl,
    'select account_id as account, id, campaign_id as campaign from posts',
  )
  const uploads = await ownerQuery<{ account: string; id: string; by: string }>(
    databaseUrl,
    'select account_id as account, id, created_by as by from uploads',
  )
  return [
    ...posts.map(({ account, id, campaign }) => {
      const teams = campaigns.get(campaign)?.teams ?? []
      const isVisibleTo = (user: FeedUser) =>
        user.role === 'admin' || teams.length === 0 || teams.some((team) => user.teams.includes(team))
      return { account, id, isVisibleTo }
    }),
    ...uploads.map(({ account, id, by }) => ({ account, id, isVisibleTo: (user: FeedUser) => user.id === by })),
  ]
}

export interface FeedTally {
  feeds: number
  made: number
  /** Totals of all feeds: expected, missing and unauthorized notifications. */
  toHear: number
  missed: number
  leaked: number
  /** Received more than once. */
  repeated: number
  resets: number
  many: number
  /** Reconnects. */
  returns: number
}

function verify(subscribers: readonly FeedSubscriber[], created: readonly CreatedItem[]): FeedTally {
  const byAccount = new Map<string, CreatedItem[]>()
  for (const one of created) {
    const group = byAccount.get(one.account)
    if (group) group.push(one)
    else byAccount.set(one.account, [one])
  }
  let [expected, missed, leaked, repeated] = [0, 0, 0, 0]
  for (const { account, user, received } of subscribers) {
    const due = new Set((byAccount.get(account.id) ?? []).filter((one) => one.isVisibleTo(user)).map(({ id }) => id))
    expected += due.size
    missed += [...due].filter((id) => !received.has(id)).length
    leaked += [...received.keys()].filter((id) => !due.has(id)).length
    repeated += [...received.values()].filter((times) => times > 1).length
  }
  const sum = (read: (tally: FeedSubscriber['tally']) => number) =>
    subscribers.reduce((total, { tally }) => total + read(tally), 0)
  return {
    feeds: subscribers.length,
    made: created.length,
    toHear: expected,
    missed,
    leaked,
    repeated,
    resets: sum(({ resets }) => resets),
    many: sum(({ many }) => many),
    returns: sum(({ returns }) => returns),
  }
}

/** Violations of a run. */
export const brokenByFeedKills = ({ missed, leaked, lost, resets }: FeedKillReport): string[] => [
  ...(missed > 0 ? [`${missed} hints were missed`] : []),
  ...(leaked > 0 ? [`${leaked} hints were heard by who may not see them`] : []),
  ...(lost > 0 ? [`${lost} changes that were answered are not there`] : []),
  // A reset would hide missed notifications.
  ...(resets > 0 ? [`${resets} feeds had to begin anew`] : []),
]

/** Runs of the change feed, each on its own database server. */
export const feedRuns = (seed: number, log: (line: string) => void): Record<string, () => Promise<unknown>> => ({
  async feed() {
    const report = await runOnOwnServer({ accounts: 20, feeds: 1_000, changes: 10_000, kills: 12, seed, log })
    return { ...report, broken: brokenByFeedKills(report) }
  },
  async 'feed-control'() {
    const faults = { forgetful: true, unscoped: true }
    const report = await runOnOwnServer({ accounts: 5, feeds: 100, changes: 1_000, kills: 4, seed, log, ...faults })
    const isDetected = report.missed > 0 && report.leaked > 0
    return { ...report, broken: isDetected ? [] : ['the harness saw no damage'] }
  },
})

async function runOnOwnServer(options: Omit<FeedKillOptions, 'databaseUrl' | 'service'>) {
  const [programs, databases] = await Promise.all([buildPrograms(), openDatabases()])
  try {
    const { url } = await databases.empty()
    return await feedKills({ ...options, databaseUrl: url, service: programs.service })
  } finally {
    killChildren()
    await databases.stop()
  }
}
