import { Ajv2020 } from 'ajv/dist/2020.js'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeConsole, describeInterface } from '#kernel/http/openapi.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { abilities, roles } from '#kernel/permissions.ts'
import { appEndpoints, endpoints, streams } from '#main/endpoints.ts'
import type { Caller } from '../support/caller.ts'
import { isCluster } from '../support/database/nodes.ts'
import { listenTo } from '../support/feed-client.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import type { Example } from './examples.ts'
import { unhintedChanges, watchChanges } from './hint-audit.ts'
import { addressOf, callerFor, exampleFor, operations, routeOf } from './operations.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ picture: true })
  if (!isCluster) await watchChanges(service.databaseUrl)
})
afterAll(() => service.stop())

const callerOf = (role: (typeof roles)[number]): Caller =>
  ({ admin: service.admin, publisher: service.publisher, contributor: service.contributor, read: service.reader })[role]

/** The route with its path filled in, and what it needs to succeed. */
const call = (as: Caller, endpoint: Endpoint, id: string, { body }: Example) =>
  as(routeOf(endpoint).replace(/\{\w+\}/, id), body ? { body } : {})

/** One for all, so that what several answers have in common is compiled once. */
const ajv = new Ajv2020({ strict: false })
  .addSchema(describeInterface(endpoints, '0'), 'contract')
  .addSchema(describeConsole(appEndpoints, { intakes: [], downloads: [], streams: [] }, '0'), 'console')
const answerCheck = ({ method, base, path }: Endpoint) => {
  const place = ['paths', path, method.toLowerCase(), 'responses', '200', 'content', 'application/json', 'schema']
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  return ajv.compile({ $ref: `${base === '/v2' ? 'contract' : 'console'}#/${pointer}` })
}

describe.each(operations.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  test('answers 401 without credentials, before anything else, unless it is for everybody', async () => {
    const { statusCode, body } = await request(service.url + addressOf(endpoint, 'x'), { method: endpoint.method })
    expect(statusCode).toBe(endpoint.ownerOf ? 404 : endpoint.openly ? 400 : 401)
    expect(await body.json()).toMatchObject({ Result: false, Errors: { API: { Error: expect.any(String) } } })
  })

  test('is open to the roles of its ability and answers 403 to the others', async () => {
    const mayDo = (role: (typeof roles)[number]) => (abilities[endpoint.needs] as readonly string[]).includes(role)
    // Of those who may, the one who may least says it for the others, who succeed with the examples.
    const least = roles.findLast(mayDo)
    for (const role of roles.filter((role) => !mayDo(role) || role === least)) {
      const { status, json } = await call(callerOf(role), endpoint, 'absent', {})
      if (role === least) expect(status).not.toBe(403)
      else expect([status, json.Result]).toEqual([403, false])
    }
  })

  test('succeeds on its example, with exactly the described shape, by form and by JSON', async () => {
    const valid = answerCheck(endpoint)
    for (const encode of [asForm, (body: object) => body]) {
      const example = await exampleFor(endpoint, service)
      const encoded = example.body ? { body: encode(example.body) } : {}
      const { status, json } = await call(callerFor(endpoint, service), endpoint, example.id ?? '', encoded as Example)
      expect(status, JSON.stringify(json)).toBe(200)
      expect(valid(json), JSON.stringify(valid.errors)).toBe(true)
      expect(json.Result).toBe(true)
      // What stands in the address, or nowhere, is written in one way only.
      if (endpoint.method === 'GET' || !example.body) break
    }
  })

  /** What others could not reach is as it was. */
  let untouched: Example | undefined

  test('gives for another account’s item byte for byte what it gives for an absent one', async () => {
    const example = await exampleFor(endpoint, service)
    untouched = example
    if (!example.id) return expect(endpoint.path).not.toContain('{')
    if (example.chosen) {
      const own = await call(service.otherAdmin, endpoint, example.id, example)
      return expect([own.status, own.json]).toMatchObject([200, { Draft: { Version: 1 } }])
    }
    if (example.shared) return expect((await call(service.otherAdmin, endpoint, 'absent', example)).status).toBe(404)
    const absent = `${example.id.slice(0, 3)}absent000000`
    const [foreign, missing, malformed] = await Promise.all(
      [example.id, absent, 'nonsense'].map((id) => call(service.otherAdmin, endpoint, id, example)),
    )
    expect(missing?.status).toBe(404)
    expect(foreign?.status).toBe(404)
    expect(foreign?.text).toBe(missing?.text)
    expect(malformed?.text).toBe(missing?.text)
    const headers = (answer: typeof foreign) =>
      [...(answer?.headers ?? [])].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    expect(headers(foreign)).toEqual(headers(missing))
  })

  test('tolerates a trailing slash and unknown parameters', async () => {
    const example = untouched ?? (await exampleFor(endpoint, service))
    const { status } = await callerFor(endpoint, service)(`${route.replace(/\{\w+\}/, example.id ?? '')}/`, {
      query: 'colour=blue&weight=1',
      ...(example.body && { body: example.body }),
    })
    expect(status).toBe(200)
  })
})

describe.each(streams.map((stream) => [stream.path, stream] as const))('the stream %s', (path, { needs, events }) => {
  const at = () => `${service.url}/app/api${path}`
  const endings = { admin: '', publisher: '-publisher', contributor: '-contributor', read: '-read' } as const
  const credentials = (role: keyof typeof endings) => ({
    authorization: `Basic ${Buffer.from(`${demoAccount}:${demoKey}${endings[role]}`).toString('base64')}`,
  })

  test('answers 401 without credentials, and 405 to other verbs', async () => {
    expect((await fetch(at())).status).toBe(401)
    const { status, headers, json } = await service.admin(`POST /app/api${path}`)
    expect([status, headers.get('allow'), json.Result]).toEqual([405, 'GET', false])
    const head = await fetch(at(), { method: 'HEAD', headers: credentials('admin') })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  test('is open to the roles of its ability, tolerates a trailing slash, and tells nothing but what is described', async () => {
    for (const role of roles) {
      const client = await listenTo(`${at()}/?colour=blue`, credentials(role))
      const allowed = (abilities[needs] as readonly string[]).includes(role)
      expect(client.status).toBe(allowed ? 200 : 403)
      if (allowed) await expect.poll(() => client.events.length).toBeGreaterThan(0)
      for (const { name } of client.events) expect(Object.keys(events)).toContain(name)
      client.close()
    }
  })
})

if (!isCluster)
  test('whatever the examples changed was told to feeds, in the same transaction', async () => {
    const { seen, unhinted } = await unhintedChanges(service.databaseUrl)
    expect(unhinted).toEqual([])
    for (const kind of ['post', 'upload', 'approval', 'profile', 'board', 'topic', 'advocate', 'streamTab', 'stream'])
      expect(seen[kind] ?? 0, kind).toBeGreaterThan(0)
  })

/** What is more than a text stands in a form as JSON. */
const asForm = (body: object) =>
  new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ).toString()

test('an address the interface does not know is 404, a known one with another verb 405 with Allow', async () => {
  const unknown = await service.admin('GET /social-profile')
  expect([unknown.status, unknown.json.Result]).toEqual([404, false])
  for (const verb of ['PUT', 'PATCH', 'OPTIONS', 'DELETE']) {
    const { status, headers, json } = await service.admin(`${verb} /team`)
    expect([status, headers.get('allow'), json.Result]).toEqual([405, 'GET, POST', false])
  }
})

test('every answer carries a request id, the caller’s own when it is sane', async () => {
  const given = await service.admin('GET /me', { headers: { 'x-request-id': 'abc-1.2:3' } })
  expect(given.headers.get('x-request-id')).toBe('abc-1.2:3')
  for (const wild of ['a b', 'x'.repeat(200), '<script>']) {
    const { headers } = await service.admin('GET /me', { headers: { 'x-request-id': wild } })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
  const refused = await fetch(`${service.url}/nowhere`)
  expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})
