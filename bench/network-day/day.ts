import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstReading, nextFollowers, nextReading, pause } from '#areas/analytics/metrics/profile-metrics.ts'
import { openBudgets } from '#areas/profiles/budget/budgets.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import type { Actor, Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Draft, MediaRef, Progress } from '#networks/connector/draft.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { samples, testSandbox } from '../../sandbox/sandbox.fixture.ts'

/** Options of the simulated installation. */
interface DayOptions {
  networks: readonly Network[]
  profiles: number
  hours: number
  busy: boolean
  /** A migrated database that stores the budget usage. */
  databaseUrl: string
  /** Polls every network at this interval in milliseconds, ignoring limits and prices. */
  fixedMs?: number
}

/** Cost and service quality of a day on one network. */
export interface DayResult {
  network: Network
  calls: number
  refused: number
  units: { [bucket: string]: number }
  dollars: number
  posts: number
  replies: number
  failed: number
  /** Maximum delay of a post or reply in seconds. */
  latestSeconds: number
  arrivals: number
  missed: number
  /** Maximum delay from an activity to its inbox entry in seconds. */
  slowestSeconds: number
}

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 18, 8, 0, 0)

/** Simulates a day of an installation against the sandbox, on a simulated clock. */
export async function simulateDay(options: DayOptions): Promise<DayResult[]> {
  let now = start
  const clock = { now: () => new Date(now) }
  const sandbox = await testSandbox({ clock })
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  // Every run simulates the same day, so usage of earlier runs is deleted.
  await ownerQuery(options.databaseUrl, 'truncate network_usage, network_read_pauses, push_routes')
  const database = openDatabase({ url: options.databaseUrl, connections: 2 })
  const sandboxed = sandboxApps(sandbox.url)
  // The pay-per-use plan.
  const apps = { ...sandboxed, Twitter: { ...sandboxed.Twitter, options: { tier: 'self-serve' } } }
  const isLimited = () => options.fixedMs === undefined
  const report = (error: unknown) => console.error(error)
  const optionsOf = (network: Network) => apps[network].options
  const budgets = await openBudgets({ database, clock, options: optionsOf, isPaced: isLimited, report })
  const networks = openNetworks(apps, { outbound, clock }, budgets)
  const files = await serveFiles()
  const results: DayResult[] = []
  try {
    for (const network of options.networks) {
      now = start
      const connector = networks.connector(network) as Connector
      const profiles = await createProfiles(sandbox, network, options.profiles)
      const events = new EventQueue()
      const tally = { posts: 0, replies: 0, failed: 0, latest: 0, slowest: 0, arrivals: 0 }
      const environment = { sandbox, files: files.url, now: () => now }
      const day: Day = { options, network, connector, budgets, events, tally, ...environment }
      await storePushRoutes(options.databaseUrl, network, profiles)
      const receiver = await receivePushes(day, profiles)
      for (const [index, profile] of profiles.entries()) await planProfile(day, profile, index)
      await sandbox.control('/limits', { clear: true })
      // Usage of other processes is synchronized every few seconds.
      const syncBudgets = async () => {
        await budgets.sync()
        events.add(now + 5 * minute, syncBudgets)
      }
      events.add(start, syncBudgets)
      const end = start + options.hours * hour
      for (let next = events.take(); next && next.at < end; next = events.take()) {
        now = Math.max(now, next.at)
        await next.run()
      }
      await receiver.close()
      const { usage } = (await sandbox.control('/usage')).body
      const { calls = 0, refused = 0, units = {}, micros = 0 } = usage[network] ?? {}
      const missed = profiles.reduce((sum, { waiting }) => sum + waiting.size, 0)
      results.push({
        network,
        calls,
        refused,
        units,
        dollars: micros / 1_000_000,
        missed,
        posts: tally.posts,
        replies: tally.replies,
        failed: tally.failed,
        arrivals: tally.arrivals,
        latestSeconds: tally.latest / 1000,
        slowestSeconds: tally.slowest / 1000,
      })
    }
  } finally {
    await budgets.close()
    await database.close()
    await outbound.close()
    await files.close()
    await sandbox.close()
  }
  return results
}

interface Day {
  options: DayOptions
  network: Network
  connector: Connector
  budgets: Awaited<ReturnType<typeof openBudgets>>
  events: EventQueue
  tally: { posts: number; replies: number; failed: number; latest: number; slowest: number; arrivals: number }
  sandbox: Awaited<ReturnType<typeof testSandbox>>
  files: string
  now(): number
}

interface SimulatedProfile {
  actor: Actor
  /** Whether the network pushes it. */
  pushes: boolean
  marker: string | undefined
  /** Items already in the inbox. */
  seen: Set<string>
  /** Activities not yet in the inbox, with their time. */
  waiting: Map<string, number>
  posts: { remoteId: string; published: Date; due: Date | null }[]
  followersDue: Date
}

async function createProfiles(sandbox: Day['sandbox'], network: Network, count: number): Promise<SimulatedProfile[]> {
  const kind = manifestOf(network).profileKinds[0] ?? 'account'
  const profiles: SimulatedProfile[] = []
  for (let index = 0; index < count; index++) {
    const created = await sandbox.control('/profile', {
      network,
      kind,
      name: `Brand ${index}`,
      username: `brand${index}`,
      followers: 5000,
      expiresInSeconds: 10 * 86_400,
    })
    const { id, accessToken, scopes = [] } = created.body
    const actor: Actor = {
      network,
      kind,
      remoteId: String(id).split(':').at(-1) ?? id,
      username: `brand${index}`,
      secret: { accessToken, scopes },
    }
    const from = { profile: actor.remoteId, network, own: true, from: simulatedUser, push: false }
    const posts: SimulatedProfile['posts'] = []
    for (let old = 0; old < 5; old++) {
      const { remoteId } = await sandbox.inject({ ...from, kind: 'post', text: `Earlier ${index} ${old}` })
      if (remoteId) posts.push({ remoteId, published: new Date(start - 86_400_000), due: new Date(start) })
    }
    profiles.push({
      actor,
      pushes: false,
      marker: undefined,
      seen: new Set(),
      waiting: new Map(),
      posts,
      followersDue: new Date(start),
    })
  }
  return profiles
}

const simulatedUser = { id: '7000000000000042', name: 'Robin Reader', username: 'robinreads' }

/** Profiles that share the app of the network, as stored by the inbox. */
async function storePushRoutes(databaseUrl: string, network: Network, profiles: readonly SimulatedProfile[]) {
  for (const { actor } of profiles)
    await ownerQuery(
      databaseUrl,
      'insert into push_routes (network, remote_id, account, credential_id) values ($1, $2, $3, $4) on conflict do nothing',
      [network, actor.remoteId, 'day', actor.remoteId],
    )
}

/** Receives pushes for every profile that supports them. */
async function receivePushes(day: Day, profiles: readonly SimulatedProfile[]) {
  const { connector, network, options } = day
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://receiver')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const verdict = connector.verifyPush({
      method: request.method === 'GET' ? 'GET' : 'POST',
      query: url.searchParams,
      headers: request.headers as Record<string, string>,
      raw: Buffer.concat(chunks),
      receivedAt: new Date(day.now()),
    })
    for (const { actorRemoteId, remoteId } of verdict.ok ? verdict.items : []) {
      const profile = profiles.find(({ actor }) => actor.remoteId === actorRemoteId)
      if (profile) receiveItem(day, profile, remoteId)
    }
    response.writeHead(verdict.ok ? verdict.response.status : verdict.status)
    response.end(verdict.ok ? verdict.response.body : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`
  if (options.fixedMs === undefined && manifestOf(network).push.activities === 'comments')
    for (const profile of profiles)
      profile.pushes = await connector.subscribePush(profile.actor, callback).then(
        () => true,
        () => false,
      )
  return {
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

async function planProfile(day: Day, profile: SimulatedProfile, index: number) {
  const { events, options, network } = day
  const offset = Math.floor((index / options.profiles) * minute)
  events.add(start + offset, () => poll(day, profile))
  events.add(start + offset, () => collect(day, profile))
  if (!options.busy) return
  const span = options.hours * hour
  // Four posts a day, and an activity every half hour, an eighth of which gets a reply.
  for (let count = 0; count < 4; count++) {
    const at = start + Math.floor(span * ((count + 0.5) / 4)) + offset
    events.add(at, () => publish(day, profile, `Post ${index} ${count}`, at))
  }
  const activityCount = Math.max(1, Math.round(options.hours * 2))
  for (let count = 0; count < activityCount; count++) {
    const at = start + Math.floor(span * ((count + 0.3) / activityCount)) + offset
    events.add(at, () => simulateActivity(day, profile, `Said ${index} ${count}`, at, count % 8 === 0))
  }
  if (network === 'Twitter' && index % 4 === 0)
    for (let at = start + offset; at < start + span / 3; at += minute)
      events.add(at, () =>
        attempt(() => day.connector.fetchStream(profile.actor, { type: 'keyword', keyword: 'Post' })),
      )
}

/** Polls like the service: page by page until nothing is new. */
async function poll(day: Day, profile: SimulatedProfile) {
  const { connector, events, now, options, budgets, network } = day
  const started = now()
  const every = options.fixedMs ?? budgets.interval(network, 'inbox', { floor: minute, pushes: profile.pushes })
  const until = await attempt(async () => {
    let cursor: string | undefined
    let newest: string | undefined
    for (let page = 0; page < 10; page++) {
      const { items, cursor: next, marker } = await connector.fetchInbox(profile.actor, cursor, profile.marker)
      if (page === 0) newest = marker
      const newItems = items.filter(({ remoteId }) => !profile.seen.has(remoteId))
      for (const { remoteId } of newItems) receiveItem(day, profile, remoteId)
      if (next === undefined || (newItems.length === 0 && profile.marker === undefined)) {
        profile.marker = newest ?? profile.marker
        return
      }
      cursor = next
    }
  })
  events.add(Math.max(started + every, until ?? 0), () => poll(day, profile))
}

function receiveItem({ tally, now }: Day, profile: SimulatedProfile, remoteId: string) {
  profile.seen.add(remoteId)
  const activityTime = profile.waiting.get(remoteId)
  if (activityTime === undefined) return
  profile.waiting.delete(remoteId)
  tally.slowest = Math.max(tally.slowest, now() - activityTime)
}

async function collect(day: Day, profile: SimulatedProfile) {
  const { connector, events, now, network } = day
  const at = now()
  const until = await attempt(async () => {
    if (profile.followersDue.getTime() <= at) {
      await connector.profile(profile.actor)
      profile.followersDue = nextFollowers(profile.actor.remoteId, new Date(at))
    }
    const due = profile.posts.filter((post) => post.due && post.due.getTime() < at + pause)
    const batchSize = manifestOf(network).metricsBatchSize
    for (let from = 0; from < due.length; from += batchSize) {
      const batch = due.slice(from, from + batchSize)
      await connector.metrics(
        profile.actor,
        batch.map(({ remoteId }) => remoteId),
      )
      for (const post of batch) post.due = nextReading(post.published, new Date(at))
    }
  })
  events.add(Math.max(at + pause, until ?? 0), () => collect(day, profile))
}

async function publish(
  day: Day,
  profile: SimulatedProfile,
  text: string,
  planned: number,
  progress?: Progress,
): Promise<void> {
  const { connector, network, events, now, tally } = day
  const retry = (at: number, again?: Progress) => events.add(at, () => publish(day, profile, text, planned, again))
  try {
    const step = await connector.publish(profile.actor, draftOf(day, network, text), async () => {}, progress)
    if (step.state === 'pending') return retry(now() + step.checkAfterMs, step.progress)
    tally.posts += 1
    tally.latest = Math.max(tally.latest, now() - planned)
    const published = new Date(now())
    profile.posts.push({ remoteId: step.remoteId, published, due: firstReading(published) })
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.fault.kind === 'throttled') return retry(error.fault.until.getTime(), progress)
    tally.failed += 1
  }
}

async function simulateActivity(day: Day, profile: SimulatedProfile, text: string, at: number, getsReply: boolean) {
  const { sandbox, network, tally, events } = day
  const post = profile.posts[0]?.remoteId
  const kind = network === 'Twitter' ? 'mention' : 'comment'
  const { remoteId } = await sandbox.inject({
    network,
    profile: profile.actor.remoteId,
    kind,
    from: simulatedUser,
    text,
    push: profile.pushes,
    ...(kind === 'comment' && { postRemoteId: post }),
  })
  if (!remoteId) return
  tally.arrivals += 1
  if (!profile.seen.has(remoteId)) profile.waiting.set(remoteId, at)
  // A push arrives within milliseconds, while the simulated clock is paused.
  for (let elapsed = 0; profile.pushes && profile.waiting.has(remoteId) && elapsed < 50; elapsed++) await sleep(2)
  if (getsReply && post)
    events.add(at + 30 * minute, () => reply(day, profile, { post, remoteId }, text, at + 30 * minute))
}

async function reply(
  day: Day,
  profile: SimulatedProfile,
  to: { post: string; remoteId: string },
  text: string,
  planned: number,
): Promise<void> {
  const { connector, tally, events, now, network } = day
  try {
    const target = network === 'Twitter' ? { postId: to.remoteId } : { postId: to.post, commentId: to.remoteId }
    await connector.reply(profile.actor, target, `Thanks for ${text}`, [])
    tally.replies += 1
    tally.latest = Math.max(tally.latest, now() - planned)
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.fault.kind === 'throttled')
      return events.add(error.fault.until.getTime(), () => reply(day, profile, to, text, planned))
    tally.failed += 1
  }
}

/** When a rate-limited request may be retried. */
async function attempt(work: () => Promise<unknown>): Promise<number | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return error.fault.kind === 'throttled' ? error.fault.until.getTime() : undefined
  }
}

let files = 0

function draftOf({ files: url }: Day, network: Network, text: string): Draft {
  if (network === 'Instagram') return { text, media: [file(url, 'jpeg')] }
  if (network === 'YouTube' || network === 'TikTok') return { text, media: [file(url, 'mp4')] }
  return { text, media: [] }
}

/** A unique file, because networks reject duplicates. */
function file(url: string, name: 'jpeg' | 'mp4'): MediaRef {
  files += 1
  const bytes = Buffer.concat([samples[name], Buffer.from(`file ${files}`)])
  return {
    id: `026file${files}`,
    mime: name === 'mp4' ? 'video/mp4' : 'image/jpeg',
    bytes: bytes.length,
    publicUrl: `${url}/${name}/${files}`,
    name: `sample.${name}`,
    ...(name === 'jpeg' ? { width: 1024, height: 1024 } : { durationMs: 10_000 }),
    async *open(from = 0, to = bytes.length) {
      yield bytes.subarray(from, to)
    },
  }
}

async function serveFiles() {
  const server = createServer((request, response) => {
    const [, name = '', number = ''] = (request.url ?? '').split('/')
    const sample = samples[name as keyof typeof samples]
    if (!sample) return response.writeHead(404).end()
    return response.end(Buffer.concat([sample, Buffer.from(`file ${number}`)]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

interface Event {
  at: number
  order: number
  run(): unknown
}

/** Future events ordered by time; a binary heap, because a day has hundreds of thousands of events. */
class EventQueue {
  private readonly heap: Event[] = []
  private order = 0

  add(at: number, run: () => unknown) {
    this.heap.push({ at, order: this.order++, run })
    for (let index = this.heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1
      if (!this.isBefore(index, parent)) break
      this.swap(index, parent)
      index = parent
    }
  }

  take(): Event | undefined {
    const [first] = this.heap
    const last = this.heap.pop()
    if (first === undefined || last === undefined || this.heap.length === 0) return first
    this.heap[0] = last
    for (let index = 0; ; ) {
      let least = index
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < this.heap.length && this.isBefore(child, least)) least = child
      if (least === index) return first
      this.swap(index, least)
      index = least
    }
  }

  private isBefore(one: number, other: number): boolean {
    const [left, right] = [this.heap[one] as Event, this.heap[other] as Event]
    return left.at < right.at || (left.at === right.at && left.order < right.order)
  }

  private swap(one: number, other: number) {
    const [left, right] = [this.heap[one] as Event, this.heap[other] as Event]
    this.heap[one] = right
    this.heap[other] = left
  }
}
