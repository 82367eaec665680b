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
  inside?: true
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
  const { inside } = options
  const log = options.log ?? (() => {})
  const begun = performance.now()
  const random = randomness(seed)
  const folder = await temporaryFolder()
  const world = await createAccounts(databaseUrl, accounts, Math.ceil(feeds / accounts), random)
  if (options.unscoped) for (const statement of forgetScopes) await ownerQuery(withTriggers(databaseUrl), statement)
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
  const victimOf = (kill: number) => (inside ? processes - 1 : kill % processes)
  const start = (isVictim: boolean): Promise<RunningService | ServiceChild> =>
    inside && !isVictim ? startInProcess(environment) : startChild(options.service, environment)
  const running = await Promise.all(
    Array.from({ length: processes }, (_, index) => start(kills > 0 && index === victimOf(1))),
  )
  const place = () => (running[Math.floor(random() * running.length)] as RunningService).url
  let listeners: FeedSubscriber[] = []
  try {
    const people = world.flatMap((account) => account.users.map((user) => ({ account, user }))).slice(0, feeds)
    listeners = await Promise.all(people.map((who) => openSubscriber({ ...who, place, forgetful })))
    log(`${listeners.length} feeds are open after ${seconds(begun)} s`)
    const answered: string[] = []
    const writing = write({ world, random, place, changes, writers, answered })
    const enough = async (wanted: number) => {
      while (answered.length < wanted) await sleep(10)
    }
    if (kills === 0) {
      await enough(changes / 4)
      const away = enough(changes / 2)
      for (const listener of listeners) if (random() < 0.5) listener.hangUp(away)
    }
    for (let kill = 1; kill <= kills; kill++) {
      await enough(Math.round((changes * kill) / (kills + 1)))
      await sleep(random() * 50)
      const index = victimOf(kill)
      const victim = running[index] as ServiceChild
      victim.child.kill('SIGKILL')
      await victim.ended
      // Some subscribers disconnect on their own.
      for (const listener of listeners) if (random() < 0.05) listener.hangUp()
      log(`kill ${kill} of ${kills}: ${answered.length} changes answered`)
      running[index] = await start(kill < kills)
    }
    await writing
    const made = await everythingMade(databaseUrl, world)
    // Missed notifications never arrive in the control.
    await settled(() => judge(listeners, made), forgetful ? 4 : 80, log)
    const tally = judge(listeners, made)
    const there = new Set(made.map(({ id }) => id))
    const lost = answered.filter((id) => !there.has(id)).length
    return { kills, seed, answered: answered.length, lost, ...tally, seconds: seconds(begun) }
  } finally {
    await Promise.all(listeners.map((listener) => listener.end()))
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
const forgetScopes = [
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

interface Writing {
  world: readonly FeedAccount[]
  random: () => number
  place: () => string
  changes: number
  writers: number
  /** Created ids. */
  answered: string[]
}

/** Creates items until this many are confirmed; each has its own id, so that no notification replaces another. */
async function write({ world, random, place, changes, writers, answered }: Writing) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
  const change = async () => {
    const account = pick(world)
    const isUpload = random() < 0.2
    const makers = account.users.filter(({ role }) => (isUpload ? role !== 'read' : role === 'admin'))
    const ask = caller(place(), account.id, pick(makers).key)
    if (isUpload) return (await ask('POST /app/api/media', { body: { name: 'feed.png', size: 10 } })).json.Upload?.Id
    const { messageId } = pick(account.campaigns)
    const body = { messageId, credentialIds: account.credentialId, status: 'draft', startDateTime: 1_900_000_000 }
    return (await ask('POST /post', { body })).json.Post?.Id
  }
  let begun = 0
  const work = async () => {
    while (begun < changes) {
      begun++
      const id: string | undefined = await change().catch(() => undefined)
      if (id) answered.push(id)
      // Not confirmed: create another one instead.
      else begun--
    }
  }
  await Promise.all(Array.from({ length: writers }, work))
}

/** Waits until nothing is missing, or nothing has arrived for a long time. */
async function settled(tally: () => FeedTally, patience: number, log: (line: string) => void) {
  let before = -1
  for (let quiet = 0; quiet < patience; quiet++) {
    const { missed } = tally()
    if (missed === 0) return
    if (missed !== before) quiet = 0
    before = missed
    if (quiet % 4 === 0) log(`${missed} hints are still to come`)
    await sleep(250)
  }
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1000)

/** An item created during the run, and its visibility. */
export interface Made {
  account: string
  id: string
  isSeenBy(user: FeedUser): boolean
}

/** All created items from the database, with their expected visibility. */
async function everythingMade(databaseUrl: string, world: readonly FeedAccount[]): Promise<Made[]> {
  const campaigns = new Map(world.flatMap((account) => account.campaigns.map((campaign) => [campaign.id, campaign])))
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
      const isSeenBy = (user: FeedUser) =>
        user.role === 'admin' || teams.length === 0 || teams.some((team) => user.teams.includes(team))
      return { account, id, isSeenBy }
    }),
    ...uploads.map(({ account, id, by }) => ({ account, id, isSeenBy: (user: FeedUser) => user.id === by })),
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

function judge(listeners: readonly FeedSubscriber[], made: readonly Made[]): FeedTally {
  const byAccount = new Map<string, Made[]>()
  for (const one of made) {
    const group = byAccount.get(one.account)
    if (group) group.push(one)
    else byAccount.set(one.account, [one])
  }
  let [toHear, missed, leaked, repeated] = [0, 0, 0, 0]
  for (const { account, user, heard } of listeners) {
    const due = new Set((byAccount.get(account.id) ?? []).filter((one) => one.isSeenBy(user)).map(({ id }) => id))
    toHear += due.size
    missed += [...due].filter((id) => !heard.has(id)).length
    leaked += [...heard.keys()].filter((id) => !due.has(id)).length
    repeated += [...heard.values()].filter((times) => times > 1).length
  }
  const sum = (read: (tally: FeedSubscriber['tally']) => number) =>
    listeners.reduce((total, { tally }) => total + read(tally), 0)
  return {
    feeds: listeners.length,
    made: made.length,
    toHear,
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
    const report = await alone({ accounts: 20, feeds: 1_000, changes: 10_000, kills: 12, seed, log })
    return { ...report, broken: brokenByFeedKills(report) }
  },
  async 'feed-control'() {
    const harm = { forgetful: true, unscoped: true }
    const report = await alone({ accounts: 5, feeds: 100, changes: 1_000, kills: 4, seed, log, ...harm })
    const isSeen = report.missed > 0 && report.leaked > 0
    return { ...report, broken: isSeen ? [] : ['the harness saw no damage'] }
  },
})

async function alone(options: Omit<FeedKillOptions, 'databaseUrl' | 'service'>) {
  const [programs, databases] = await Promise.all([buildPrograms(), openDatabases()])
  try {
    const { url } = await databases.empty()
    return await feedKills({ ...options, databaseUrl: url, service: programs.service })
  } finally {
    killChildren()
    await databases.stop()
  }
}
