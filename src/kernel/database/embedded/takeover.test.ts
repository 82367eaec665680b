import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { bundled } from '../../../../tests/support/bundle.ts'
import { dataFolder, isAlive, query } from './embedded.fixture.ts'
import { readPostmasterFile } from './server-process.ts'

const children: ChildProcess[] = []
const { location, start } = dataFolder()

/** Bundled once for all tests. */
let program: Awaited<ReturnType<typeof bundled>>
beforeAll(async () => {
  program = await bundled('src/kernel/database/embedded/embedded-server.ts')
})
afterAll(() => program.remove())

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

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

test('starts a new server after the previous one was killed and is a zombie', async () => {
  const { child, pid } = await startInChild()
  // A stopped parent doesn't reap its children, like the first process of many containers.
  child.kill('SIGSTOP')
  process.kill(pid, 'SIGKILL')
  const cluster = join(location.folder, 'cluster')
  while (await isAlive(pid)) await sleep(10)
  expect(existsSync(`/proc/${pid}`)).toBe(process.platform === 'linux')
  for (const name of await readdir(location.folder))
    if (name.startsWith('owner-')) await rm(join(location.folder, name))
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

test('ignores claims of dead processes and of reused process ids', async () => {
  const { uid, gid } = await stat(join(location.folder, 'cluster'))
  const unrelated = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { uid, gid, cwd: '/' })
  children.push(unrelated)
  for (const pid of [unrelated.pid, 2 ** 22 + 1]) {
    const path = join(location.folder, 'cluster', 'postmaster.pid')
    const note = [pid, join(location.folder, 'cluster'), 1, 5432, '', '127.0.0.1', '', 'ready', '']
    await writeFile(path, note.join('\n'), { mode: 0o600 })
    await chown(path, uid, gid)
    await writeFile(join(location.folder, `owner-${pid}-1-00000000`), '')
    await (await start()).stop()
  }
  expect(await isAlive(unrelated.pid!)).toBe(true)
})

/** Another Node process that starts the server, prints its URL and pid, and keeps running. */
async function startInChild(): Promise<{ child: ChildProcess; url: string; pid: number }> {
  const script = `import { startEmbeddedServer } from ${JSON.stringify(resolve(program.path))}
    const { url, pid } = await startEmbeddedServer({ folder: ${JSON.stringify(location.folder)} })
    console.log(JSON.stringify({ url, pid }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (child.exitCode) throw new Error('refused')
  return { child, ...JSON.parse(String(line)) }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
