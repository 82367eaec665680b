import { connect, type Socket } from 'node:net'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { systemClock } from '../../clock.ts'

/** Set while the duration of calls must not matter. */
let stopped: Date | undefined
const clock = { now: () => stopped ?? systemClock.now() }
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_RATE_LIMIT: 'on', CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const megabytes = 8 * 2 ** 20
const as = (ending: string) => `Basic ${Buffer.from(`${demoAccount}:${demoKey}${ending}`).toString('base64')}`

interface RawConnection {
  socket: Socket
  /** Data received so far. */
  received(): string
  closed(): boolean
}

function open(head: string, { url }: { url: string } = service): RawConnection {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  let closed = false
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
  })
  socket.write(head)
  return { socket, received: () => text, closed: () => closed }
}

const headOf = (route: string, ...more: string[]) => [`${route} HTTP/1.1`, 'Host: x', ...more, '', ''].join('\r\n')
const patient = { timeout: 20_000 }
const hasResponse = (connection: RawConnection) =>
  expect.poll(() => connection.received().includes('\r\n\r\n{'), patient).toBe(true)

const routes: [what: string, route: string, status: number][] = [
  ['an endpoint', 'POST /v2/team', 401],
  ['a GET', 'GET /v2/me', 401],
  ['a public endpoint', 'GET /v2/link/absent00', 413],
  ['a page', 'GET /app/connect/Twitter', 401],
  ['a page with its own authentication', 'POST /app/connect/Twitter/choice', 413],
  ['a file chunk', 'PUT /app/api/media/0upabsent000000?offset=0', 401],
  ['the contract for sessions', 'POST /app/api/v2/team', 401],
  ['the sign-in endpoint', 'POST /app/api/session', 413],
  ['a form', 'POST /app/sign-in', 403],
  ['a file', 'GET /media/a/b/c/d', 404],
  ['the health check', 'GET /healthz', 200],
  ['an unknown path', 'POST /nothing/here', 404],
  ['a wrong method', 'PUT /v2/me', 405],
]

describe('an unauthenticated request with a body of 8 MiB', () => {
  test.each(routes)('is refused by %s before the body is sent, and disconnected', async (_what, route, status) => {
    const connection = open(headOf(route, `Content-Length: ${megabytes}`))
    connection.socket.write(Buffer.alloc(1024))
    await hasResponse(connection)
    expect(connection.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(connection.received().toLowerCase()).toContain('connection: close')
    await expect.poll(connection.closed, patient).toBe(true)
  })

  test.each(routes)('gets no 100 Continue from %s', async (_what, route, status) => {
    const connection = open(headOf(route, `Content-Length: ${megabytes}`, 'Expect: 100-continue'))
    await hasResponse(connection)
    expect(connection.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    await expect.poll(connection.closed, patient).toBe(true)
  })
})

test('100 Continue is sent to authorized requests only', async () => {
  const body = 'name=Expected'
  const more = [`Authorization: ${as('')}`, 'Content-Type: application/x-www-form-urlencoded', 'Connection: close']
  const connection = open(headOf('POST /v2/team', ...more, `Content-Length: ${body.length}`, 'Expect: 100-continue'))
  await expect.poll(connection.received, patient).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  connection.socket.write(body)
  await expect.poll(connection.received, patient).toContain('"Name":"Expected"')
})

test('a request without permission is refused before its body arrives; a small body leaves the connection reusable', async () => {
  const large = open(headOf('POST /v2/team', `Authorization: ${as('-read')}`, `Content-Length: ${megabytes}`))
  await hasResponse(large)
  expect(large.received()).toMatch(/^HTTP\/1.1 403 /)
  const small = open(`${headOf('POST /v2/team', `Authorization: ${as('-read')}`, 'Content-Length: 6')}name=x`)
  await hasResponse(small)
  small.socket.write(headOf('GET /v2/me', `Authorization: ${as('-read')}`, 'Connection: close'))
  await expect.poll(small.received, patient).toContain('HTTP/1.1 200 OK')
})

test('a chunked body beyond the limit of its route is refused with 413', async () => {
  const connection = open(headOf('POST /v2/team', `Authorization: ${as('')}`, 'Transfer-Encoding: chunked'))
  const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')])
  for (let count = 0; count < 20; count++) connection.socket.write(piece)
  await hasResponse(connection)
  expect(connection.received()).toMatch(/^HTTP\/1.1 413 /)
  expect(connection.received()).toContain('larger than the limit of 1 MiB')
  await expect.poll(connection.closed, patient).toBe(true)
})

test('so is an unauthenticated body that arrives together with its headers', async () => {
  const chunk = `9c40\r\n${'x'.repeat(40_000)}\r\n0\r\n\r\n`
  const connection = open(headOf('POST /app/api/session', 'Transfer-Encoding: chunked') + chunk)
  await hasResponse(connection)
  expect(connection.received()).toMatch(/^HTTP\/1.1 413 /)
  expect(connection.received()).toContain('larger than the limit of 32 KiB')
})

// Both wait for a body that never arrives.
describe('slow bodies', () => {
  test.concurrent('a body below the minimum transfer rate is aborted', async () => {
    const connection = open(headOf('POST /v2/team', `Authorization: ${as('')}`, 'Content-Length: 5000'))
    const drops = setInterval(() => connection.socket.write('x'), 400)
    await expect.poll(connection.received, { timeout: 60_000 }).toContain('HTTP/1.1 408 ')
    clearInterval(drops)
    connection.socket.destroy()
  }, 90_000)

  test.concurrent('an account that fills its share of large bodies does not block another account', async () => {
    const length = `Content-Length: ${megabytes}`
    const uploads = await Promise.all(Array.from({ length: 12 }, newUpload))
    const lines = uploads.map((id) =>
      open(headOf(`PUT /app/api/media/${id}?offset=0`, `Authorization: ${as('')}`, length)),
    )
    // Beyond its share no body is read, and waiting for a slot times out.
    const drops = setInterval(() => {
      for (const { socket } of lines) socket.write(Buffer.alloc(2048))
    }, 400)
    const { status } = await service.otherAdmin('POST /team', { body: { name: 'x'.repeat(500_000) } })
    expect(status).toBe(400)
    await expect
      .poll(() => lines.filter((connection) => connection.received().startsWith('HTTP/1.1 503 ')).length, {
        timeout: 60_000,
      })
      .toBe(8)
    clearInterval(drops)
    for (const { socket } of lines) socket.destroy()
  }, 90_000)
})

async function newUpload(): Promise<string> {
  const body = new URLSearchParams({ name: 'film.mp4', size: String(megabytes) })
  const answer = await fetch(`${service.url}/app/api/media`, {
    method: 'POST',
    headers: { authorization: as('') },
    body,
  })
  return ((await answer.json()) as { Upload: { Id: string } }).Upload.Id
}

test('a chunk of an unknown upload is refused before it is sent', async () => {
  const length = `Content-Length: ${megabytes}`
  const connection = open(headOf('PUT /app/api/media/0upabsent000000?offset=0', `Authorization: ${as('')}`, length))
  await hasResponse(connection)
  expect(connection.received()).toMatch(/^HTTP\/1.1 404 /)
})

test('pages and file chunks count against the same rate limits as API calls', async () => {
  stopped = systemClock.now()
  const statuses: number[] = []
  const headers = { authorization: as('-publisher') }
  for (let call = 0; call < 122 && statuses.at(-1) !== 429; call++) {
    const path = call % 2 ? '/app/connect/Twitter' : '/app/api/media/0upabsent000000?offset=0'
    const answer = await fetch(service.url + path, { method: call % 2 ? 'GET' : 'PUT', headers, redirect: 'manual' })
    statuses.push(answer.status)
    await answer.text()
  }
  expect(new Set(statuses)).toEqual(new Set([403, 404, 429]))
  expect((await service.publisher('GET /me')).status).toBe(429)
  stopped = undefined
})

test('requests that the HTTP parser rejects get a request id, too', async () => {
  for (const bytes of ['hello\r\n\r\n', headOf('GET /v2/team/%zz', 'Connection: close')]) {
    const connection = open(bytes)
    await hasResponse(connection)
    expect(connection.received()).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/i)
  }
})

describe('an untrusted proxy', () => {
  test.each([
    ['X-Forwarded-For', '203.0.113.9'],
    ['X-Forwarded-Host', 'chorus.example.com'],
    ['Forwarded', 'for=203.0.113.9'],
    ['Via', '1.1 proxy'],
  ])('gets no metrics: %s', async (name, value) => {
    expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
    expect((await fetch(`${service.url}/metrics`, { headers: { [name]: value } })).status).toBe(403)
  })
})

describe('the host name of a metrics request', () => {
  /** As a browser sends it after DNS rebinding. */
  const metricsAs = async (host: string) => {
    const connection = open(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    await expect.poll(connection.closed, patient).toBe(true)
    return connection.received()
  }
  test.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.9.8.7',
    'x[::1]',
  ])('is refused: %s', async (host) => {
    const received = await metricsAs(host)
    expect(received).toMatch(/^HTTP\/1.1 421 /)
    expect(received).toContain('is reached as localhost, by its address, or by the host of CHORUS_PUBLIC_URL')
    expect(received).not.toContain('process_cpu')
  })

  test.each(['localhost', 'LOCALHOST:4000', 'chorus.localhost', '127.0.0.1', '127.1.2.3:80', '[::1]', '[::1]:4000'])(
    'is accepted: %s',
    async (host) => expect(await metricsAs(host)).toMatch(/^HTTP\/1.1 200 /),
  )

  test('may be the host of the public URL, and any name with a token', async () => {
    const statusAt = (url: string, host: string, headers: Record<string, string> = {}) =>
      request(`${url}/metrics`, { headers: { host, ...headers } }).then(async ({ statusCode, body }) => {
        await body.dump()
        return statusCode
      })
    const environment = { CHORUS_ROLES: 'api', CHORUS_PUBLIC_URL: 'https://chorus.example.com:8443' }
    const named = await startTestService({ environment })
    expect(await statusAt(named.url, 'chorus.example.com')).toBe(200)
    expect(await statusAt(named.url, 'example.com')).toBe(421)
    await named.stop()
    const guarded = await startTestService({ environment: { ...environment, CHORUS_METRICS_TOKEN: 'a long token' } })
    expect(await statusAt(guarded.url, 'metrics.internal')).toBe(403)
    expect(await statusAt(guarded.url, 'metrics.internal', { authorization: 'Bearer a long token' })).toBe(200)
    await guarded.stop()
  })
})

describe('an unsupported Expect header', () => {
  test.each(['nonsense', '200-ok', '100'])('is refused before the body is read: %s', async (expectation) => {
    const body = '{"name":"Expected"}'
    const lines = [`Authorization: ${as('')}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
    const connection = open(headOf('POST /v2/team', ...lines, `Expect: ${expectation}`) + body)
    await hasResponse(connection)
    expect(connection.received()).toMatch(/^HTTP\/1.1 417 /)
    expect(connection.received()).toContain('The only expectation that can be met is Expect: 100-continue.')
    expect(connection.received()).not.toMatch(/HTTP\/1.1 (100|2)/)
  })

  test('is ignored for HTTP/1.0, which has no 100 Continue', async () => {
    const lines = [
      `Authorization: ${as('')}`,
      'Content-Type: application/json',
      'Content-Length: 2',
      'Expect: nonsense',
    ]
    const connection = open(`${headOf('POST /v2/team', ...lines).replace('HTTP/1.1', 'HTTP/1.0')}{}`)
    await hasResponse(connection)
    expect(connection.received()).toMatch(/^HTTP\/1.1 400 /)
  })

  test('is refused on short links as well', async () => {
    const links = await startTestService({ environment: { CHORUS_ROLES: 'api,links' } })
    const { statusCode, body } = await request(`${links.url}/l/nothing`, { headers: { connection: 'close' } })
    await body.dump()
    expect(statusCode).toBe(404)
    const connection = open(headOf('GET /l/nothing', 'Expect: nonsense'), links)
    await hasResponse(connection)
    expect(connection.received()).toMatch(/^HTTP\/1.1 417 /)
    await links.stop()
  })
})

describe('Strict-Transport-Security', () => {
  test.each(['/v2/me', '/app/sign-in', '/healthz', '/nothing'])('is not sent over plain HTTP: %s', async (path) => {
    for (const proto of ['https', 'http']) {
      const { headers } = await fetch(service.url + path, { headers: { 'x-forwarded-proto': proto } })
      expect(headers.get('strict-transport-security'), 'from a proxy that nobody named').toBeNull()
    }
    expect((await fetch(service.url + path)).headers.get('strict-transport-security')).toBeNull()
  })

  test('is sent if a trusted proxy reports that the browser used TLS', async () => {
    const behind = await startTestService({ environment: { CHORUS_ROLES: 'api', CHORUS_TRUSTED_PROXIES: '127.0.0.1' } })
    for (const path of ['/v2/me', '/app/sign-in', '/nothing']) {
      const by = async (proto: string) =>
        (await fetch(behind.url + path, { headers: { 'x-forwarded-proto': proto } })).headers.get(
          'strict-transport-security',
        )
      expect([await by('https'), await by('http')], path).toEqual(['max-age=31536000', null])
    }
    await behind.stop()
  })
})
