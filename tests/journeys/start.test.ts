import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { caller } from '../support/caller.ts'
import { hammer } from '../support/hammer.ts'
import { journeyFolder } from '../support/journey.ts'
import { isAlive, type Program, runProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const key = 'journey-key-1'
const account = '001demo00000001'
const folder = journeyFolder()
const environment = () => ({ CHORUS_DATA_DIR: folder.path, CHORUS_PORT: '0', CHORUS_DEMO_API_KEY: key })

/** Several processes cannot take a port of the system's choice each. Below those that the system gives to others meanwhile. */
const freePort = 20_000 + (process.pid % 12_000)

const start = (more: Record<string, string> = {}) => runProgram('start', [], { ...environment(), ...more })
const baseUrl = (program: Program) => program.printed(/Base URL +(http:\S+)\/v2/)
const postgresPid = async () =>
  Number((await readFile(join(folder.path, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0])

describe.sequential('npm start', () => {
  test('brings up an empty machine, tells the keys, and ends with everything on SIGTERM', async () => {
    const program = start()
    const url = await baseUrl(program)
    await program.printed(/Stop with Ctrl-C/)
    for (const ending of ['', '-publisher', '-contributor', '-read', '-other'])
      expect(program.output()).toContain(`${key}${ending}\n`)
    expect(program.output()).toContain(`${url}/docs`)
    expect((await caller(url, account, key)('GET /me')).json.Account.Name).toBe('Northwind Outdoor')
    expect((await caller(url, '001demo00000002', `${key}-other`)('GET /me')).status).toBe(200)
    const database = await postgresPid()
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(isAlive(database)).toBe(false)
  })

  test('after kill -9 the next start finds every acknowledged change', async () => {
    const killed = start()
    const before = caller(await baseUrl(killed), account, key)
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) => before('POST /team', { body: { name: `Kept ${n}` } })),
    )
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(isAlive(await postgresPid()), 'the database outlives the killed program').toBe(true)

    const next = start()
    const after = caller(await baseUrl(next), account, key)
    await next.printed(/Stop with Ctrl-C/)
    expect(next.output(), 'keys are shown when they are made').not.toContain(key)
    const words = await next.printed(/npx chorus (key create .*)/)
    const created = runProgram('chorus', words.replace('"My key"', 'Mine').split(' '), environment())
    expect(await created.ended, created.output()).toBe(0)
    const another = /API key +(\S+)/.exec(created.output())?.[1] ?? ''
    expect((await caller(await baseUrl(next), account, another)('GET /me')).status).toBe(200)
    const { json } = await after('GET /team')
    const names = json.Items.map((team: { Id: string }) => team.Id)
    for (const { json: answer } of made) expect(names).toContain(answer.Team.Id)

    const second = start()
    expect(await second.ended, 'a second one on the same folder is refused').toBe(1)
    expect(second.output()).toMatch(/another Chorus \(pid \d+\) is using this data folder/)
    next.child.kill('SIGINT')
    expect(await next.ended).toBe(0)
  })

  test('several processes share the port, and one that is killed is replaced', async () => {
    const program = start({ CHORUS_PROCESSES: '2', CHORUS_PORT: String(freePort) })
    const url = await baseUrl(program)
    const admin = caller(url, account, key)
    expect((await admin('GET /me')).status).toBe(200)
    for (let call = 0; call < 10; call++) await admin('GET /team')
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics, 'added up over both processes').toMatch(
      /http_server_request_duration_seconds_count\{method="GET",route="\/v2\/team",status="200"\} 10/,
    )
    const workers = (await readFile(`/proc/${program.child.pid}/task/${program.child.pid}/children`, 'utf8'))
      .trim()
      .split(' ')
      .map(Number)
    process.kill(workers.at(-1) as number, 'SIGKILL')
    await program.printed(/starting another/)
    expect((await admin('GET /me')).status).toBe(200)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  test.each(['1', '2'])(
    'with %s processes, clients that never pause lose no request when it is told to stop',
    async (processes) => {
      const program = start({ CHORUS_RATE_LIMIT: 'off', CHORUS_PROCESSES: processes, CHORUS_PORT: String(freePort) })
      const clients = hammer(await baseUrl(program), { account, key })
      await expect.poll(clients.answered).toBeGreaterThan(200)
      program.child.kill('SIGTERM')
      expect(await program.ended).toBe(0)
      expect(await clients.ended).toEqual([])
    },
  )

  test('an empty installation without the demo says how to make the first account, and the command makes it', async () => {
    const own = await temporaryFolder()
    const settings = { CHORUS_DATA_DIR: own.path, CHORUS_PORT: '0', CHORUS_DEMO: '0' }
    const service = runProgram('start', [], settings)
    const url = await baseUrl(service)
    await service.printed(/npx chorus account create/)
    // Beside the running service, on the same embedded database.
    const create = [
      'account',
      'create',
      '--name',
      'Acme',
      '--email',
      'a@example.com',
      '--first-name',
      'Ann',
      '--last-name',
      'Lee',
    ]
    const created = runProgram('chorus', create, settings)
    expect(await created.ended, created.output()).toBe(0)
    const accountId = /Account +(001\w{12})/.exec(created.output())?.[1] ?? ''
    const firstKey = /API key +(\S+)/.exec(created.output())?.[1] ?? ''
    const admin = caller(url, accountId, firstKey)
    expect((await admin('GET /me')).json).toMatchObject({ User: { Name: 'Ann Lee' }, Account: { Name: 'Acme' } })

    const second = runProgram(
      'chorus',
      ['key', 'create', '--account', accountId, '--email', 'A@example.com', '--name', 'Rotation'],
      settings,
    )
    expect(await second.ended).toBe(0)
    const secondKey = /API key +(\S+)/.exec(second.output())?.[1] ?? ''
    expect((await caller(url, accountId, secondKey)('GET /me')).status).toBe(200)
    const list = runProgram('chorus', ['key', 'list', '--account', accountId], settings)
    expect(await list.ended).toBe(0)
    expect(list.output()).toContain('First key')
    const id = /(key\w{12}) .*First key/.exec(list.output())?.[1] ?? ''
    expect((await admin('GET /me')).status).toBe(200)
    expect(await runProgram('chorus', ['key', 'revoke', '--account', accountId, '--id', id], settings).ended).toBe(0)
    expect((await admin('GET /me')).status, 'stops at once, also in a process that remembered it').toBe(401)
    service.child.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    await own.remove()
  })

  test('the demo is not shown to other machines unless somebody says so', async () => {
    const refused = start({ CHORUS_HOST: '0.0.0.0' })
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toMatch(/^CHORUS_HOST is 0\.0\.0\.0, .* the demo is on .* CHORUS_DEMO_PUBLIC=1/)
    const wanted = start({ CHORUS_HOST: '0.0.0.0', CHORUS_DEMO_PUBLIC: '1' })
    await baseUrl(wanted)
    wanted.child.kill('SIGTERM')
    expect(await wanted.ended).toBe(0)
  })

  test('what a person got wrong is told in a sentence', async () => {
    const misspelt = start({ CHORUS_PROT: '1' })
    expect(await misspelt.ended).toBe(1)
    expect(misspelt.output().trim()).toBe('CHORUS_PROT is not a setting; did you mean CHORUS_PORT?')
    const unknown = runProgram('chorus', ['acount', 'list'], environment())
    expect(await unknown.ended).toBe(1)
    expect(unknown.output()).toContain('There is no command "acount list"; did you mean "account list"?')
    const unreachable = start({ CHORUS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect(await unreachable.ended).toBe(1)
    expect(unreachable.output()).toMatch(/cannot be reached|ECONNREFUSED/)
  })
})
