import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { type Caller, sessionCaller } from '../support/caller.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { watchAuditLog } from './audit-entries.ts'
import { demoAdmin as admin } from './examples.ts'
import { exampleFor, operations, routeOf } from './operations.ts'

/** Audit entries of console actions and of actions that take several requests; every-endpoint.test.ts requires one entry per operation. */

const signIn = { email: 'ada.marsh@example.com', password: 'nine ferries leave at once' }

let service: TestService
let auditEntries: ReturnType<typeof watchAuditLog>
let cookie = ''
let atConsole: Caller
beforeAll(async () => {
  service = await startTestService({ picture: true })
  auditEntries = watchAuditLog(service)
  await service.admin(`POST /user/${admin}`, { body: signIn })
  const response = await fetch(`${service.url}/app/api/session`, { method: 'POST', body: new URLSearchParams(signIn) })
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  atConsole = sessionCaller(service.url, cookie)
})
afterAll(() => service.stop())

/** The audit entries written during some work. */
async function writtenBy(work: () => Promise<unknown>) {
  await auditEntries.next()
  await work()
  return auditEntries.next()
}

describe.each(['POST /team', 'PUT /credential/{id}', 'DELETE /post/{id}', 'POST /app/api/user/{id}/role'])(
  '%s by a session',
  (route) => {
    test('is in the audit log under the same operation, with the session', async () => {
      const endpoint = operations.find((one) => routeOf(one) === route) as Endpoint
      const consoleRoute = route.includes('/app/api') ? route : route.replace(' ', ' /app/api/v2')
      const who = { via: 'session', viaId: expect.stringMatching(/^0ss/), userId: admin }
      const example = await exampleFor(endpoint, service)
      await auditEntries.next()
      const { id = '', body } = example
      const answer = await atConsole(consoleRoute.replace(/\{\w+\}/, id), body ? { body } : {})
      expect(answer.status, answer.text).toBe(200)
      await auditEntries.expectOne(endpoint, example, answer, who)
    })
  },
)

test('a resumable upload has one audit entry, written when the asset is created', async () => {
  const bytes = Buffer.from(await (await fetch(service.pictureUrl)).arrayBuffer())
  const started = await atConsole('POST /app/api/media', { body: { name: 'picture.png', size: bytes.length } })
  const address = `${service.url}/app/api/media/${started.json.Upload.Id}`
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'x-chorus-console': '1' }
  const put = async (from: number, to: number) =>
    (await fetch(`${address}?offset=${from}`, { method: 'PUT', headers, body: bytes.subarray(from, to) })).json()
  const half = bytes.length >> 1
  expect(await writtenBy(() => put(0, half))).toEqual([])
  let mediaId = ''
  const rows = await writtenBy(async () => {
    mediaId = ((await put(half, bytes.length)) as { MediaId: string }).MediaId
  })
  expect(mediaId).toMatch(/^026/)
  expect(rows).toMatchObject([{ operation: 'PUT /app/api/media/{id}', entityId: mediaId, via: 'session' }])
})

test('a repeated request with the same Idempotency-Key has one audit entry', async () => {
  const options = { body: { name: 'Once' }, headers: { 'idempotency-key': 'audit-7f3a9c1e' } }
  auditEntries.recordTexts('audit-7f3a9c1e')
  const rows = await writtenBy(async () => {
    const [one, two] = [await service.admin('POST /team', options), await service.admin('POST /team', options)]
    expect(two.text).toBe(one.text)
  })
  expect(rows.map(({ operation }) => operation)).toEqual(['POST /team'])
})

test('a request whose transaction is rolled back has no audit entry', async () => {
  const rows = await writtenBy(async () => {
    expect((await service.admin(`DELETE /user/${admin}`)).status, 'the last admin').toBe(409)
  })
  expect(rows).toEqual([])
})

test('reads have no audit entry, and the log contains no content of requests and no session secret', async () => {
  expect(await writtenBy(() => service.admin('GET /app/api/audit'))).toEqual([])
  const parts = [cookie.split('=')[1] ?? '', cookie.split('.')[1] ?? '']
  const { rows } = await auditEntries.expectNoSecrets([...parts, ...Object.values(signIn)])
  expect(rows.length).toBeGreaterThan(5)
})
