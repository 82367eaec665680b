import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/migrate.ts'
import { caller } from '../support/caller.ts'
import { journeyFolder } from '../support/journey.ts'
import { runProgram } from '../support/program.ts'

const folder = journeyFolder()

const key = 'operation-key-1'
const account = '001demo00000001'

describe.sequential('an operator', () => {
  test('loses the database under the service and gets it back: 503 and then 200, without a restart', async () => {
    const port = await freePort()
    const open = () => startEmbeddedServer({ folder: join(folder.path, 'postgres'), port, settings: { fsync: 'off' } })
    let database = await open()
    await migrate(database.url, 'migrations')
    const environment = {
      CHORUS_DATA_DIR: folder.path,
      CHORUS_PORT: '0',
      CHORUS_DATABASE_URL: database.url,
      CHORUS_DEMO_API_KEY: key,
    }
    const program = runProgram('start', [], environment)
    const url = await program.printed(/Base URL +(http:\S+)\/v2/)
    const admin = caller(url, account, key)
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

    database = await open()
    await expect.poll(async () => (await admin('GET /team')).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    await database.stop()
  })

  test('finds metrics, and one log line per request without keys and bodies', async () => {
    const program = runProgram('start', [], {
      CHORUS_DATA_DIR: join(folder.path, 'second'),
      CHORUS_PORT: '0',
      CHORUS_DEMO_API_KEY: key,
      CHORUS_DEMO: '1',
    })
    const url = await program.printed(/Base URL +(http:\S+)\/v2/)
    const banner = program.output()
    const admin = caller(url, account, key)
    const secret = 'a-password-nobody-may-see'
    const person = { firstName: 'Nora', lastName: 'Bell', email: 'nora@example.com', password: secret, role: 'read' }
    await admin('POST /user', { body: person, headers: { 'x-request-id': 'find-me' } })
    await admin('GET /user', { query: `q=${secret}` })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(
      /http_server_request_duration_seconds_count\{method="POST",route="\/v2\/user",status="200"\} 1/,
    )
    expect(metrics).toContain('database_connections_total')
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    const log = program.output().slice(banner.length)
    const lines = log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({
        requestId: 'find-me',
        account,
        user: '00Ademo00000001',
        method: 'POST',
        route: '/v2/user',
        status: 200,
      }),
    )
    for (const hidden of [secret, key, 'nora@example.com']) expect(log).not.toContain(hidden)
  })

  test('reads the documentation from the service alone', async () => {
    const program = runProgram('start', [], { CHORUS_DATA_DIR: join(folder.path, 'second'), CHORUS_PORT: '0' })
    const url = await program.printed(/Base URL +(http:\S+)\/v2/)
    const page = await fetch(`${url}/docs`)
    const html = await page.text()
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await fetch(`${url}/docs/reference.js`)).status).toBe(200)
    expect(await (await fetch(`${url}/openapi.json`)).json()).toEqual(JSON.parse(readFileSync('openapi.json', 'utf8')))
    program.child.kill('SIGTERM')
    await program.ended
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
