import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runningServerUrl } from '#kernel/database/embedded/embedded-server.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { caller } from '../../tests/support/caller.ts'
import { runProgram } from '../../tests/support/program.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { openServer } from '../databases.ts'
import { account } from '../installation.ts'

const key = 'chaos-key-0001'

/** The program with its demo and sandbox networks, on its embedded database or on a cluster. */
export type DatabaseInstallation = Awaited<ReturnType<typeof openDatabaseInstallation>>

/** Several processes need a fixed port; this range is below the ephemeral ports. */
const port = 20_000 + (process.pid % 12_000)

/** A prepared demo workspace, for small runs: creating one takes long. */
interface KnownDemo {
  /** Copies it into the embedded database of this data folder. */
  fill(dataFolder: string): Promise<unknown>
  keyring: string
}

export async function openDatabaseInstallation(processes: number, onCluster = false, demo?: KnownDemo) {
  const folder = await temporaryFolder()
  await demo?.fill(folder.path)
  const given = onCluster ? await (await openServer()).database() : undefined
  const program = runProgram('start', [], {
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DEMO_API_KEY: key,
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_PROCESSES: String(processes),
    CHORUS_PORT: processes > 1 ? String(port) : '0',
    CHORUS_PUBLISH_CONFIRM_AFTER: '2s,4s,8s',
    CHORUS_LOG_LEVEL: 'error',
    ...(given && { CHORUS_DATABASE_URL: given.url }),
    ...(demo && { CHORUS_SECRET_KEYS: demo.keyring }),
  })
  const stop = async () => {
    program.child.kill('SIGTERM')
    await program.ended
    await given?.drop()
    await folder.remove()
  }
  const [url, sandbox] = await Promise.all([
    program.printed(/Base URL +(http:\S+)\/v2/),
    program.printed(/Sandbox +(http:\S+)/),
  ]).catch(async (error) => {
    await stop()
    throw error
  })
  const databaseUrl = given?.url ?? ((await runningServerUrl(join(folder.path, 'postgres'))) as string)
  const control = async (path: string, body?: object) => {
    const response = await fetch(`${sandbox}/__sandbox${path}`, {
      headers: { authorization: 'Bearer sandbox', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.json()
  }
  await control('/limits', { factor: 1_000 })
  const links = await ownerQuery<{ hash: string }>(
    databaseUrl,
    `select hash from links where account_id = '${account}' and disabled is null`,
  )
  return {
    folder: folder.path,
    url,
    databaseUrl,
    program,
    call: caller(url, account, key),
    links: links.map(({ hash }) => `${url}/l/${hash}`),
    /** Texts of all posts on the networks. */
    async published() {
      const { entries } = (await control('/ledger?kind=post')) as { entries: { text: string }[] }
      return entries.map(({ text }) => text)
    },
    /** Processes of the service, without its database. */
    processes: () => familyOf(program.child.pid as number),
    stop,
  }
}

async function familyOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = await Promise.all(
    text
      .split(' ')
      .filter(Boolean)
      .map(async (child) =>
        (await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')).startsWith('node') ? [Number(child)] : [],
      ),
  )
  return [pid, ...children.flat()]
}
