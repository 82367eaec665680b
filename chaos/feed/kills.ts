import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { newKeyring } from '#kernel/secrets/keyring.ts'
import { caller } from '../../tests/support/caller.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { type ServiceChild, startChild } from '../publishing/service-child.ts'
import { type RunningService, startInside } from '../publishing/service-inside.ts'
import { everythingMade, type FeedTally, judge } from './judge.ts'
import { type FeedListener, openListener } from './listener.ts'
import { type FeedAccount, makeWorld } from './world.ts'

export interface FeedKillOptions {
  accounts: number
  /** Open at the same time, each of another user. */
  feeds: number
  changes: number
  /** Where nobody is killed, half of those who listen are away for a while. */
  kills: number
  seed: number
  /** Migrated and empty. */
  databaseUrl: string
  /** A process of the service as `buildPrograms` gives it. */
  service: string
  processes?: number
  /** What is not killed runs in this process: for small runs. */
  inside?: true
  writers?: number
  /** Broken on purpose, for the control: nobody says what they heard last; entries forget who may see them. */
  forgetful?: boolean
  unscoped?: boolean
  say?: (line: string) => void
}

export interface FeedKillReport extends FeedTally {
  kills: number
  seed: number
  /** Changes that were answered, and of these the ones that are not there. */
  answered: number
  lost: number
  seconds: number
}

/** Kills processes again and again while many listen and much changes; then compares what each of them heard with what there is. */
export async function feedKills(options: FeedKillOptions): Promise<FeedKillReport> {
  const { accounts, feeds, changes, kills, seed, databaseUrl, processes = 3, writers = 12, forgetful = false } = options
  const { inside } = options
  const say = options.say ?? (() => {})
  const begun = performance.now()
  const chance = randomness(seed)
  const folder = await temporaryFolder()
  const world = await makeWorld(databaseUrl, accounts, Math.ceil(feeds / accounts), chance)
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
    inside && !isVictim ? startInside(environment) : startChild(options.service, environment)
  const running = await Promise.all(
    Array.from({ length: processes }, (_, index) => start(kills > 0 && index === victimOf(1))),
  )
  const place = () => (running[Math.floor(chance() * running.length)] as RunningService).url
  let listeners: FeedListener[] = []
  try {
    const people = world.flatMap((account) => account.users.map((user) => ({ account, user }))).slice(0, feeds)
    listeners = await Promise.all(people.map((who) => openListener({ ...who, place, forgetful })))
    say(`${listeners.length} feeds are open after ${seconds(begun)} s`)
    const answered: string[] = []
    const writing = write({ world, chance, place, changes, writers, answered })
    const enough = async (wanted: number) => {
      while (answered.length < wanted) await sleep(10)
    }
    if (kills === 0) {
      await enough(changes / 4)
      const away = enough(changes / 2)
      for (const listener of listeners) if (chance() < 0.5) listener.hangUp(away)
    }
    for (let kill = 1; kill <= kills; kill++) {
      await enough(Math.round((changes * kill) / (kills + 1)))
      await sleep(chance() * 50)
      const index = victimOf(kill)
      const victim = running[index] as ServiceChild
      victim.child.kill('SIGKILL')
      await victim.ended
      // Others hang up by themselves.
      for (const listener of listeners) if (chance() < 0.05) listener.hangUp()
      say(`kill ${kill} of ${kills}: ${answered.length} changes answered`)
      running[index] = await start(kill < kills)
    }
    await writing
    const made = await everythingMade(databaseUrl, world)
    // What somebody forgot never comes.
    await settled(() => judge(listeners, made), forgetful ? 4 : 80, say)
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

/** Everybody may see everything: what a wrong filter would do. */
const forgetScopes = [
  `create function forget_scope() returns trigger language plpgsql as $$ begin
    new.hints := regexp_replace(new.hints, '"scope":"[^"]*"', '"scope":null', 'g'); return new; end $$`,
  'create trigger forget before insert on feed_entries for each row execute function forget_scope()',
]

/** A cluster has to be asked for triggers on tables of accounts; other servers keep the name and do nothing with it. */
function withTriggers(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c citus.enable_unsafe_triggers=on')
  return url.href
}

interface Writing {
  world: readonly FeedAccount[]
  chance: () => number
  place: () => string
  changes: number
  writers: number
  /** Ids of what was made. */
  answered: string[]
}

/** Makes one thing after the other until so many were answered: each has an id of its own, so that no hint stands for another. */
async function write({ world, chance, place, changes, writers, answered }: Writing) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(chance() * values.length)] as Value
  const change = async () => {
    const account = pick(world)
    const isUpload = chance() < 0.2
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
      // Not answered: another one instead.
      else begun--
    }
  }
  await Promise.all(Array.from({ length: writers }, work))
}

/** Waits until nothing is missed, or nothing more has come for a long time. */
async function settled(tally: () => FeedTally, patience: number, say: (line: string) => void) {
  let before = -1
  for (let quiet = 0; quiet < patience; quiet++) {
    const { missed } = tally()
    if (missed === 0) return
    if (missed !== before) quiet = 0
    before = missed
    if (quiet % 4 === 0) say(`${missed} hints are still to come`)
    await sleep(250)
  }
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1000)
