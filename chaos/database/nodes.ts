import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ownerQuery } from '#kernel/database/owner.ts'
import { isCluster, nodesOf } from '../../tests/support/database/nodes.ts'
import { clusterUrl } from '../server.ts'
import { processesOn, signal } from './processes.ts'

/** The nodes of the cluster a run is on, to be harmed; they must run on this machine. */
export interface Nodes {
  /** Kills every process of the node whose turn it is, and starts it again after a moment; resolves when all nodes answer. */
  strike(): Promise<string>
  /** Strikes again and again beside a run, until it is stopped. */
  strikeOn(): { stop(): Promise<void> }
  /** Resolves when no commit over several nodes is left half way by what died. */
  settled(): Promise<void>
  /** How often each was killed. */
  readonly kills: Readonly<Record<string, number>>
}

interface NodesOptions {
  chance: () => number
  /** Milliseconds from one strike to the next, at least. */
  every?: number
  say?: (line: string) => void
}

interface Node {
  name: string
  url: string
  /** Its data directory, and where the programs of its version lie. */
  directory: string
  programs: string
}

/** Nothing where the run is on a server of its own. */
export async function openNodes({ chance, every = 8_000, say = () => {} }: NodesOptions): Promise<Nodes | undefined> {
  if (!isCluster) return undefined
  const urls = nodesOf(clusterUrl())
  const nodes = await Promise.all(urls.map((url, index) => describe(url, index)))
  // A worker, the coordinator, the other worker, and so on.
  const turns = [...nodes.slice(1).flatMap((worker) => [worker, nodes[0] as Node])]
  const kills: Record<string, number> = Object.fromEntries(nodes.map(({ name }) => [name, 0]))
  let turn = 0
  const strike = async () => {
    const node = turns[turn++ % turns.length] as Node
    signal(await processesOn(node.directory), 'SIGKILL')
    await sleep(chance() * 2_000)
    await start(node)
    await Promise.all(urls.map(answers))
    kills[node.name] = (kills[node.name] ?? 0) + 1
    say(`killed the ${node.name}`)
    return node.name
  }
  return {
    kills,
    strike,
    strikeOn() {
      const enough = new AbortController()
      const pause = () => sleep(every * (1 + chance() / 2), undefined, { signal: enough.signal }).catch(() => {})
      const striking = (async () => {
        for (await pause(); !enough.signal.aborted; await pause()) await strike()
      })()
      return {
        async stop() {
          enough.abort()
          await striking
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

/** As whoever owns its files, and with nothing else of whoever runs this: PostgreSQL refuses to run as root. */
async function start({ directory, programs }: Node) {
  const { uid, gid } = await stat(directory)
  const words = ['start', '-s', '-w', '-D', directory, '-l', `${directory}.log`]
  for (let tries = 1; ; tries++) {
    try {
      await promisify(execFile)(join(programs, 'pg_ctl'), words, { uid, gid, cwd: '/', env: { HOME: directory } })
      return
    } catch (error) {
      // Processes of the old one may hold its memory a moment longer.
      if (tries === 20) throw error
      await sleep(250)
    }
  }
}

async function answers(url: string) {
  for (let tries = 1; ; tries++) {
    try {
      return await ownerQuery(url, 'select 1')
    } catch (error) {
      if (tries === 240) throw error
      await sleep(250)
    }
  }
}
