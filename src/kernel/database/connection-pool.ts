import pg from 'pg'
import { Refusal } from '../errors.ts'
import type { EventLoopTime } from '../event-loop/event-loop-time.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'
import { isDistributed } from './cluster/cluster.ts'
import { cut, type Deadline, readInPieces, run, streamOf } from './statement/statement.ts'

/** The role every statement of the service runs under: it owns nothing, so row-level security binds it. */
export const applicationRole = 'chorus_app'

/** How much of the connections one account may have at a time: what it reads over them keeps the one thread busy for all. */
const shareOfOne = 0.3
/** As connections. */
export const shareOf = (connections: number) => Math.ceil(connections * shareOfOne)
/** How much of them no account gets: what belongs to none must not wait for any. */
const keptForShared = 1 / 8

export interface ConnectionPoolOptions {
  url: string
  connections: number
  /** Milliseconds until the server gives a statement up. */
  statementTimeout?: number
  /** Milliseconds past that in which its answer must have come; later than that, the server counts as gone. */
  grace?: number
  /** Milliseconds to wait for a free connection, or for a new one. */
  patience?: number
}

/** A connection, together with the account it was last scoped to. */
export interface PooledConnection {
  readonly client: pg.PoolClient & { account?: string | undefined }
  /** The rows of accounts lie on other nodes. */
  readonly isCluster: boolean
  readonly deadline: Deadline
  /** Nobody is to get it again when it is broken: it may be in any state. */
  release(isBroken?: boolean): void
}

/** Lends connections: to each account no more than its share, in turn; to the service itself whatever is free. */
export interface ConnectionPool {
  /** `undefined` is the service itself. */
  acquire(owner: string | undefined): Promise<PooledConnection>
  readonly connections: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

type DatedClient = PooledConnection['client'] & { connectedAt?: number; owner?: string | undefined }

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
      // One statement of one account uses one core: parallel workers would take the others from everybody else.
      'max_parallel_workers_per_gather=0',
      // Compiling takes longer than any statement that the service should run.
      'jit=off',
      // A Citus cluster passes on to its nodes what a transaction sets; other servers ignore the name.
      'citus.propagate_set_commands=local',
    ]
      .map((option) => `-c ${option}`)
      .join(' '),
  })
  // A connection that breaks while idle is replaced by the pool; the next statement reports what matters.
  pool.on('error', () => {})
  pool.on('connect', (client: DatedClient) => {
    client.connectedAt = performance.now()
    client.on('error', () => {})
    const owner = () => client.owner ?? ''
    readInPieces(streamOf(client), owner, (took) => client.owner !== undefined && thread.charge(client.owner, took))
  })
  const forAccounts = connections < 4 ? connections : connections - Math.ceil(connections * keptForShared)
  const places = openFairSemaphore({ places: forAccounts, share: shareOf(connections) })
  // Connections older than a server's last silence are not trusted: each would have to be waited for anew.
  let lastSilence = 0
  const deadline = {
    milliseconds: statementTimeout + grace,
    passed() {
      lastSilence = performance.now()
      return unavailable('The database did not answer in time. Try again in a few seconds.')
    },
  }
  const isSuspect = ({ connectedAt = 0 }: DatedClient) => connectedAt < lastSilence

  const connect = async () => {
    for (;;) {
      const client: DatedClient = await pool.connect()
      if (!isSuspect(client)) {
        isCluster ??= await nature(client)
        return client
      }
      cut(client)
      client.release(true)
    }
  }
  /** Asked once: a database in use is not distributed. */
  let isCluster: boolean | undefined
  const nature = async (client: DatedClient) => {
    try {
      return await isDistributed((text) => run(client, [{ text, values: [] }], deadline))
    } catch (error) {
      cut(client)
      client.release(true)
      throw error
    }
  }
  const pooled = (client: DatedClient, owner: string | undefined): PooledConnection => ({
    client,
    isCluster: isCluster === true,
    deadline,
    release(isBroken = false) {
      const isOver = isBroken || isSuspect(client)
      if (isOver) cut(client)
      client.release(isOver)
      if (owner !== undefined) places.release(owner)
    },
  })

  return {
    async acquire(owner) {
      // At once where there is a place: most calls never wait.
      if (owner !== undefined && !places.tryTake(owner)) await places.take(owner, { patienceMs: patience }).catch(busy)
      try {
        const client = await connect()
        client.owner = owner
        return pooled(client, owner)
      } catch (error) {
        if (owner !== undefined) places.release(owner)
        throw unreachable(error)
      }
    },
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + places.waiting,
    }),
    close: () => pool.end(),
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
