import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { dataFolder, isAlive, query } from './embedded.fixture.ts'

const isRoot = process.getuid?.() === 0
const { location, start } = dataFolder()

test('creates the cluster and removes the remains of an interrupted attempt', async () => {
  await mkdir(join(location.folder, 'cluster.new-abc', 'cluster', 'base'), { recursive: true })
  await writeFile(join(location.folder, 'cluster.new-abc', 'cluster', 'PG_VERSION'), '18\n')
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
  expect((await readdir(location.folder)).filter((name) => /^(cluster|owner)/.test(name))).toEqual(['cluster'])
  expect((await stat(join(location.folder, 'password'))).mode & 0o777).toBe(0o600)
})

test('keeps data across restarts and applies settings', async () => {
  const server = await start({ settings: { work_mem: '9MB' } })
  expect(await query(server.url, 'select body from note')).toEqual([{ body: 'kept' }])
  expect(await query(server.url, 'show work_mem')).toEqual([{ work_mem: '9MB' }])
  await expect(start()).rejects.toThrow('this process already runs the database')
})

test('uses a socket, which is removed after a kill, or its port if the socket path is too long', async () => {
  const usesSocket = `select client_addr is null as socket from pg_stat_activity where pid = pg_backend_pid()`
  const sockets = async (folder: string) =>
    (await readdir(join(folder, 'cluster'))).filter((name) => /^\.s\.PGSQL\.\d+$/.test(name))
  const [near, far] = [await start(), await start({ folder: join(location.base, 'far'.repeat(30), 'postgres') })]
  expect(await query(near.url, usesSocket)).toEqual([{ socket: true }])
  expect(await query(far.url, usesSocket)).toEqual([{ socket: false }])
  await near.stop()
  await writeFile(join(location.folder, 'cluster', '.s.PGSQL.1'), '')
  await start()
  expect(await sockets(location.folder)).not.toContain('.s.PGSQL.1')
  expect(await sockets(location.folder)).toHaveLength(1)
})

test('restarts on the same port every time it is killed', async () => {
  const alarms: string[] = []
  const server = await start({ alarm: (line) => alarms.push(line) })
  await query(server.url, 'create table kept (body text); insert into kept values ($$committed$$)')
  for (let death = 1; death <= 3; death++) {
    const busy = query(server.url, 'select count(*) from generate_series(1, 1e10)').catch(() => 'lost')
    const before = server.pid
    process.kill(before, 'SIGKILL')
    await expect.poll(() => server.pid, { timeout: 30_000 }).not.toBe(before)
    expect(await query(server.url, 'select body from kept')).toEqual([{ body: 'committed' }])
    expect(await busy).toBe('lost')
  }
  expect(alarms.filter((line) => line.includes('ended by SIGKILL'))).toHaveLength(3)
  expect(alarms.filter((line) => line.includes('PostgreSQL is back'))).toHaveLength(3)
}, 60_000)

test('restarts although a frozen process of the killed server still holds its shared memory', async () => {
  const server = await start()
  const client = new pg.Client(server.url)
  client.on('error', () => {})
  await client.connect()
  const [{ pid: backend }] = (await client.query('select pg_backend_pid() pid')).rows
  process.kill(backend, 'SIGSTOP')
  process.kill(server.pid, 'SIGKILL')
  await expect.poll(() => rows(server.url, 'select 1 one'), { timeout: 30_000 }).toEqual([{ one: 1 }])
  expect(await isAlive(backend)).toBe(false)
  await client.end().catch(() => {})
}, 60_000)

test('stops retrying with a reason when restarts keep failing; stopping it ends the attempts', async () => {
  const version = join(location.folder, 'cluster', 'PG_VERSION')
  const alarms: string[] = []
  const originalVersion = await readFile(version)
  for (const patience of [1_500, 600_000]) {
    const server = await start({ patience, alarm: (line) => alarms.push(line) })
    await writeFile(version, '7\n')
    process.kill(server.pid, 'SIGKILL')
    const attempts = () => alarms.filter((line) => /in \d+ ms$/.test(line)).length
    if (patience > 10_000) await expect.poll(attempts, { timeout: 60_000 }).toBeGreaterThan(1)
    else expect(await server.lost).toMatch(/cannot be started any more.*incompatible/s)
    await server.stop()
    await writeFile(version, originalVersion)
    alarms.splice(0)
  }
  await (await start()).stop()
}, 120_000)

test('reports the cause of a failed start with the end of the log', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  await expect(start({ port })).rejects.toThrow(/could not bind/)
  listener.close()
  await expect(start({ settings: { nonsense: 'yes' } })).rejects.toThrow(/unrecognized configuration parameter/)
  await writeFile(join(location.folder, 'password'), 'wrong')
  await expect(start()).rejects.toThrow(/the password in .* is not that of/)
  await rm(join(location.folder, 'password'))
  await expect(start()).rejects.toThrow(/password of the database cannot be read/)
})

const onlyRootCanEnter = async () => {
  const closed = join(location.base, 'closed', 'postgres')
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
// Only root can create such a folder.
if (isRoot) test('works in a folder only root can enter', onlyRootCanEnter)

/** Undefined while the server can't be reached. */
const rows = (url: string, sql: string) => query(url, sql).catch(() => undefined)
