import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ownerQuery } from '#kernel/database/owner.ts'
import { isCluster, nodesOf } from '../../tests/support/database/nodes.ts'
import { clusterUrl } from '../databases.ts'

/** Processes of the embedded database, to be killed or frozen. */
export interface Victim {
  /** Kills the postmaster. */
  killServer(): Promise<void>
  /** Kills the backend of one connection, which makes the server restart all backends. */
  killBackend(random: () => number): Promise<void>
  /** Suspends every process for this long. */
  freeze(milliseconds: number): Promise<void>
}

export function findVictim(dataFolder: string): Victim {
  const directory = join(dataFolder, 'postgres', 'cluster')
  const processes = () => processesOn(directory)
  const server = () => serverOn(directory)

  return {
    async killServer() {
      signal([await server()], 'SIGKILL')
    },
    async killBackend(random) {
      const titles = await Promise.all((await processes()).map(async (pid) => ({ pid, title: await titleOf(pid) })))
      const backends = titles.filter(({ title }) => title.startsWith('postgres: chorus'))
      const chosen = backends[Math.floor(random() * backends.length)]
      if (!chosen) throw new Error(`No connection to kill among ${titles.map(({ title }) => title).join(', ')}.`)
      signal([chosen.pid], 'SIGKILL')
    },
    async freeze(milliseconds) {
      // The postmaster first, so that no new process starts.
      signal([await server()], 'SIGSTOP')
      const frozen = await processes()
      signal(frozen, 'SIGSTOP')
      await sleep(milliseconds)
      signal(frozen, 'SIGCONT')
    },
  }
}

const titleOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

/** The postmaster of the server with this data directory. */
const serverOn = async (directory: string) =>
  Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0])

/** All processes of that server. */
async function processesOn(directory: string): Promise<number[]> {
  const dataDirectory = await realpath(directory)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => folders[index] === dataDirectory).map(Number)
}

function signal(pids: readonly number[], name: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // Already exited.
    }
  }
}

/** Nodes of the cluster, to be killed; they must run on this machine. */
export interface Nodes {
  /** Kills the next node and restarts it after a moment; resolves when all nodes respond. */
  killNext(): Promise<string>
  /** Kills nodes repeatedly during a run, until stopped. */
  startKilling(): { stop(): Promise<void> }
  /** Resolves when no prepared transaction is left by killed nodes. */
  settled(): Promise<void>
  /** Number of kills per node. */
  readonly kills: Readonly<Record<string, number>>
}

interface NodesOptions {
  random: () => number
  /** Minimum milliseconds between kills. */
  every?: number
  log?: (line: string) => void
}

interface Node {
  name: string
  url: string
  /** Its data directory and the directory of its binaries. */
  directory: string
  programs: string
}

/** Undefined unless the run uses a cluster. */
export async function openNodes({ random, every = 8_000, log = () => {} }: NodesOptions): Promise<Nodes | undefined> {
  if (!isCluster) return undefined
  const urls = nodesOf(clusterUrl())
  const nodes = await Promise.all(urls.map((url, index) => describe(url, index)))
  // Alternates workers and the coordinator.
  const order = [...nodes.slice(1).flatMap((worker) => [worker, nodes[0] as Node])]
  const kills: Record<string, number> = Object.fromEntries(nodes.map(({ name }) => [name, 0]))
  let next = 0
  const killNext = async () => {
    const node = order[next++ % order.length] as Node
    signal(await processesOn(node.directory), 'SIGKILL')
    await sleep(random() * 2_000)
    await start(node)
    await Promise.all(urls.map(waitForResponse))
    kills[node.name] = (kills[node.name] ?? 0) + 1
    log(`killed the ${node.name}`)
    return node.name
  }
  return {
    kills,
    killNext,
    startKilling() {
      const stopped = new AbortController()
      const pause = () => sleep(every * (1 + random() / 2), undefined, { signal: stopped.signal }).catch(() => {})
      const killing = (async () => {
        for (await pause(); !stopped.signal.aborted; await pause()) await killNext()
      })()
      return {
        async stop() {
          stopped.abort()
          await killing
        },
      }
    },
    async settled() {
      for (const url of urls) {
        const left = () => ownerQuery(url, `select from pg_prepared_xacts where gid like 'citus%'`)
        while ((await left()).length > 0) await sleep(500)
      }
    },
  }
}

async function describe(url: string, index: number): Promise<Node> {
  const [row] = await ownerQuery<{ directory: string; programs: string }>(
    url,
    `select current_setting('data_directory') as directory, (select setting from pg_config where name = 'BINDIR') as programs`,
  )
  if (!row) throw new Error(`The node ${url} does not say where it lies.`)
  return { ...row, url, name: index === 0 ? 'coordinator' : `worker ${index}` }
}

/** Runs as the owner of the data directory with a clean environment: PostgreSQL refuses to run as root. */
async function start({ directory, programs }: Node) {
  const { uid, gid } = await stat(directory)
  const args = ['start', '-s', '-w', '-D', directory, '-l', `${directory}.log`]
  for (let attempt = 1; ; attempt++) {
    try {
      await promisify(execFile)(join(programs, 'pg_ctl'), args, { uid, gid, cwd: '/', env: { HOME: directory } })
      return
    } catch (error) {
      // Old processes may hold shared memory a little longer.
      if (attempt === 20) throw error
      await sleep(250)
    }
  }
}

async function waitForResponse(url: string) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ownerQuery(url, 'select 1')
    } catch (error) {
      if (attempt === 240) throw error
      await sleep(250)
    }
  }
}
