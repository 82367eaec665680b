import { get } from 'node:http'
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forSessions } from '#kernel/http/route/endpoint.ts'
import { downloads, endpoints, intakes, streams } from '#main/endpoints.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { addressOf, operations } from './operations.ts'

/** What a browser sends because a page of another site wants it, with credentials that it remembers. */

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`
const send = async (method: string, path: string, headers: Record<string, string>) => {
  // Not with fetch, which says what mode it has.
  const options = { method: method as Dispatcher.HttpMethod, headers: { authorization, ...headers } }
  const { statusCode: status, headers: answered, body } = await request(service.url + path, options)
  return { status, headers: answered, text: await beginningOf(answered, body) }
}

const elsewhere: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' },
  { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://other.example' },
  { origin: 'null' },
]
const embedded: Record<string, string>[] = ['no-cors', 'cors', 'navigate'].map((mode) => ({
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': mode === 'navigate' ? 'iframe' : 'empty',
}))

/** Of an answer that does not end, what comes first. */
async function beginningOf(headers: Dispatcher.ResponseData['headers'], body: Dispatcher.ResponseData['body']) {
  if (!String(headers['content-type']).startsWith('text/event-stream')) return body.text()
  for await (const part of body) return String(part)
  return ''
}

const all = [...operations, ...forSessions(endpoints)]
const doors = [
  ...all.map((endpoint) => ({ ...endpoint, address: addressOf(endpoint, 'absent'), open: Boolean(endpoint.ownerOf) })),
  ...intakes.map(({ path }) => ({
    ...{ method: 'PUT', address: `/app/api${path.replace(/\{\w+\}/, 'absent')}`, open: false },
  })),
  ...[...downloads, ...streams].map(({ path }) => ({
    ...{ method: 'GET', address: `/app/api${path.replace(/\{\w+\}/, 'absent')}`, open: false },
  })),
]

describe.each(doors.map((door) => [`${door.method} ${door.address}`, door] as const))('%s', (_name, door) => {
  test('is refused to other sites, and gives them nothing', async () => {
    const { method, address, open } = door
    const foreign = method === 'GET' ? embedded : elsewhere
    for (const headers of open ? [] : foreign) {
      const { status, text } = await send(method, address, headers)
      expect([status, text], JSON.stringify(headers)).toEqual([403, expect.stringContaining('A page of another site')])
    }
    const plain = await send(method, address, {})
    expect([plain.status === 403, plain.text.includes('another site')], 'programs say nothing of sites').not.toEqual([
      true,
      true,
    ])
    expect(Object.keys(plain.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(plain.headers['cross-origin-resource-policy']).toBe('same-origin')
    expect(plain.headers['x-content-type-options']).toBe('nosniff')
  })
})

test('what the service’s own pages send goes through', async () => {
  for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, { origin: service.url }]) {
    const body = new URLSearchParams({ name: 'From here' })
    const options = { method: 'POST', headers: { authorization, ...headers } as Record<string, string>, body }
    expect((await fetch(`${service.url}/v2/team`, options)).status).toBe(200)
  }
})

test('a question beforehand is never answered with leave', async () => {
  for (const path of ['/v2/team', '/app/api/session', '/app/api/v2/team']) {
    const { status, headers } = await send('OPTIONS', path, {
      ...elsewhere[0],
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-chorus-console',
    })
    expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined])
  }
})

test('a person who goes to an answer with a key sees it; a socket of another site is refused', async () => {
  const gone = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect((await send('GET', '/v2/me', gone)).status).toBe(200)
  const shake = (origin: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', origin }
      const headers = { authorization, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', ...socket }
      const call = get(`${service.url}/v2/me`, { headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode))
      })
      call.on('error', reject)
    })
  expect([await shake('https://other.example'), await shake(service.url)]).toEqual([403, 200])
})
