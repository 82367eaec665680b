import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts'
import { identifyProcess } from './process-identity.ts'

// The tests follow one another on the same data folder, as a real one lives through all of this.
const isRoot = process.getuid?.() === 0
const started: EmbeddedServer[] = []
let base: string
let folder: string

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'chorus-embedded-')))
  await chmod(base, 0o755)
  folder = join(base, 'postgres')
})

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()))
})

afterAll(() => rm(base, { recursive: true, force: true }))

test('makes the cluster, leaving nothing of an interrupted attempt', async () => {
  await mkdir(join(folder, 'cluster.new-abc', 'cluster', 'base'), { recursive: true })
  await writeFile(join(folder, 'cluster.new-abc', 'cluster', 'PG_VERSION'), '18\n')
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
  expect((await readdir(folder)).filter((name) => /^(cluster|owner)/.test(name))).toEqual(['cluster'])
  expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600)
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
  await writeFile(join(folder, 'password'), 'wrong')
  await expect(start()).rejects.toThrow(/the password in .* is not that of/)
  await rm(join(folder, 'password'))
  await expect(start()).rejects.toThrow(/password of the database cannot be read/)
})

const onlyRootCanEnter = async () => {
  const closed = join(base, 'closed', 'postgres')
  await mkdir(dirname(closed), { mode: 0o700 })
  const place = `/var/lib/chorus/${createHash('sha256').update(closed).digest('hex').slice(0, 12)}`
  const lines: string[] = []
  try {
    const first = await start({ folder: closed, report: (line) => lines.push(line) })
    expect(lines.join('\n')).toContain(`so the database lies in ${place}`)
    await query(first.url, 'create table note (body text)')
    await first.stop()
    const second = await start({ folder: closed })
    expect(await query(second.url, 'select count(*)::int from note')).toEqual([{ count: 0 }])
    await second.stop()
  } finally {
    await rm(place, { recursive: true, force: true })
  }
  await expect(start({ folder: closed })).rejects.toThrow(`the database at ${place} is gone`)
}
// Nobody else can make such a folder.
if (isRoot) test('works in a folder only root can enter', onlyRootCanEnter)

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
