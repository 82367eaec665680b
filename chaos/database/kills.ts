import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import type { Caller } from '../../tests/support/caller.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { openVisitors, type VisitTally } from '../visitors.ts'
import { type CreateRequest, type Kind, openClients } from './clients.ts'
import { type DatabaseInstallation, openDatabaseInstallation } from './installation.ts'
import { findVictim, type Nodes } from './victims.ts'

export interface DatabaseKillOptions {
  kills: number
  freezes: number
  /** Longer than the database timeout of the service. */
  freezeSeconds?: number
  seed: number
  processes?: number
  /** Concurrent writers and clicking visitors. */
  clients?: number
  visitors?: number
  /** Probe interval in milliseconds. */
  probeEvery?: number
  /** An existing installation, for small runs; by default a new one is started. */
  place?: DatabaseInstallation
  /** On a cluster: its nodes, which are killed instead of the embedded server. */
  nodes?: Nodes | undefined
  /** Negative control: commits are confirmed before they are on disk. */
  forgetful?: true
  log?: (line: string) => void
}

export interface DatabaseKillReport {
  kills: number
  freezes: number
  nodeKills?: Readonly<Record<string, number>>
  seed: number
  writes: WriteTally
  posts: PostTally
  clicks: VisitTally
  reads: { done: number; vanished: number }
  /** Failed responses of the clients. */
  setbacks: Readonly<Record<string, number>>
  /** Recovery time after each kill in milliseconds. */
  slowestBack: number
  slowestThaw: number
  /** Requests that started during a freeze and had no response by its end. */
  hung: number
  /** Processes of the service that were replaced. */
  exits: number
  seconds: number
  broken: string[]
  /** Violations that the negative control causes, as expected. */
  damage?: string[]
}

/** Kills and freezes the database repeatedly while clients write, visitors click and posts are published; then verifies every confirmed request. */
export async function databaseKills(options: DatabaseKillOptions): Promise<DatabaseKillReport> {
  const { kills, freezes, freezeSeconds = 25, seed, processes = 1, log = () => {} } = options
  const { clients: writing = 12, visitors = 4, nodes } = options
  const begun = performance.now()
  const random = randomness(seed)
  const place = options.place ?? (await openDatabaseInstallation(processes, nodes !== undefined))
  log(`running at ${place.url}, data in ${place.folder}`)
  const victim = findVictim(place.folder)
  try {
    if (options.forgetful) await answerBeforeDisk(place)
    const family = await place.processes()
    const clients = openClients({ ask: place.ask, random, count: writing, run: seed })
    const probe = openProbe(place.ask, options.probeEvery)
    const others = options.place ? seed * visitsEach : 0
    const crowd = openVisitors({ links: () => place.links, random, visitors, after: others, pause: () => 100 })
    let slowestBack = 0
    let slowestThaw = 0
    let hung = 0
    const troubles = nodes ? Array.from({ length: kills }, () => 'node' as const) : mixed(kills, freezes)
    for (const [index, trouble] of troubles.entries()) {
      await Promise.all([sleep(500 + random() * 1_000), clients.answered(writing)])
      clients.hurry(true)
      await sleep(300 + random() * 700)
      const struck = performance.now()
      if (trouble === 'freeze') {
        await victim.freeze(freezeSeconds * 1_000)
        hung += probe.unanswered(struck, struck + 3_000, performance.now() - 1_000)
      } else if (trouble === 'node') await nodes?.strike()
      else if (trouble === 'server') await victim.killServer()
      else await victim.killBackend(random)
      clients.hurry(false)
      const back = await probe.backSince(trouble === 'freeze' ? performance.now() : struck)
      if (trouble === 'freeze') slowestThaw = Math.max(slowestThaw, back)
      else slowestBack = Math.max(slowestBack, back)
      log(`${index + 1} of ${troubles.length} (${trouble}): back after ${back} ms, ${clients.requests.length} wishes`)
    }
    await Promise.all([clients.end(), probe.end(), crowd.end()])
    await nodes?.settled()
    await settled(place)
    const after = await place.processes()
    const found = {
      writes: await judgeWrites(place.databaseUrl, clients.requests),
      posts: await judgePosts(place.databaseUrl, clients.requests, await place.published()),
      clicks: await crowd.tally(place.databaseUrl),
      reads: clients.reads(),
      setbacks: clients.failures,
      slowestBack,
      slowestThaw,
      hung,
      exits: family.filter((pid) => !after.includes(pid)).length,
    }
    const seconds = Math.round((performance.now() - begun) / 1000)
    const broken = brokenPromises(found)
    const seen = options.forgetful
      ? { damage: broken, broken: broken.length > 0 ? [] : ['the harness sees no damage'] }
      : { broken }
    return {
      kills,
      freezes: nodes ? 0 : freezes,
      ...(nodes && { nodeKills: nodes.kills }),
      seed,
      ...found,
      seconds,
      ...seen,
    }
  } finally {
    if (!options.place) await place.stop()
  }
}

/** More than one run uses. */
const visitsEach = 1_000_000

type Trouble = 'server' | 'backend' | 'freeze' | 'node'

/** Alternates kills of the server and of single connections, with freezes in between. */
function mixed(kills: number, freezes: number): Trouble[] {
  const troubles: Trouble[] = Array.from({ length: kills }, (_, index) => (index % 2 === 0 ? 'server' : 'backend'))
  for (let freeze = freezes; freeze > 0; freeze--) troubles.splice(Math.ceil((kills / freezes) * freeze), 0, 'freeze')
  return troubles
}

async function answerBeforeDisk({ databaseUrl }: DatabaseInstallation) {
  await ownerQuery(databaseUrl, 'alter system set synchronous_commit = off')
  await ownerQuery(databaseUrl, "alter system set wal_writer_delay = '2s'")
  await ownerQuery(databaseUrl, 'select pg_reload_conf()')
}

/** Waits until no posts and clicks are pending. */
async function settled({ databaseUrl }: DatabaseInstallation) {
  const open = `select (select count(*)::int from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
      join messages m on m.account_id = p.account_id and m.id = p.message_id and m.message like '%pg-%' where s.state in ('waiting', 'preparing', 'sending', 'unknown'))
    + (select count(*)::int from click_batches) as open`
  for (let quiet = 0; quiet < 480; quiet++) {
    const [row] = await ownerQuery<{ open: number }>(databaseUrl, open)
    if (row?.open === 0) return
    await sleep(250)
  }
}

type Found = Omit<DatabaseKillReport, 'kills' | 'freezes' | 'nodeKills' | 'seed' | 'seconds' | 'broken' | 'damage'>

const backLimit = 10_000

function brokenPromises({
  writes,
  posts,
  clicks,
  reads,
  setbacks,
  slowestBack,
  slowestThaw,
  hung,
  exits,
}: Found): string[] {
  const promises: Record<string, boolean> = {
    'answered writes are there, once': writes.lost + writes.doubled + reads.vanished === 0,
    'answered posts are published, once': posts.lost + posts.doubled === 0,
    'answered clicks are there, once': clicks.lost + clicks.doubled + clicks.writtenTwice === 0,
    'whoever is refused is told when to come again': !('503 without Retry-After' in setbacks) && !('500' in setbacks),
    'back within 10 s': Math.max(slowestBack, slowestThaw) <= backLimit,
    'no call waits for a frozen database to wake up': hung === 0,
    'no process of the service ends': exits === 0,
  }
  return Object.keys(promises).filter((name) => !promises[name])
}

/** Outcome of all client requests. */
export interface WriteTally {
  wishes: number
  answered: number
  /** Confirmed but missing. */
  lost: number
  /** Stored more than once, or confirmed with different ids. */
  doubled: number
  /** Stored without a confirmation. */
  written: number
}

const stored: Record<Exclude<Kind, 'post'>, string> = {
  tag: `select id, tag as words from tags where tag like 'pg-%'`,
  campaign: `select id, name as words from campaigns where name like 'pg-%'`,
  message: `select id, substring(message from 'pg-\\d+-\\d+-message') as words from messages where message like '%pg-%'`,
}

/** Compares the confirmed requests with the database. */
async function judgeWrites(databaseUrl: string, wishes: readonly CreateRequest[]): Promise<WriteTally> {
  const found = new Map<string, string[]>()
  for (const text of Object.values(stored)) {
    for (const { id, words } of await ownerQuery<{ id: string; words: string }>(databaseUrl, text))
      found.set(words, [...(found.get(words) ?? []), id])
  }
  const posts = new Set((await ownerQuery<{ id: string }>(databaseUrl, 'select id from posts')).map(({ id }) => id))
  const idsOf = ({ kind, text, ids }: CreateRequest) =>
    kind === 'post' ? [...ids].filter((id) => posts.has(id)) : (found.get(text) ?? [])
  const answered = wishes.filter(({ ids }) => ids.size > 0)
  const isThere = (wish: CreateRequest) => [...wish.ids].every((id) => idsOf(wish).includes(id))
  return {
    wishes: wishes.length,
    answered: answered.length,
    lost: answered.filter((wish) => !isThere(wish)).length,
    doubled: wishes.filter((wish) => wish.ids.size > 1 || idsOf(wish).length > 1).length,
    written: wishes.filter((wish) => wish.ids.size === 0 && idsOf(wish).length > 0).length,
  }
}

export interface PostTally {
  posts: number
  /** Confirmed but on no network. */
  lost: number
  /** On the network more than once. */
  doubled: number
}

/** Compares the confirmed posts with the networks by the text of their messages. */
async function judgePosts(
  databaseUrl: string,
  wishes: readonly CreateRequest[],
  texts: readonly string[],
): Promise<PostTally> {
  const published = new Map<string, number>()
  for (const text of texts) {
    const words = /pg-\d+-\d+-message/.exec(text)?.[0]
    if (words) published.set(words, (published.get(words) ?? 0) + 1)
  }
  const rows = await ownerQuery<{ id: string; words: string }>(
    databaseUrl,
    `select p.id, substring(m.message from 'pg-\\d+-\\d+-message') as words from posts p
     join messages m on m.account_id = p.account_id and m.id = p.message_id where m.message like '%pg-%'`,
  )
  const wordsOf = new Map(rows.map(({ id, words }) => [id, words]))
  const answered = wishes.filter(({ kind, ids }) => kind === 'post' && ids.size > 0)
  return {
    posts: answered.length,
    lost: answered.filter(({ ids }) => [...ids].some((id) => !published.has(wordsOf.get(id) ?? ''))).length,
    doubled: [...published.values()].filter((times) => times > 1).length,
  }
}

interface Asked {
  begun: number
  ended?: number
  good?: boolean
}

/** Sends requests at a fixed interval, without waiting for responses. */
export interface Probe {
  /** Waits until the service has recovered; returns the milliseconds since then until all later requests succeed. */
  backSince(moment: number): Promise<number>
  /** Number of requests started in a period without a response at a later time. */
  unanswered(from: number, to: number, at: number): number
  end(): Promise<void>
}

/** The service counts as recovered after this long without failures. */
const steady = 2_000
const patience = 120_000

function openProbe(ask: Caller, every = 100): Probe {
  const asked: Asked[] = []
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const one: Asked = { begun: performance.now() }
    asked.push(one)
    const asking = ask('POST /team/025demo00000001', { body: { name: 'Europe' } })
      .then(({ status }) => status === 200)
      .catch(() => false)
      .then((good) => {
        one.good = good
        one.ended = performance.now()
        open.delete(asking)
      })
    open.add(asking)
  }, every)

  return {
    async backSince(moment) {
      for (;;) {
        const since = asked.filter(({ begun }) => begun >= moment)
        const late = performance.now() - steady
        const bad = since.filter(({ begun, good = begun > late }) => !good).at(-1)
        const firstGood = since.find(({ begun, good }) => good && begun > (bad?.begun ?? moment))
        if (firstGood && firstGood.begun < late) return Math.round(bad ? (firstGood.ended ?? 0) - moment : 0)
        if (performance.now() - moment > patience) return patience
        await sleep(every)
      }
    },
    unanswered: (from, to, at) =>
      asked.filter(({ begun, ended = Number.POSITIVE_INFINITY }) => begun >= from && begun < to && ended > at).length,
    async end() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}
