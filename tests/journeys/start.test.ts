import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive } from '#kernel/database/embedded/embedded.fixture.ts'
import { caller } from '../support/caller.ts'
import { chorusHere } from '../support/command-line.ts'
import { freshDatabase } from '../support/database/database.ts'
import { type Program, runProgram } from '../support/program.ts'
import { journeyFolder } from './journey.ts'
import { startLoad } from './load.ts'

const key = 'journey-key-1'
const account = '001demo00000001'
const folder = journeyFolder()
const environment = () => ({ CHORUS_DATA_DIR: folder.path, CHORUS_PORT: '0', CHORUS_DEMO_API_KEY: key })

/** Several processes can't each use a system-assigned port. Below the ephemeral range, to avoid conflicts. */
const freePort = 20_000 + (process.pid % 12_000)

const start = (more: Record<string, string> = {}) => runProgram('start', [], { ...environment(), ...more })
const baseUrl = (program: Program) => program.printed(/Base URL +(http:\S+)\/v2/)
const postgresPid = async () =>
  Number((await readFile(join(folder.path, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0])

describe.sequential('npm start', () => {
  let first: Program
  let next: Program

  test('starts on an empty machine, and prints the API keys of the demo', async () => {
    first = start()
    const url = await baseUrl(first)
    await first.printed(/Stop with Ctrl-C/)
    for (const ending of ['', '-publisher', '-contributor', '-read', '-other'])
      expect(first.output()).toContain(`${key}${ending}\n`)
    expect(first.output()).toContain(`${url}/docs`)
    const enter = await first.printed(/Enter +(http:\S+)/)
    const entered = await fetch(enter, { redirect: 'manual' })
    expect([entered.status, entered.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('chorus=001demo'),
    ])
    expect((await fetch(enter, { redirect: 'manual' })).status, 'it works once').toBe(400)
    expect((await caller(url, account, key)('GET /me')).json.Account.Name).toBe('Northwind Outdoor')
    expect((await caller(url, '001demo00000002', `${key}-other`)('GET /me')).status).toBe(200)
  })

  test('has every acknowledged change after kill -9 and a restart', async () => {
    const before = caller(await baseUrl(first), account, key)
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) => before('POST /team', { body: { name: `Kept ${n}` } })),
    )
    first.child.kill('SIGKILL')
    await first.ended
    expect(await isAlive(await postgresPid()), 'the database outlives the killed program').toBe(true)

    // Public, because it was explicitly allowed.
    const exposed = { CHORUS_HOST: '0.0.0.0', CHORUS_DEMO_PUBLIC: '1' }
    const several = { CHORUS_PROCESSES: '2', CHORUS_PORT: String(freePort) }
    next = start({ CHORUS_RATE_LIMIT: 'off', ...several, ...exposed })
    const after = caller(await baseUrl(next), account, key)
    await next.printed(/Stop with Ctrl-C/)
    expect(next.output(), 'keys are shown only when they are created').not.toContain(key)
    const command = await next.printed(/npx chorus (key create .*)/)
    const created = await chorusHere(command.replace('"My key"', 'Mine').split(' '), environment())
    const another = /API key +(\S+)/.exec(created)?.[1] ?? ''
    expect((await caller(await baseUrl(next), account, another)('GET /me')).status).toBe(200)
    const { json } = await after('GET /team')
    const names = json.Items.map((team: { Id: string }) => team.Id)
    for (const { json: answer } of made) expect(names).toContain(answer.Team.Id)

    await expect(chorusHere(['start'], environment()), 'a second process on the same folder').rejects.toThrow(
      /another Chorus \(pid \d+\) is using this data folder/,
    )
  })

  test('rejects a public host with the demo unless CHORUS_DEMO_PUBLIC is set', async () => {
    const exposed = { ...environment(), CHORUS_DEMO: '1', CHORUS_HOST: '0.0.0.0' }
    await expect(chorusHere(['start'], exposed)).rejects.toThrow(
      /^CHORUS_HOST is 0\.0\.0\.0, .* the demo is on .* CHORUS_DEMO_PUBLIC=1/,
    )
  })

  test('shares the port between processes, replaces a killed process, and stops without losing a request', async () => {
    const url = await baseUrl(next)
    const admin = caller(url, account, key)
    const metrics = async () => (await fetch(`${url}/metrics`)).text()
    expect((await admin('GET /me')).status).toBe(200)
    for (let call = 0; call < 10; call++) await admin('GET /user')
    const ofBoth = await metrics()
    expect(ofBoth, 'the sum of both processes').toMatch(
      /http_server_request_duration_seconds_count\{method="GET",route="\/v2\/user",status="200"\} 10/,
    )
    const workers = (await readFile(`/proc/${next.child.pid}/task/${next.child.pid}/children`, 'utf8'))
      .trim()
      .split(' ')
      .map(Number)
    process.kill(workers.at(-1) as number, 'SIGKILL')
    await next.printed(/starting another/)
    expect((await admin('GET /me')).status).toBe(200)
    // This metric is the same for each process, so the sum shows that there are two.
    const files = /^process_max_fds \d+$/m.exec(ofBoth)?.[0] ?? 'none'
    // Every poll queries all processes and the database.
    await expect.poll(metrics, { interval: 500 }).toContain(files)
    const database = await postgresPid()
    await expectGracefulShutdown(next, 'SIGTERM', { url, account, key })
    expect(await isAlive(database)).toBe(false)
  })

  /** The program responds to every request when stopped under load. */
  async function expectGracefulShutdown(
    program: Program,
    signal: 'SIGINT' | 'SIGTERM',
    { url, ...who }: { url: string; account: string; key: string },
  ) {
    const clients = startLoad(url, who)
    await expect.poll(clients.responses).toBeGreaterThan(200)
    program.child.kill(signal)
    expect(await program.ended).toBe(0)
    expect(await clients.ended).toEqual([])
  }

  test('prints how to create the first account without the demo, and stops without losing a request', async () => {
    const own = await freshDatabase()
    const settings = {
      CHORUS_DATA_DIR: join(folder.path, 'empty'),
      CHORUS_PORT: '0',
      CHORUS_DEMO: '0',
      CHORUS_RATE_LIMIT: 'off',
      CHORUS_DATABASE_URL: own.url,
    }
    const service = runProgram('start', [], settings)
    const url = await baseUrl(service)
    await service.printed(/npx chorus account create/)
    // Next to the running service.
    const names = ['--name', 'Acme', '--email', 'a@example.com', '--first-name', 'Ann', '--last-name', 'Lee']
    const created = runProgram('chorus', ['account', 'create', ...names], settings)
    expect(await created.ended, created.output()).toBe(0)
    const accountId = /Account +(001\w{12})/.exec(created.output())?.[1] ?? ''
    const firstKey = /API key +(\S+)/.exec(created.output())?.[1] ?? ''
    const admin = caller(url, accountId, firstKey)
    expect((await admin('GET /me')).json).toMatchObject({ User: { Name: 'Ann Lee' }, Account: { Name: 'Acme' } })

    const keys = (...args: string[]) => chorusHere(['key', ...args, '--account', accountId], settings)
    const second = await keys('create', '--email', 'A@example.com', '--name', 'Rotation')
    const secondKey = /API key +(\S+)/.exec(second)?.[1] ?? ''
    expect((await caller(url, accountId, secondKey)('GET /me')).status).toBe(200)
    const id = /(key\w{12}) .*First key/.exec(await keys('list'))?.[1] ?? ''
    expect((await admin('GET /me')).status).toBe(200)
    await keys('revoke', '--id', id)
    // A process with a cached key is notified a moment later.
    await expect.poll(async () => (await admin('GET /me')).status).toBe(401)
    await expectGracefulShutdown(service, 'SIGINT', { url, account: accountId, key: secondKey })
    await own.drop()
  })

  test('explains invalid settings and commands in one sentence', async () => {
    const misspelled = start({ CHORUS_PROT: '1' })
    expect(await misspelled.ended).toBe(1)
    expect(misspelled.output().trim()).toBe('CHORUS_PROT is not a setting; did you mean CHORUS_PORT?')
    await expect(chorusHere(['acount', 'list'], environment())).rejects.toThrow(
      'There is no command "acount list"; did you mean "account list"?',
    )
    const unreachable = { ...environment(), CHORUS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    await expect(chorusHere(['start'], unreachable)).rejects.toThrow(/cannot be reached|ECONNREFUSED/)
  })
})
