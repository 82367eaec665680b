import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, isAlive, query } from './embedded.fixture.ts'

const isRoot = process.getuid?.() === 0
const { place, start } = dataFolder()

test('makes the cluster, leaving nothing of an interrupted attempt', async () => {
  await mkdir(join(place.folder, 'cluster.new-abc', 'cluster', 'base'), { recursive: true })
  await writeFile(join(place.folder, 'cluster.new-abc', 'cluster', 'PG_VERSION'), '18\n')
  const server = await start()
  expect(await query(server.url, 'show fsync')).toEqual([{ fsync: 'on' }])
  expect(await query(server.url, 'show data_checksums')).toEqual([{ data_checksums: 'on' }])
  expect(await query(server.url, 'show timezone')).toEqual([{ TimeZone: 'UTC' }])
  expect(
    await query(server.url, 'select datcollate, datlocale from pg_database where datname = current_database()'),
  ).toEqual([{ datcollate: 'C', datlocale: 'C.UTF-8' }])
  await query(server.url, 'create table note (body text); insert into note values ($$kept$$)')
  await Promise.all([server.stop(), server.stop()])
  expect(await isAlive(server.pid)).toBe(false)
  expect((await readdir(place.folder)).filter((name) => /^(cluster|owner)/.test(name))).toEqual(['cluster'])
  expect((await stat(join(place.folder, 'password'))).mode & 0o777).toBe(0o600)
})

test('keeps what was written and obeys settings', async () => {
  const server = await start({ settings: { work_mem: '9MB' } })
  expect(await query(server.url, 'select body from note')).toEqual([{ body: 'kept' }])
  expect(await query(server.url, 'show work_mem')).toEqual([{ work_mem: '9MB' }])
  await expect(start()).rejects.toThrow('this process already runs the database')
})

test('tells of a crash and can be started again at once', async () => {
  const first = await start()
  const busy = query(first.url, 'select pg_sleep(20)').catch(() => 'lost')
  process.kill(first.pid, 'SIGKILL')
  expect(await first.crashed).toContain('SIGKILL')
  const second = await start()
  await first.stop()
  expect(await query(second.url, 'select count(*)::int from note')).toEqual([{ count: 1 }])
  expect(await busy).toBe('lost')
})

test('says what is wrong, with the end of the log', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  await expect(start({ port })).rejects.toThrow(/could not bind/)
  listener.close()
  await expect(start({ settings: { nonsense: 'yes' } })).rejects.toThrow(/unrecognized configuration parameter/)
  await writeFile(join(place.folder, 'password'), 'wrong')
  await expect(start()).rejects.toThrow(/the password in .* is not that of/)
  await rm(join(place.folder, 'password'))
  await expect(start()).rejects.toThrow(/password of the database cannot be read/)
})

const onlyRootCanEnter = async () => {
  const closed = join(place.base, 'closed', 'postgres')
  await mkdir(dirname(closed), { mode: 0o700 })
  const home = `/var/lib/chorus/${createHash('sha256').update(closed).digest('hex').slice(0, 12)}`
  const lines: string[] = []
  try {
    const first = await start({ folder: closed, report: (line) => lines.push(line) })
    expect(lines.join('\n')).toContain(`so the database lies in ${home}`)
    await query(first.url, 'create table note (body text)')
    await first.stop()
    const second = await start({ folder: closed })
    expect(await query(second.url, 'select count(*)::int from note')).toEqual([{ count: 0 }])
    await second.stop()
  } finally {
    await rm(home, { recursive: true, force: true })
  }
  await expect(start({ folder: closed })).rejects.toThrow(`the database at ${home} is gone`)
}
// Nobody else can make such a folder.
if (isRoot) test('works in a folder only root can enter', onlyRootCanEnter)
