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
  probeIntervalMs?: number
  /** An existing installation, for small runs; by default a new one is started. */
  installation?: DatabaseInstallation
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
  const { clients: writers = 12, visitors = 4, nodes } = options
  const started = performance.now()
  const random = randomness(seed)
  const installation = options.installation ?? (await openDatabaseInstallation(processes, nodes !== undefined))
  log(`running at ${installation.url}, data in ${installation.folder}`)
  const victim = findVictim(installation.folder)
  try {
    if (options.forgetful) await disableSynchronousCommit(installation)
    const initialProcesses = await installation.processes()
    const clients = openClients({ call: installation.call, random, count: writers, run: seed })
    const probe = openProbe(installation.call, options.probeIntervalMs)
    const visitOffset = options.installation ? seed * visitsEach : 0
    const visitorTraffic = openVisitors({
      links: () => installation.links,
      random,
      visitors,
      after: visitOffset,
      pause: () => 100,
    })
    let slowestBack = 0
    let slowestThaw = 0
    let hung = 0
    const faults = nodes ? Array.from({ length: kills }, () => 'node' as const) : mixedFaults(kills, freezes)
    for (const [index, fault] of faults.entries()) {
      await Promise.all([sleep(500 + random() * 1_000), clients.waitForConfirmed(writers)])
      clients.setContinuous(true)
      await sleep(300 + random() * 700)
      const faultStarted = performance.now()
      if (fault === 'freeze') {
        await victim.freeze(freezeSeconds * 1_000)
        hung += probe.pendingAt(faultStarted, faultStarted + 3_000, performance.now() - 1_000)
      } else if (fault === 'node') await nodes?.killNext()
      else if (fault === 'server') await victim.killServer()
      else await victim.killBackend(random)
      clients.setContinuous(false)
      const recoveryMs = await probe.recoveredSince(fault === 'freeze' ? performance.now() : faultStarted)
      if (fault === 'freeze') slowestThaw = Math.max(slowestThaw, recoveryMs)
      else slowestBack = Math.max(slowestBack, recoveryMs)
      log(`${index + 1} of ${faults.length} (${fault}): back after ${recoveryMs} ms, ${clients.requests.length} wishes`)
    }
    await Promise.all([clients.end(), probe.end(), visitorTraffic.end()])
    await nodes?.settled()
    await settled(installation)
    const currentProcesses = await installation.processes()
    const found = {
      writes: await verifyWrites(installation.databaseUrl, clients.requests),
      posts: await verifyPosts(installation.databaseUrl, clients.requests, await installation.published()),
      clicks: await visitorTraffic.tally(installation.databaseUrl),
      reads: clients.reads(),
      setbacks: clients.failures,
      slowestBack,
      slowestThaw,
      hung,
      exits: initialProcesses.filter((pid) => !currentProcesses.includes(pid)).length,
    }
    const seconds = Math.round((performance.now() - started) / 1000)
    const broken = violations(found)
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
    if (!options.installation) await installation.stop()
  }
}

/** More than one run uses. */
const visitsEach = 1_000_000

type Fault = 'server' | 'backend' | 'freeze' | 'node'

/** Alternates kills of the server and of single connections, with freezes in between. */
function mixedFaults(kills: number, freezes: number): Fault[] {
  const faults: Fault[] = Array.from({ length: kills }, (_, index) => (index % 2 === 0 ? 'server' : 'backend'))
  for (let freeze = freezes; freeze > 0; freeze--) faults.splice(Math.ceil((kills / freezes) * freeze), 0, 'freeze')
  return faults
}

async function disableSynchronousCommit({ databaseUrl }: DatabaseInstallation) {
  await ownerQuery(databaseUrl, 'alter system set synchronous_commit = off')
  await ownerQuery(databaseUrl, "alter system set wal_writer_delay = '2s'")
  await ownerQuery(databaseUrl, 'select pg_reload_conf()')
}

/** Waits until no posts and clicks are pending. */
async function settled({ databaseUrl }: DatabaseInstallation) {
  const open = `select (select count(*)::int from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
      join messages m on m.account_id = p.account_id and m.id = p.message_id and m.message like '%pg-%' where s.state in ('waiting', 'preparing', 'sending', 'unknown'))
    + (select count(*)::int from click_batches) as open`
  for (let idleRounds = 0; idleRounds < 480; idleRounds++) {
    const [row] = await ownerQuery<{ open: number }>(databaseUrl, open)
    if (row?.open === 0) return
    await sleep(250)
  }
}

type Found = Omit<DatabaseKillReport, 'kills' | 'freezes' | 'nodeKills' | 'seed' | 'seconds' | 'broken' | 'damage'>

const maxRecoveryMs = 10_000

function violations({
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
  const guarantees: Record<string, boolean> = {
    'answered writes are there, once': writes.lost + writes.doubled + reads.vanished === 0,
    'answered posts are published, once': posts.lost + posts.doubled === 0,
    'answered clicks are there, once': clicks.lost + clicks.doubled + clicks.writtenTwice === 0,
    'whoever is refused is told when to come again': !('503 without Retry-After' in setbacks) && !('500' in setbacks),
    'back within 10 s': Math.max(slowestBack, slowestThaw) <= maxRecoveryMs,
    'no call waits for a frozen database to wake up': hung === 0,
    'no process of the service ends': exits === 0,
  }
  return Object.keys(guarantees).filter((name) => !guarantees[name])
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
async function verifyWrites(databaseUrl: string, requests: readonly CreateRequest[]): Promise<WriteTally> {
  const found = new Map<string, string[]>()
  for (const text of Object.values(stored)) {
    for (const { id, words: token } of await ownerQuery<{ id: string; words: string }>(databaseUrl, text))
      found.set(token, [...(found.get(token) ?? []), id])
  }
  const posts = new Set((await ownerQuery<{ id: string }>(databaseUrl, 'select id from posts')).map(({ id }) => id))
  const idsOf = ({ kind, text, ids }: CreateRequest) =>
    kind === 'post' ? [...ids].filter((id) => posts.has(id)) : (found.get(text) ?? [])
  const confirmed = requests.filter(({ ids }) => ids.size > 0)
  const isStored = (request: CreateRequest) => [...request.ids].every((id) => idsOf(request).includes(id))
  return {
    wishes: requests.length,
    answered: confirmed.length,
    lost: confirmed.filter((request) => !isStored(request)).length,
    doubled: requests.filter((request) => request.ids.size > 1 || idsOf(request).length > 1).length,
    written: requests.filter((request) => request.ids.size === 0 && idsOf(request).length > 0).length,
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
async function verifyPosts(
  databaseUrl: string,
  requests: readonly CreateRequest[],
  texts: readonly string[],
): Promise<PostTally> {
  const published = new Map<string, number>()
  for (const text of texts) {
    const token = /pg-\d+-\d+-message/.exec(text)?.[0]
    if (token) published.set(token, (published.get(token) ?? 0) + 1)
  }
  const rows = await ownerQuery<{ id: string; words: string }>(
    databaseUrl,
    `select p.id, substring(m.message from 'pg-\\d+-\\d+-message') as words from posts p
     join messages m on m.account_id = p.account_id and m.id = p.message_id where m.message like '%pg-%'`,
  )
  const tokenOf = new Map(rows.map(({ id, words: token }) => [id, token]))
  const confirmed = requests.filter(({ kind, ids }) => kind === 'post' && ids.size > 0)
  return {
    posts: confirmed.length,
    lost: confirmed.filter(({ ids }) => [...ids].some((id) => !published.has(tokenOf.get(id) ?? ''))).length,
    doubled: [...published.values()].filter((times) => times > 1).length,
  }
}

interface ProbeRequest {
  started: number
  ended?: number
  isSuccess?: boolean
}

/** Sends requests at a fixed interval, without waiting for responses. */
export interface Probe {
  /** Waits until the service has recovered; returns the milliseconds since then until all later requests succeed. */
  recoveredSince(start: number): Promise<number>
  /** Number of requests started in a period without a response at a later time. */
  pendingAt(from: number, to: number, at: number): number
  end(): Promise<void>
}

/** The service counts as recovered after this long without failures. */
const stableMs = 2_000
const timeoutMs = 120_000

function openProbe(call: Caller, intervalMs = 100): Probe {
  const sentRequests: ProbeRequest[] = []
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const one: ProbeRequest = { started: performance.now() }
    sentRequests.push(one)
    const pending = call('POST /team/025demo00000001', { body: { name: 'Europe' } })
      .then(({ status }) => status === 200)
      .catch(() => false)
      .then((isSuccess) => {
        one.isSuccess = isSuccess
        one.ended = performance.now()
        open.delete(pending)
      })
    open.add(pending)
  }, intervalMs)

  return {
    async recoveredSince(start) {
      for (;;) {
        const since = sentRequests.filter(({ started }) => started >= start)
        const late = performance.now() - stableMs
        const lastFailure = since.filter(({ started, isSuccess = started > late }) => !isSuccess).at(-1)
        const firstSuccess = since.find(
          ({ started, isSuccess }) => isSuccess && started > (lastFailure?.started ?? start),
        )
        if (firstSuccess && firstSuccess.started < late)
          return Math.round(lastFailure ? (firstSuccess.ended ?? 0) - start : 0)
        if (performance.now() - start > timeoutMs) return timeoutMs
        await sleep(intervalMs)
      }
    },
    pendingAt: (from, to, at) =>
      sentRequests.filter(
        ({ started, ended = Number.POSITIVE_INFINITY }) => started >= from && started < to && ended > at,
      ).length,
    async end() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}
