import { get } from 'node:http'
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forSessions, isOpen } from '#kernel/http/route/endpoint.ts'
import { downloads, endpoints, intakes, streams } from '#main/registry.ts'
import { newAdvocate } from '../../src/areas/advocacy/advocacy.contract.fixture.ts'
import { type Caller, sessionCaller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { deep } from '../support/randomness.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { addressOf, operations } from './operations.ts'

/**
 * Requests a browser sends for a page of another site, with stored credentials; and requests of advocates, who may only share and manage
 * their session. All other operations reject them before reading anything.
 */

let service: TestService
let ask: Caller
let cookie = ''
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  const secret = 'a'.repeat(43)
  // Inserted as a row: the token is sent by email only.
  await ownerQuery(
    service.databaseUrl,
    `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest)
    values ($1, $2, 'invitation', now(), now() + interval '1 hour', sha256($3::text::bytea))`,
    [demoAccount, await newAdvocate(service), secret],
  )
  const body = new URLSearchParams({ token: `${demoAccount}.${secret}`, password: 'a password of the tests' })
  const response = await fetch(`${service.url}/app/api/board/invitation`, { method: 'POST', body })
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  ask = sessionCaller(service.url, cookie)
  expect((await ask('GET /app/api/session')).json.User?.Role).toBe('advocate')
})
afterAll(() => service.stop())

const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`
const send = async (method: string, path: string, headers: Record<string, string>) => {
  // Not with fetch, which sets Sec-Fetch-Mode itself.
  const options = { method: method as Dispatcher.HttpMethod, headers: { authorization, ...headers } }
  const { statusCode: status, headers: responseHeaders, body } = await request(service.url + path, options)
  return { status, headers: responseHeaders, text: await beginningOf(responseHeaders, body) }
}

const crossSiteHeaders: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://other.example' },
  { origin: 'null' },
]
const embeddedHeaders: Record<string, string>[] = ['no-cors', 'cors', 'navigate'].map((mode) => ({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': mode === 'navigate' ? 'iframe' : 'empty',
}))

/** The first chunk of a stream that does not end. */
async function beginningOf(headers: Dispatcher.ResponseData['headers'], body: Dispatcher.ResponseData['body']) {
  if (!String(headers['content-type']).startsWith('text/event-stream')) return body.text()
  for await (const part of body) return String(part)
  return ''
}

const all = [...operations, ...forSessions(endpoints)]
const routes = [
  ...all.map((endpoint) => ({ ...endpoint, address: addressOf(endpoint, 'absent'), open: Boolean(endpoint.ownerOf) })),
  ...intakes.map(({ path }) => ({
    method: 'PUT',
    address: `/app/api${path.replace(/\{\w+\}/, 'absent')}`,
    open: false,
  })),
  ...[...downloads, ...streams].map(({ path }) => ({
    method: 'GET',
    address: `/app/api${path.replace(/\{\w+\}/, 'absent')}`,
    open: false,
  })),
]

describe.each(routes.map((route, turn) => [`${route.method} ${route.address}`, route, turn] as const))(
  '%s',
  (_name, route, turn) => {
    test('rejects requests of other sites, and has no CORS headers', async () => {
      const { method, address, open } = route
      const foreign = method === 'GET' ? embeddedHeaders : crossSiteHeaders
      // All are rejected by the same code, so each operation gets one of them in turn.
      for (const headers of open ? [] : foreign.filter((_, index) => deep(index === turn % foreign.length, true))) {
        const { status, text } = await send(method, address, headers)
        expect([status, text], JSON.stringify(headers)).toEqual([
          403,
          expect.stringContaining('A page of another site'),
        ])
      }
      const plain = await send(method, address, {})
      expect(
        [plain.status === 403, plain.text.includes('another site')],
        'requests without Sec-Fetch-Site',
      ).not.toEqual([true, true])
      expect(Object.keys(plain.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(plain.headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(plain.headers['x-content-type-options']).toBe('nosniff')
    })
  },
)

test('requests of the service’s own pages are accepted', async () => {
  for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, { origin: service.url }]) {
    const body = new URLSearchParams({ name: 'From here' })
    const options = { method: 'POST', headers: { authorization, ...headers } as Record<string, string>, body }
    expect((await fetch(`${service.url}/v2/team`, options)).status).toBe(200)
  }
})

test('preflight requests are never allowed', async () => {
  for (const path of ['/v2/team', '/app/api/session', '/app/api/v2/team']) {
    const { status, headers } = await send('OPTIONS', path, {
      ...crossSiteHeaders[0],
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-chorus-console',
    })
    expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined])
  }
})

test('top-level navigation with an API key is accepted, and a WebSocket handshake of another site is rejected', async () => {
  const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect((await send('GET', '/v2/me', navigation)).status).toBe(200)
  const handshake = (origin: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', origin }
      const headers = { authorization, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', ...socket }
      const call = get(`${service.url}/v2/me`, { headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode))
      })
      call.on('error', reject)
    })
  expect([await handshake('https://other.example'), await handshake(service.url)]).toEqual([403, 200])
})

const own = ['enter', 'share']
const guarded = operations.filter((endpoint) => !isOpen(endpoint))
const filled = (path: string) => path.replace(/\{\w+\}/g, 'absent')

describe('the session of an advocate', () => {
  test.each(guarded.filter(({ base }) => base === '/v2'))(
    'is rejected by $method /v2$path',
    async ({ method, path }) => {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const { statusCode, body } = await request(`${service.url}/v2${filled(path)}`, { method, headers })
      await body.dump()
      expect(statusCode).toBe(401)
      expect((await ask(`${method} /app/api/v2${filled(path)}`)).status).toBe(403)
    },
  )

  test.each(guarded.filter(({ base }) => base !== '/v2'))(
    'is accepted by $method /app/api$path only if the ability is an advocate’s',
    async ({ method, path, needs }) => {
      // The test's own session must not be ended.
      if (`${method} ${path}` === 'DELETE /session') return
      const { status } = await ask(`${method} /app/api${filled(path)}`)
      if (own.includes(needs)) expect([401, 403]).not.toContain(status)
      else expect(status).toBe(403)
    },
  )

  test('is rejected by streams, downloads and uploads', async () => {
    for (const { path } of [...downloads, ...streams])
      expect((await ask(`GET /app/api${filled(path)}`)).status, path).toBe(403)
    for (const { path } of intakes) expect((await ask(`PUT /app/api${filled(path)}`)).status, path).toBe(403)
  })
})

test('no endpoint of the contract requires an ability of advocates', () => {
  expect(endpoints.filter(({ needs }) => own.includes(needs))).toEqual([])
})
