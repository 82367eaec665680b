import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { receiveTcp } from '#kernel/outbound/receivers.fixture.ts'
import type { Fault } from '../connector/connector.ts'
import { now, openTestNetwork } from './network-http.fixture.ts'

let own: Awaited<ReturnType<typeof openTestNetwork>>
beforeAll(async () => {
  own = await openTestNetwork()
})
beforeEach(() => {
  own.network.requests.length = 0
  own.network.answer = (response) => response.end('{}')
  own.network.classify = () => undefined
})
afterAll(() => own.close())

const retryable: Fault = { kind: 'retryable' }
const unknownOutcome = { kind: 'unknownOutcome' }
const permanent = (why: string) => ({ kind: 'permanent', why })
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end('No')

test('a URL of another host is rejected without a request', async () => {
  const foreign = await receiveTcp(() => {})
  const port = new URL(own.url).port
  const addresses = [
    foreign.url,
    own.url.replace('http:', 'https:'),
    `http://127.0.0.1:${port}@127.0.0.1:${foreign.port}/`,
    `http://localhost:${port}/base/x`,
    `http://127.0.0.2:${port}/base/x`,
    `http://127.0.0.1:${port}/based/x`,
    `http://127.0.0.1:${port}/base/../x`,
  ]
  for (const url of addresses) {
    const error = await own.fail({ url })
    expect(error.fault).toEqual(permanent('config'))
    expect(error.message).toContain('not one of its own')
  }
  expect([foreign.connections, own.network.requests.length]).toEqual([0, 0])
  await foreign.stop()
})

test('every request identifies the service and its version', async () => {
  await own.call()
  await own.call({ method: 'GET', headers: { accept: 'text/plain' } })
  expect(own.network.requests.map(({ headers }) => headers['user-agent'])).toEqual(['Chorus/1.2.3', 'Chorus/1.2.3'])
})

test('a redirect is not followed', async () => {
  const foreign = await receiveTcp(() => {})
  own.network.answer = status(302, { location: foreign.url })
  expect((await own.call()).status).toBe(302)
  expect([foreign.connections, own.network.requests.length]).toEqual([0, 1])
  await foreign.stop()
})

test('a refused connection is retryable, even for an irreversible request', async () => {
  const gone = await openTestNetwork()
  await gone.leave()
  for (const irreversible of [true, false]) expect((await gone.fail({ irreversible })).fault).toEqual(retryable)
  await gone.close()
})

test.each([
  ['it resets the connection', (response: ServerResponse) => response.socket?.resetAndDestroy()],
  ['a closed connection', (response: ServerResponse) => response.socket?.end()],
  ['a truncated response', (response: ServerResponse) => response.writeHead(200, { 'content-length': 9 }).write('{')],
  ['a timeout', () => {}],
  ['a malformed response', (response: ServerResponse) => response.socket?.end('What?\r\n\r\n')],
])('after a received irreversible request and %s, the outcome is unknown', async (_, answer) => {
  own.network.answer = answer
  const timeoutMs = 150
  expect((await own.fail({ irreversible: true, timeoutMs })).fault).toEqual(unknownOutcome)
  expect((await own.fail({ timeoutMs })).fault).toEqual(retryable)
  expect((await own.fail({ method: 'GET', timeoutMs })).fault).toEqual(retryable)
  expect(own.network.requests).toHaveLength(3)
})

test.each([500, 502, 503, 504, 408, 425])('status %i leaves the outcome unknown', async (code) => {
  own.network.answer = status(code)
  const error = await own.fail({ irreversible: true })
  expect(error.fault).toEqual(unknownOutcome)
  expect(error.remote).toEqual({ status: code })
  expect((await own.fail()).fault).toEqual(retryable)
})

test.each([
  [{ 'retry-after': '120' }, 120],
  [{}, 60],
])('status 429 with %j waits', async (headers, seconds) => {
  own.network.answer = status(429, headers)
  const until = new Date(now.getTime() + seconds * 1000)
  for (const irreversible of [true, false]) {
    expect((await own.fail({ irreversible })).fault).toEqual({ kind: 'throttled', until, scope: 'endpoint' })
  }
})

test.each([
  [400, permanent('input')],
  [401, { kind: 'token', remedy: 'refresh' }],
  [403, permanent('permission')],
  [404, permanent('gone')],
  [410, permanent('gone')],
  [422, permanent('input')],
])('status %i is a rejection, for repeatable and irreversible requests', async (code, expected) => {
  own.network.answer = status(code)
  for (const irreversible of [true, false]) {
    const error = await own.fail({ irreversible })
    expect(error.fault).toEqual(expected)
    expect(error.message).toBe(`Facebook: The network answered ${code}: No.`)
  }
})

test('the classifier determines the fault, except that "retryable" becomes an unknown outcome for irreversible requests', async () => {
  const says = (fault: Fault) => {
    own.network.classify = () => ({ fault, message: 'Their words.', remote: { code: '7', subcode: '8' } })
  }
  for (const code of [200, 401, 500]) {
    own.network.answer = status(code)
    says({ kind: 'duplicate', of: '1' })
    const error = await own.fail({ irreversible: true })
    expect(error.fault).toEqual({ kind: 'duplicate', of: '1' })
    expect(error.message).toBe('Facebook: Their words.')
    expect(error.remote).toEqual({ status: code, code: '7', subcode: '8' })
    says(retryable)
    expect((await own.fail({ irreversible: true })).fault).toEqual(unknownOutcome)
    expect((await own.fail()).fault).toEqual(retryable)
  }
})
