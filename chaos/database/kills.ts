import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { type CrowdTally, openCrowd } from '../crowd.ts'
import { openClients } from './clients.ts'
import { judgePosts, judgeWrites, type PostTally, type WriteTally } from './judge.ts'
import type { Nodes } from './nodes.ts'
import { openPlace, type Place } from './place.ts'
import { openProbe } from './probe.ts'
import { findVictim } from './victim.ts'

export interface DatabaseKillOptions {
  kills: number
  freezes: number
  /** Longer than the service waits for a database that says nothing. */
  freezeSeconds?: number
  seed: number
  processes?: number
  /** How many write at the same time, and how many click. */
  clients?: number
  visitors?: number
  /** Milliseconds from one question whether the service works to the next. */
  probeEvery?: number
  /** One that is there already, for small runs with small seeds of their own; one that is opened for the run unless told. */
  place?: Place
  /** On a cluster: its nodes, which are killed instead. */
  nodes?: Nodes | undefined
  /** The control: commits are answered before they are on the disk. */
  forgetful?: true
  say?: (line: string) => void
}

export interface DatabaseKillReport {
  kills: number
  freezes: number
  nodeKills?: Readonly<Record<string, number>>
  seed: number
  writes: WriteTally
  posts: PostTally
  clicks: CrowdTally
  reads: { done: number; vanished: number }
  /** What clients were told instead of what they wished. */
  setbacks: Readonly<Record<string, number>>
  /** Milliseconds from each kill until every call was answered well again. */
  slowestBack: number
  slowestThaw: number
  /** Calls that began with a freeze and were not answered by its end. */
  hung: number
  /** Processes of the service that are not those it began with. */
  exits: number
  seconds: number
  broken: string[]
  /** The promises that the control breaks, as it has to. */
  damage?: string[]
}

/** Kills and freezes the database again and again while clients write, visitors click and posts go out; then looks for everything that was answered. */
export async function databaseKills(options: DatabaseKillOptions): Promise<DatabaseKillReport> {
  const { kills, freezes, freezeSeconds = 25, seed, processes = 1, say = () => {} } = options
  const { clients: writing = 12, visitors = 4, nodes } = options
  const begun = performance.now()
  const chance = randomness(seed)
  const place = options.place ?? (await openPlace(processes, nodes !== undefined))
  say(`running at ${place.url}, data in ${place.folder}`)
  const victim = findVictim(place.folder)
  try {
    if (options.forgetful) await answerBeforeDisk(place)
    const family = await place.processes()
    const clients = openClients({ ask: place.ask, chance, count: writing, run: seed })
    const probe = openProbe(place.ask, options.probeEvery)
    const others = options.place ? seed * visitsEach : 0
    const crowd = openCrowd({ links: () => place.links, chance, visitors, after: others, pause: () => 100 })
    let slowestBack = 0
    let slowestThaw = 0
    let hung = 0
    const troubles = nodes ? Array.from({ length: kills }, () => 'node' as const) : mixed(kills, freezes)
    for (const [index, trouble] of troubles.entries()) {
      await Promise.all([sleep(500 + chance() * 1_000), clients.answered(writing)])
      clients.hurry(true)
      await sleep(300 + chance() * 700)
      const struck = performance.now()
      if (trouble === 'freeze') {
        await victim.freeze(freezeSeconds * 1_000)
        hung += probe.unanswered(struck, struck + 3_000, performance.now() - 1_000)
      } else if (trouble === 'node') await nodes?.strike()
      else if (trouble === 'server') await victim.killServer()
      else await victim.killBackend(chance)
      clients.hurry(false)
      const back = await probe.backSince(trouble === 'freeze' ? performance.now() : struck)
      if (trouble === 'freeze') slowestThaw = Math.max(slowestThaw, back)
      else slowestBack = Math.max(slowestBack, back)
      say(`${index + 1} of ${troubles.length} (${trouble}): back after ${back} ms, ${clients.wishes.length} wishes`)
    }
    await Promise.all([clients.end(), probe.end(), crowd.end()])
    await nodes?.settled()
    await settled(place)
    const after = await place.processes()
    const found = {
      writes: await judgeWrites(place.databaseUrl, clients.wishes),
      posts: await judgePosts(place.databaseUrl, clients.wishes, await place.published()),
      clicks: await crowd.tally(place.databaseUrl),
      reads: clients.reads(),
      setbacks: clients.setbacks,
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

/** More than one run has. */
const visitsEach = 1_000_000

type Trouble = 'server' | 'backend' | 'freeze' | 'node'

/** Kills of the server and of single connections in turn, and the freezes spread among them. */
function mixed(kills: number, freezes: number): Trouble[] {
  const troubles: Trouble[] = Array.from({ length: kills }, (_, index) => (index % 2 === 0 ? 'server' : 'backend'))
  for (let freeze = freezes; freeze > 0; freeze--) troubles.splice(Math.ceil((kills / freezes) * freeze), 0, 'freeze')
  return troubles
}

async function answerBeforeDisk({ databaseUrl }: Place) {
  await ownerQuery(databaseUrl, 'alter system set synchronous_commit = off')
  await ownerQuery(databaseUrl, "alter system set wal_writer_delay = '2s'")
  await ownerQuery(databaseUrl, 'select pg_reload_conf()')
}

/** Waits until nothing is on its way: posts, and clicks that visitors were sent on without. */
async function settled({ databaseUrl }: Place) {
  const open = `select (select count(*)::int from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
      join messages m on m.account_id = p.account_id and m.id = p.message_id and m.message like '%pg-%' where s.state in ('waiting', 'preparing', 'sending', 'unknown'))
    + (select count(*)::int from click_bundles) as open`
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
