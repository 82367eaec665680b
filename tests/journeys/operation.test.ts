import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { type Caller, caller } from '../support/caller.ts'
import { chorusHere } from '../support/command-line.ts'
import { type Program, runProgram } from '../support/program.ts'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()

const secret = 'a-password-nobody-may-see'

describe.sequential('an operator', () => {
  /** A separate database server, and the service on it. */
  const startDatabase = () =>
    startEmbeddedServer({ folder: join(folder.path, 'postgres'), port, settings: { fsync: 'off' } })
  let port: number
  let database: EmbeddedServer
  let program: Program
  let url: string
  let admin: Caller
  let account: string
  let key: string

  beforeAll(async () => {
    port = await freePort()
    database = await startDatabase()
    const settings = { CHORUS_DATA_DIR: folder.path, CHORUS_PORT: '0', CHORUS_DATABASE_URL: database.url }
    // Without the demo, which is slow to create and does not matter to operators.
    program = runProgram('start', [], { ...settings, CHORUS_DEMO: '0' })
    url = await program.printed(/Base URL +(http:\S+)\/v2/)
    const names = ['--name', 'Acme', '--email', 'a@example.com', '--first-name', 'Ann', '--last-name', 'Lee']
    const created = await chorusHere(['account', 'create', ...names], settings)
    account = /Account +(001\w{12})/.exec(created)?.[1] ?? ''
    key = /API key +(\S+)/.exec(created)?.[1] ?? ''
    admin = caller(url, account, key)
  })
  afterAll(() => database.stop())

  test('gets the documentation from the service without external resources', async () => {
    const page = await fetch(`${url}/docs`)
    const html = await page.text()
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await (await fetch(`${url}/docs/app`)).text()).toContain('data-url="/app-openapi.json"')
    const app = JSON.parse(readFileSync('app-openapi.json', 'utf8'))
    expect(await (await fetch(`${url}/app-openapi.json`)).json()).toEqual(app)
    expect((await fetch(`${url}/docs/reference.js`)).status).toBe(200)
    expect(await (await fetch(`${url}/openapi.json`)).json()).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')))
  })

  test('gets metrics of requests and database connections', async () => {
    const person = { firstName: 'Nora', lastName: 'Bell', email: 'nora@example.com', password: secret, role: 'read' }
    await admin('POST /user', { body: person, headers: { 'x-request-id': 'find-me' } })
    await admin('GET /user', { query: `q=${secret}` })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(
      /http_server_request_duration_seconds_count\{method="POST",route="\/v2\/user",status="200"\} 1/,
    )
    expect(metrics).toContain('database_connections_total')
  })

  test('gets 503 responses while the database is down, and 200 after it returns, without a restart', async () => {
    expect((await admin('GET /team')).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)

    await database.stop()
    for (const route of ['GET /team', 'GET /me']) {
      const { status, headers, json } = await admin(route)
      expect([status, headers.get('retry-after'), json.Result]).toEqual([503, '5', false])
    }
    expect((await admin('POST /team', { body: { name: 'x' } })).status).toBe(503)
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)

    database = await startDatabase()
    await expect.poll(async () => (await admin('GET /team')).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  test('gets one log line per completed request, without keys and bodies', async () => {
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    const log = program.output()
    const lines = log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    const found = lines.filter(({ requestId }) => requestId === 'find-me')
    const requestLine = {
      account,
      user: expect.stringMatching(/^00A\w{12}$/),
      method: 'POST',
      route: '/v2/user',
      status: 200,
    }
    expect(found).toEqual([expect.objectContaining(requestLine)])
    for (const hidden of [secret, key, 'nora@example.com']) expect(log).not.toContain(hidden)
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
