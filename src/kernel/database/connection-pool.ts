import pg from 'pg'
import { Refusal } from '../errors.ts'
import { type EventLoopTime, openRecentUse } from '../event-loop/event-loop-time.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'
import { isDistributed } from './cluster/cluster.ts'
import { cut, type Deadline, readInPieces, run, streamOf } from './statement/statement.ts'

/** The role of all statements of the service. It owns nothing, so row-level security applies to it. */
export const applicationRole = 'chorus_app'

/** Maximum share of the connections per account while others are active: reading their results takes event loop time from those. */
const shareOfOne = 0.3
/** The share as a number of connections. */
export const shareOf = (connections: number) => Math.ceil(connections * shareOfOne)
/** Share of an account that uses much more of the database's time than the other active ones: its statements take the cores from theirs. */
const shareOfLargest = 0.2
/** Slots that an account leaves free even if no other is active, so that the next one to come needn't wait for its statements. */
const keptForNext = 1
/** Share of the connections that is reserved for statements without an account, which must not wait for any account. */
const keptForShared = 1 / 8

export interface ConnectionPoolOptions {
  url: string
  connections: number
  /** Statement timeout of the server, in milliseconds. */
  statementTimeout?: number
  /** Milliseconds after that timeout in which a response must arrive; after that, the server counts as unreachable. */
  grace?: number
  /** Milliseconds to wait for a free or new connection. */
  patience?: number
}

/** A connection with the account it was last scoped to. */
export interface PooledConnection {
  readonly client: pg.PoolClient & { account?: string | undefined }
  /** Rows of accounts are on other nodes. */
  readonly isCluster: boolean
  readonly deadline: Deadline
  /** A broken connection is closed instead of reused: its state is unknown. */
  release(isBroken?: boolean): void
}

/**
 * Connection pool. Each account gets at most its share, in turn, or nearly all of it while no other is active; the service itself gets any
 * free connection.
 */
export interface ConnectionPool {
  /** `undefined` is the service itself. */
  acquire(owner: string | undefined): Promise<PooledConnection>
  readonly connections: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

type PooledClient = PooledConnection['client'] & {
  connectedAt?: number
  owner?: string | undefined
  isClosed?: boolean
}

export function openConnectionPool(options: ConnectionPoolOptions, thread: EventLoopTime): ConnectionPool {
  const { url, connections, statementTimeout = 15_000, grace = 2_000, patience = 5_000 } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: patience,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: 'chorus',
    options: [
      `role=${applicationRole}`,
      'timezone=UTC',
      `statement_timeout=${statementTimeout}`,
      // A statement of one account uses one core: parallel workers would take the others from other accounts.
      'max_parallel_workers_per_gather=0',
      // JIT compilation takes longer than any statement that the service should run.
      'jit=off',
      // Makes Citus propagate SET LOCAL to its nodes; other servers ignore the name.
      'citus.propagate_set_commands=local',
    ]
      .map((option) => `-c ${option}`)
      .join(' '),
  })
  // The pool replaces a connection that breaks while idle; the next statement reports a real problem.
  pool.on('error', () => {})
  pool.on('connect', (client: PooledClient) => {
    client.connectedAt = performance.now()
    client.on('error', () => leave(client)).on('end', () => leave(client))
    const owner = () => client.owner ?? ''
    readInPieces(streamOf(client), owner, (took) => client.owner !== undefined && thread.charge(client.owner, took))
  })
  const forAccounts = connections < 4 ? connections : connections - Math.ceil(connections * keptForShared)
  const use = openRecentUse()
  const [share, least] = [shareOf(connections), Math.ceil(connections * shareOfLargest)]
  const slots = openFairSemaphore({
    slots: forAccounts,
    share: (owner) => (use.isLargest(owner) ? least : share),
    alone: Math.max(share, forAccounts - keptForNext),
  })
  // Connections older than the server's last timeout are not trusted: each of them would have to time out again.
  let lastSilence = 0
  const deadline = {
    milliseconds: statementTimeout + grace,
    passed() {
      lastSilence = performance.now()
      return unavailable('The database did not answer in time. Try again in a few seconds.')
    },
  }
  const isSuspect = ({ connectedAt = 0 }: PooledClient) => connectedAt < lastSilence
  const discard = (client: PooledClient) => {
    cut(client)
    client.release(true)
  }

  // Released connections, the latest last. The driver's pool would take as long to hand one out as the database to read a row.
  const free: PooledClient[] = []
  const takeFree = (): PooledClient | undefined => {
    for (let client = free.pop(); client; client = free.pop()) {
      if (!isSuspect(client)) return client
      discard(client)
    }
    return undefined
  }
  /** A connection that broke while nobody used it. */
  const leave = (client: PooledClient) => {
    client.isClosed = true
    const index = free.indexOf(client)
    if (index < 0) return
    free.splice(index, 1)
    discard(client)
  }
  let isClosing = false

  const connect = async () => {
    for (;;) {
      const client: PooledClient = await pool.connect()
      if (!isSuspect(client)) {
        isCluster ??= await nature(client)
        return client
      }
      discard(client)
    }
  }
  /** Queried once: a database in use doesn't become distributed. */
  let isCluster: boolean | undefined
  const nature = async (client: PooledClient) => {
    try {
      return await isDistributed((text) => run(client, [{ text, values: [] }], deadline))
    } catch (error) {
      discard(client)
      throw error
    }
  }
  const pooled = (client: PooledClient, owner: string | undefined, since: number): PooledConnection => ({
    client,
    isCluster: isCluster === true,
    deadline,
    release(isBroken = false) {
      if (owner !== undefined) use.add(owner, performance.now() - since)
      if (isBroken || client.isClosed || isSuspect(client)) discard(client)
      // Callers that wait for a connection get it from the driver's pool.
      else if (isClosing || pool.waitingCount > 0) client.release()
      else free.push(client)
      if (owner !== undefined) slots.release(owner)
    },
  })

  return {
    async acquire(owner) {
      // Immediately if a slot is free: most calls never wait.
      if (owner !== undefined && !slots.tryTake(owner)) await slots.take(owner, { patienceMs: patience }).catch(busy)
      try {
        const client = takeFree() ?? (await connect())
        client.owner = owner
        return pooled(client, owner, performance.now())
      } catch (error) {
        if (owner !== undefined) slots.release(owner)
        throw unreachable(error)
      }
    },
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount + free.length,
      waiting: pool.waitingCount + slots.waiting,
    }),
    close() {
      isClosing = true
      for (const client of free.splice(0)) client.release()
      return pool.end()
    },
  }
}

const unavailable = (sentence: string, cause?: unknown) =>
  new Refusal('unavailable', sentence, { retryAfter: 5, ...(cause !== undefined && { cause }) })

const unreachable = (cause: unknown) =>
  unavailable('The database cannot be reached right now. Try again in a few seconds.', cause)

function busy(error: unknown): never {
  if (!(error instanceof NoFreeSlot)) throw error
  throw unavailable('Other calls of this account keep the database busy. Try again in a few seconds.', error)
}
