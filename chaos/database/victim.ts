import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesOn, serverOn, signal } from './processes.ts'

/** The processes of the embedded database, to be harmed. */
export interface Victim {
  /** Kills the process that all others belong to. */
  killServer(): Promise<void>
  /** Kills the process of one connection, which makes the server restart all of them. */
  killBackend(chance: () => number): Promise<void>
  /** Stops every process for so long. */
  freeze(milliseconds: number): Promise<void>
}

/** Those of the service that runs on this data folder. */
export function findVictim(dataFolder: string): Victim {
  const directory = join(dataFolder, 'postgres', 'cluster')
  const processes = () => processesOn(directory)
  const server = () => serverOn(directory)

  return {
    async killServer() {
      signal([await server()], 'SIGKILL')
    },
    async killBackend(chance) {
      const titles = await Promise.all((await processes()).map(async (pid) => ({ pid, title: await titleOf(pid) })))
      const backends = titles.filter(({ title }) => title.startsWith('postgres: chorus'))
      const chosen = backends[Math.floor(chance() * backends.length)]
      if (!chosen) throw new Error(`No connection to kill among ${titles.map(({ title }) => title).join(', ')}.`)
      signal([chosen.pid], 'SIGKILL')
    },
    async freeze(milliseconds) {
      // The one that starts others goes first, so that none escapes.
      signal([await server()], 'SIGSTOP')
      const frozen = await processes()
      signal(frozen, 'SIGSTOP')
      await sleep(milliseconds)
      signal(frozen, 'SIGCONT')
    },
  }
}

const titleOf = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
