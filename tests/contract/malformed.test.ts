import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { streams } from '#main/registry.ts'
import { deep } from '../support/randomness.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import type { Example } from './examples.ts'
import { encoded, malformedValues, malformedValuesFor, requestFields } from './malformed-values.ts'
import { addressOf, callerFor, exampleFor, operations, routeOf } from './operations.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ picture: true })
})
afterAll(() => service.stop())

/** Runs as many calls in parallel as the service has connections: more would time out on a busy machine. */
async function inBatches<Call, Answer>(calls: readonly Call[], make: (call: Call) => Promise<Answer>) {
  const answers: Answer[] = []
  for (let from = 0; from < calls.length; from += 8)
    answers.push(...(await Promise.all(calls.slice(from, from + 8).map(make))))
  return answers
}

/** No malformed request causes a server error: never 5xx, always the error envelope. */
function expectErrorEnvelopes(answers: readonly { what: string; status: number; text: string }[]) {
  const unexpected = answers.filter(({ status, text }) => {
    const { Result, Errors } = JSON.parse(text)
    // Actions of integrations return a list of messages.
    const sentence = Errors?.API?.Error ?? Errors?.[0]
    return status >= 500 || typeof Result !== 'boolean' || (status >= 400 && typeof sentence !== 'string')
  })
  expect(unexpected.map(({ what, status, text }) => `${what}: ${status} ${text}`)).toEqual([])
}

/**
 * Unknown parameters, which are ignored whatever their value: sent with the first value, or alone if there is none; the value varies by
 * endpoint.
 */
const unknownNames = ['__proto__', 'constructor', '_order']
const shortValues = malformedValues.filter((value) => String(value).length < 10_000)

describe.each(operations.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  const { method, path } = endpoint
  let example: Example = {}
  test('responds without a server error to malformed values in every parameter', async () => {
    example = await exampleFor(endpoint, service)
    const { id = '', body = {} } = example
    const as = callerFor(endpoint, service)
    const at = route.replace(/\{\w+\}/, id)
    const fields = requestFields(endpoint)
    const own = fields.map(({ name }) => name)
    const turn = operations.indexOf(endpoint)
    const undeclaredNames = unknownNames.filter((name) => !own.includes(name))
    const unknownValue = shortValues[turn % shortValues.length]
    const trials: [names: string[], values: unknown[]][] = fields.map((field) => [
      [field.name],
      malformedValuesFor(endpoint, field),
    ])
    if (trials.length === 0) trials.push([[], [undefined]])
    // If the entity is deleted meanwhile, later requests get a 404.
    for (const [position, [names, values]] of trials.entries()) {
      const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
      const calls = values.map((value, index) => {
        // Most values in the body; in the query string, which is parsed by the same code, a sample in turn.
        const inQuery = method === 'GET' || (turn + position + index) % 5 === 0
        const sent = names.map((name): [string, unknown] => [name, value])
        if (position + index === 0) sent.push(...undeclaredNames.map((name): [string, unknown] => [name, unknownValue]))
        if (inQuery) {
          const query = sent.map(([name, held]) => `${name}=${encoded(held)}`).join('&')
          return { query, ...(method !== 'GET' && { body: rest }) }
        }
        // A computed name creates an own property, even for `__proto__`.
        return { body: { ...rest, ...Object.fromEntries(sent) } }
      })
      const answers = await inBatches(calls, (call) => as(at, call))
      expectErrorEnvelopes(answers.map((answer, index) => ({ ...answer, what: `${at} ${names} #${index}` })))
    }
  })

  test('responds 404 to malformed ids in the path', async () => {
    if (!path.includes('{')) return
    // Console operations, conversations and reports need the parameters of their examples.
    const isUsual = endpoint.base === '/v2' && !/^\/conversation\/|\/report$/.test(path)
    const given = isUsual ? {} : example
    const body = given.body ?? (method === 'GET' ? undefined : usualBody)
    // Parsed by the same code everywhere: each endpoint gets some of them in turn.
    const turns = deep(malformedIds.length, 3)
    for (const id of malformedIds.filter((_, index) => index % turns === operations.indexOf(endpoint) % turns)) {
      // Where the caller chooses the id, some of these are valid.
      if (given.chosen && /^[\w-]{1,64}$/.test(id)) continue
      const answer = await callerFor(endpoint, service)(route.replace(/\{\w+\}/, id), body ? { body } : {})
      expectErrorEnvelopes([{ ...answer, what: id }])
      // A caller who chooses the id may choose one of these.
      if (!given.chosen || answer.status !== 200) expect(answer.status, id).toBe(404)
    }
  })
})

const malformedIds = [
  '%00',
  '%2e%2e%2f',
  '..%2f..',
  '%25%30%30',
  '%ff',
  'a'.repeat(600),
  '0',
  '-1',
  "'",
  '%F0%9F%98%80',
  `025${'x'.repeat(12)}`,
]

const usualBody =
  'name=x&tag=xx&teamIds=025demo00000001&campaignId=002demo00000001&longUrl=https://example.com/&cname=x.brand.example&boardId=brddemo00000002&integration_id=014absent000000&position=1'

const bodies: [what: string, type: string, body: string | Buffer][] = [
  [
    'invalid UTF-8 in a form',
    'application/x-www-form-urlencoded',
    Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x3d, 0xff, 0xfe]),
  ],
  ['invalid percent encoding', 'application/x-www-form-urlencoded', 'name=%ff%fe'],
  ['a lone percent sign', 'application/x-www-form-urlencoded', 'name=100%'],
  [
    'prototype pollution by brackets',
    'application/x-www-form-urlencoded',
    '__proto__[x]=1&constructor[prototype][y]=2&name[__proto__][z]=3',
  ],
  ['a huge index', 'application/x-www-form-urlencoded', 'users[999999999][email]=x&teamIds[999999999]=y'],
  ['deep brackets', 'application/x-www-form-urlencoded', `a${'[b]'.repeat(10_000)}=1`],
  [
    'many parameters',
    'application/x-www-form-urlencoded',
    Array.from({ length: 5000 }, (_, index) => `p${index}=1`).join('&'),
  ],
  ['a parameter as text and as list', 'application/x-www-form-urlencoded', 'name=a&name[]=b&name[c]=d'],
  ['deep JSON', 'application/json', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['deep JSON arrays', 'application/json', '['.repeat(500_000)],
  ['truncated JSON', 'application/json', '{"name": "x'],
  ['a JSON array', 'application/json', '[1,2]'],
  ['a JSON number', 'application/json', '12'],
  ['JSON null', 'application/json', 'null'],
  ['a JSON content type and no content', 'application/json', ''],
  ['a NUL in JSON', 'application/json', '{"name":"a\\u0000b"}'],
  ['a lone surrogate in JSON', 'application/json', '{"name":"\\ud800"}'],
  ['a __proto__ key', 'application/json', '{"__proto__":{"name":"x"},"name":"y"}'],
  ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
  ['an unknown content type', 'application/octet-stream', 'abc'],
  ['an invalid content type', ';;;', 'name=x'],
  ['no content type', '', '{"name":"x"}'],
  ['a value of one megabyte', 'application/json', JSON.stringify({ name: 'x'.repeat(1_000_000) })],
]

test.each(bodies)('a body with %s causes no server error', async (what, type, body) => {
  // The body is read before the method matters: one valid method, and another in turn.
  const others = ['PUT', 'DELETE', 'PATCH'].filter((_, index) =>
    deep(index === bodies.findIndex(([name]) => name === what) % 3, true),
  )
  for (const method of ['POST', ...others]) {
    const response = await fetch(`${service.url}/v2/team`, {
      method,
      headers: { authorization, 'content-type': type },
      body,
    })
    expectErrorEnvelopes([{ what: `${method} ${what}`, status: response.status, text: await response.text() }])
  }
})

test('a body over 1 MiB responds 413', async () => {
  const { status, json } = await service.admin('POST /team', { body: { name: 'x'.repeat(1024 * 1024) } })
  expect([status, json.Errors.API.Error]).toEqual([413, 'The body is larger than the limit of 1 MiB.'])
})

test.each([
  ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
  ['bad base64', 'Basic !!!'],
  ['a NUL', `Basic ${Buffer.from(`${demoAccount}:\0`).toString('base64')}`],
  ['another scheme', 'Bearer abc'],
  ['nothing', ''],
  ['invalid UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
  ['a very long key', `Basic ${Buffer.from(`${demoAccount}:${'x'.repeat(5000)}`).toString('base64')}`],
])('an Authorization header with %s responds 401', async (_what, header) => {
  const response = await fetch(`${service.url}/v2/me`, { headers: { authorization: header } })
  expect(response.status).toBe(401)
})

const otherVerbs = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK']
test.each(otherVerbs)('%s on any route causes no server error', async (method) => {
  const urls = [
    ...operations.map((endpoint) => addressOf(endpoint, 'x')),
    ...streams.map(({ path }) => `/app/api${path}`),
  ]
  // Every route gets some of these methods in turn.
  const turn = otherVerbs.indexOf(method)
  const paths = [...new Set(urls)].filter((_, index) => (index + turn) % otherVerbs.length < deep(2, 5))
  // Sequentially on one connection, which the last request closes.
  const requests = paths.map(
    (path, index) =>
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: ${index === paths.length - 1 ? 'close' : 'keep-alive'}\r\n\r\n`,
  )
  const statuses = [...(await raw(requests.join(''))).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
  expect(statuses.length).toBe(paths.length)
  expect(paths.filter((_, index) => (statuses[index] ?? 500) >= 500)).toEqual([])
})

const abuses: [what: string, bytes: string][] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a 64 KiB header', `GET /v2/me HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(65_536)}\r\n\r\n`],
  ['an invalid Content-Length', 'POST /v2/team HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\nname=x'],
  ['two Content-Lengths', 'POST /v2/team HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nname=x'],
  ['a broken chunk', 'POST /v2/team HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nname\r\n'],
  [
    'length and chunks',
    'POST /v2/team HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['NUL in a header', 'GET /v2/me HTTP/1.1\r\nHost: x\r\nX-Nul: a\0b\r\n\r\n'],
  ['a path with bad escapes', 'GET /v2/team/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['an absolute URL of another host', 'GET http://example.com/v2/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ['no host', 'GET /v2/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
]

test.each(abuses)('a request with %s responds with a client error in the envelope', async (_what, bytes) => {
  const answer = await raw(bytes)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const status = Number(head.split(' ')[1])
  expect(status, answer).toBeGreaterThanOrEqual(400)
  expect(status, answer).toBeLessThan(500)
  if (body) expect(JSON.parse(body).Result).toBe(false)
})

const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`

/** Writes raw bytes and returns the response until the server closes the connection. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    let answer = ''
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${bytes.slice(0, 60)}`)))
    socket.on('data', (data) => {
      answer += data.toString('latin1')
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(answer) : reject(error),
    )
    socket.write(bytes)
  })
}
