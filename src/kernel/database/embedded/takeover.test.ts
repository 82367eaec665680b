import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { identifyProcess } from './process-identity.ts'

// The tests follow one another on the same data folder, as a real one lives through all of this.
const started: EmbeddedServer[] = []
const children: ChildProcess[] = []
let base: string
let folder: string

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'chorus-embedded-')))
  await chmod(base, 0o755)
  folder = join(base, 'postgres')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(started.splice(0).map((server) => server.stop()))
})

afterAll(() => rm(base, { recursive: true, force: true }))

test('refuses a second owner, and takes over from one that was killed', async () => {
  const { child, url, pid } = await startInChild()
  await query(url, 'create table note (body text); insert into note values ($$committed$$)')
  await expect(start()).rejects.toThrow(`another Chorus (pid ${child.pid}) is using this data folder`)

  await kill(child)
  expect(await isAlive(pid)).toBe(true)
  const adopter = await start()
  expect(adopter.pid).toBe(pid)
  expect(await query(adopter.url, 'select body from note')).toEqual([{ body: 'committed' }])
  await adopter.stop()
  expect(await isAlive(pid)).toBe(false)
})

test('replaces the server of a killed owner when the settings have changed', async () => {
  const { child, pid } = await startInChild()
  await kill(child)
  const server = await start({ settings: { work_mem: '9MB' } })
  expect(await isAlive(pid)).toBe(false)
  expect(await query(server.url, 'show work_mem')).toEqual([{ work_mem: '9MB' }])
})

test('starts anew after a server that was killed and that nobody has reaped', async () => {
  const { child, pid } = await startInChild()
  // A stopped parent reaps nothing, like the first process of many containers.
  child.kill('SIGSTOP')
  process.kill(pid, 'SIGKILL')
  const cluster = join(folder, 'cluster')
  while (await isAlive(pid)) await sleep(10)
  expect(existsSync(`/proc/${pid}`)).toBe(process.platform === 'linux')
  for (const name of await readdir(folder)) if (name.startsWith('owner-')) await rm(join(folder, name))
  const server = await start()
  expect((await readPostmasterFile(cluster))?.pid).toBe(server.pid)
})

test('lets only one of two simultaneous starts win', async () => {
  const settled = await Promise.allSettled([startInChild(), startInChild()])
  const [winner, ...others] = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  expect(others).toEqual([])
  await kill(winner!.child)
  expect((await start()).pid).toBe(winner!.pid)
})

test('is not held up by notes of processes that are gone or that are something else', async () => {
  const { uid, gid } = await stat(join(folder, 'cluster'))
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { uid, gid, cwd: '/' })
  children.push(stranger)
  for (const pid of [stranger.pid, 2 ** 22 + 1]) {
    const path = join(folder, 'cluster', 'postmaster.pid')
    const note = [pid, join(folder, 'cluster'), 1, 5432, '', '127.0.0.1', '', 'ready', '']
    await writeFile(path, note.join('\n'), { mode: 0o600 })
    await chown(path, uid, gid)
    await writeFile(join(folder, `owner-${pid}-1-00000000`), '')
    await (await start()).stop()
  }
  expect(await isAlive(stranger.pid!)).toBe(true)
})

async function start(options: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ folder, ...options })
  started.push(server)
  return server
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function isAlive(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== undefined
}

/** Another Node process that starts the server, prints where it is, and stays. */
async function startInChild(): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const module = new URL('./embedded-server.ts', import.meta.url).href
  const script = `import { startEmbeddedServer } from '${module}'
    const { url, pid } = await startEmbeddedServer({ folder: ${JSON.stringify(folder)} })
    console.log(JSON.stringify({ url, pid }))
    setInterval(() => {}, 1000)`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (child.exitCode) throw new Error('refused')
  return { child, ...JSON.parse(String(line)) }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
