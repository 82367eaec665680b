import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabaseProxy } from '../support/database/database-proxy.ts'
import { listenTo } from '../support/feed-client.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { callerFor, exampleFor, operations, routeOf } from './operations.ts'
import { reproducible } from './recorded.ts'

/**
 * Records the response to the example of every operation for the OpenAPI documents: `npm run examples` writes api-examples.json; otherwise
 * this test fails if the file is out of date.
 */

const startTime = new Date('2026-03-04T12:00:00Z')
/** Advances by a second with every example, so that lists have a defined order. */
let now = startTime
const publicUrl = 'https://chorus.example.com'
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    picture: true,
    clock: { now: () => now },
    // No workers: nothing may happen besides the requests.
    environment: { CHORUS_ROLES: 'api', CHORUS_PUBLIC_URL: publicUrl },
  })
})
afterAll(() => service.stop())

test('api-examples.json contains the current responses (otherwise run npm run examples)', async () => {
  const answers: Record<string, unknown> = {}
  // Read-only operations that are not GET run last, to show the data of the earlier examples.
  for (const endpoint of operations.toSorted(
    (one, other) => Number(one.readsOnly ?? 0) - Number(other.readsOnly ?? 0),
  )) {
    now = new Date(now.getTime() + 1000)
    const { id = '', body } = await exampleFor(endpoint, service)
    const route = routeOf(endpoint).replace(/\{\w+\}/, id)
    const { status, text, json } = await callerFor(endpoint, service)(route, body ? { body } : {})
    expect(status, `${route}: ${text}`).toBe(200)
    answers[`${endpoint.method} ${endpoint.base}${endpoint.path}`] = reproducible(json, startTime)
  }
  answers['PUT /app/api/media/{id}'] = reproducible(await sendPiece(), startTime)
  answers['GET /app/api/audit.csv'] = await auditTable()
  answers['GET /app/api/feed'] = await feedBeginning()
  const errors = await recordErrors()
  const inOrder = Object.fromEntries(Object.entries(answers).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const recorded = `${JSON.stringify({ answers: inOrder, errors }, null, 2)}\n`
  for (const own of [demoKey, '127.0.0.1', 'localhost']) expect(recorded).not.toContain(own)
  await expect(recorded).toMatchFileSnapshot('../../api-examples.json')
})

const credentials = { authorization: `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}` }

/** The first of several chunks. */
async function sendPiece() {
  const bytes = Buffer.alloc(1024)
  const { json } = await service.admin('POST /app/api/media', { body: { name: 'example.png', size: 4096 } })
  const response = await fetch(`${service.url}/app/api/media/${json.Upload.Id}?offset=0`, {
    method: 'PUT',
    headers: { ...credentials, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  expect(response.status).toBe(200)
  return response.json()
}

/** Its first lines. */
async function auditTable() {
  const text = await (await fetch(`${service.url}/app/api/audit.csv`, { headers: credentials })).text()
  const [columns = '', ...lines] = text.split('\r\n')
  const line = lines.find((one) => one.includes('POST /team')) ?? ''
  return reproducible(`${columns}\r\n${line}\r\n`, startTime)
}

/** The start of the feed, and one change notification. */
async function feedBeginning() {
  const client = await listenTo(`${service.url}/app/api/feed`, credentials)
  await expect.poll(() => client.events.length).toBeGreaterThan(0)
  await service.publisher('POST /campaign', { body: { name: 'Spring' } })
  await expect
    .poll(() => client.events.some(({ name, data }) => name === 'hint' && data.kind === 'campaign'))
    .toBe(true)
  client.close()
  const events = [client.events[0], client.events.find(({ data }) => data.kind === 'campaign')]
  return events
    .map((event) => `event: ${event?.name}\ndata: ${JSON.stringify(reproducible(event?.data, startTime))}\n\n`)
    .join('')
}

/** One of each documented status. */
async function recordErrors() {
  const { admin, reader, url, databaseUrl } = service
  await admin('POST /tag', { body: { tag: 'Spring' } })
  const limited = await startTestService({
    databaseUrl,
    environment: { CHORUS_ROLES: 'api', CHORUS_RATE_LIMIT: 'second=1,five=1,day=50000,block=900' },
  })
  const proxy = await openDatabaseProxy(databaseUrl)
  const cutOff = await startTestService({ databaseUrl: proxy.url, environment: { CHORUS_ROLES: 'api' } })
  proxy.cut()
  const answers = {
    400: () => admin('GET /user', { query: '_count=7' }),
    401: async () => {
      const response = await fetch(`${url}/v2/me`)
      return { status: response.status, json: await response.json() }
    },
    403: () => reader('POST /team', { body: { name: 'Europe' } }),
    404: () => admin('GET /team/025absent00000'),
    409: () => admin('POST /tag', { body: { tag: 'Spring' } }),
    413: () => admin('POST /team', { body: { name: 'x'.repeat(1024 * 1024) } }),
    429: async () => {
      await limited.reader('GET /me')
      return limited.reader('GET /me')
    },
    503: () => cutOff.admin('GET /me'),
  }
  const errors: Record<string, unknown> = {}
  for (const [status, ask] of Object.entries(answers)) {
    const answer = await ask()
    expect(answer.status, status).toBe(Number(status))
    errors[status] = answer.json
  }
  proxy.restore()
  await cutOff.stop()
  proxy.close()
  await limited.stop()
  return errors
}
