import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { abilities, roles } from '#kernel/permissions.ts'
import { descriptionsOf, endpoints, streams } from '#main/registry.ts'
import type { Caller, CallResult } from '../support/caller.ts'
import { isCluster } from '../support/database/nodes.ts'
import { listenTo } from '../support/feed-client.ts'
import { deep } from '../support/randomness.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { isAudited, requiresParameters, watchAuditLog } from './audit-entries.ts'
import { changesWithoutNotification, watchChanges } from './change-audit.ts'
import type { Example } from './examples.ts'
import { addressOf, callerFor, exampleFor, operations, routeOf } from './operations.ts'

let service: TestService
let auditEntries: ReturnType<typeof watchAuditLog>
beforeAll(async () => {
  service = await startTestService({ picture: true })
  auditEntries = watchAuditLog(service)
  if (!isCluster) await watchChanges(service.databaseUrl)
})
afterAll(() => service.stop())

const callerOf = (role: (typeof roles)[number]): Caller =>
  ({ admin: service.admin, publisher: service.publisher, contributor: service.contributor, read: service.reader })[role]

/** Calls the route with the path and body of the example. */
const call = (as: Caller, endpoint: Endpoint, id: string, { body }: Example) =>
  as(routeOf(endpoint).replace(/\{\w+\}/, id), body ? { body } : {})

/** One instance, so that shared schemas are compiled once; code optimization does not pay off for a few validations. */
const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false, code: { optimize: false } })
for (const { file, content } of descriptionsOf(endpoints)) ajv.addSchema(content(), file)
const responseValidator = ({ method, base, path }: Endpoint) => {
  const location = ['paths', path, method.toLowerCase(), 'responses', '200', 'content', 'application/json', 'schema']
  const pointer = location.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const address = `${base === '/v2' ? '/openapi.json' : '/app-openapi.json'}#/${pointer}`
  let compiled: ValidateFunction | undefined
  return () => {
    compiled ??= ajv.compile({ $ref: address })
    return compiled
  }
}

describe.each(operations.map((endpoint) => [routeOf(endpoint), endpoint] as const))('%s', (route, endpoint) => {
  const as = () => callerFor(endpoint, service)
  const turn = operations.indexOf(endpoint)
  const validator = responseValidator(endpoint)
  /** Not changed by rejected requests or by reads. */
  let unmodified: Example = {}
  beforeAll(async () => {
    unmodified = await exampleFor(endpoint, service)
    if (isAudited(endpoint)) await auditEntries.next()
  })

  test('responds 401 without credentials, unless it is public', async () => {
    const { statusCode, body } = await request(service.url + addressOf(endpoint, 'x'), { method: endpoint.method })
    expect(statusCode).toBe(endpoint.ownerOf ? 404 : endpoint.openly ? 400 : 401)
    expect(await body.json()).toMatchObject({ Result: false, Errors: { API: { Error: expect.any(String) } } })
  })

  test('accepts the roles of its ability, and responds 403 to other roles', async () => {
    const mayDo = (role: (typeof roles)[number]) => (abilities[endpoint.needs] as readonly string[]).includes(role)
    // One of the roles without permission, in turn.
    const others = roles.filter((role) => !mayDo(role))
    for (const role of others.filter((_, index) => deep(index === turn % others.length, true))) {
      const { status, json } = await call(callerOf(role), endpoint, 'absent', {})
      expect([status, json.Result]).toEqual([403, false])
    }
    // The lowest role with permission; the roles above it succeed with the examples.
    const lowest = callerOf(roles.findLast(mayDo) ?? 'admin')
    if (lowest === as()) return
    if (isAudited(endpoint)) expect(await auditEntries.next()).toEqual([])
    expect((await call(lowest, endpoint, 'absent', {})).status).not.toBe(403)
    if (isAudited(endpoint)) await auditEntries.next()
  })

  test('returns identical 404 responses for an entity of another account and for an unknown id', async () => {
    const example = unmodified
    if (!example.id) return expect(endpoint.path).not.toContain('{')
    if (example.chosen) {
      const own = await call(service.otherAdmin, endpoint, example.id, example)
      return expect([own.status, own.json]).toMatchObject([200, { Draft: { Version: 1 } }])
    }
    if (example.shared) return expect((await call(service.otherAdmin, endpoint, 'absent', example)).status).toBe(404)
    const absent = `${example.id.slice(0, 3)}absent000000`
    // Malformed ids are rejected before any lookup: a sample is enough.
    const ids = [example.id, absent, ...(deep(turn % 3 === 0, true) ? ['nonsense'] : [])]
    const [foreign, missing, malformed = missing] = await Promise.all(
      ids.map((id) => call(service.otherAdmin, endpoint, id, example)),
    )
    expect(missing?.status).toBe(404)
    expect(foreign?.status).toBe(404)
    expect(foreign?.text).toBe(missing?.text)
    expect(malformed?.text).toBe(missing?.text)
    const headers = (answer: typeof foreign) =>
      [...(answer?.headers ?? [])].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    expect(headers(foreign)).toEqual(headers(missing))
  })

  test('succeeds with its example, matches its schema, and writes one audit entry, but none if rejected', async () => {
    const example = unmodified
    const { id = '', body } = example
    if (isAudited(endpoint) && requiresParameters(route, example))
      expect((await call(as(), endpoint, id, { body: {} })).status).toBe(400)
    const answer = await call(as(), endpoint, id, (body ? { body: asForm(body) } : {}) as Example)
    expectDescribed(answer)
    if (isAudited(endpoint)) await auditEntries.expectOne(endpoint, example, answer)
  })

  test('accepts JSON bodies, a trailing slash and unknown parameters', async () => {
    const example = isAudited(endpoint) ? await exampleFor(endpoint, service) : unmodified
    // Operations that are not for admins only succeed for a publisher too.
    const caller = endpoint.needs === 'administer' ? service.admin : service.publisher
    const answer = await caller(`${route.replace(/\{\w+\}/, example.id ?? '')}/`, {
      query: 'colour=blue&weight=1',
      ...(example.body && { body: example.body }),
    })
    expectDescribed(answer)
  })

  function expectDescribed({ status, text, json }: CallResult) {
    expect(status, text).toBe(200)
    expect(validator()(json), JSON.stringify(validator().errors)).toBe(true)
    expect(json.Result).toBe(true)
  }
})

describe.each(streams.map((stream) => [stream.path, stream] as const))('the stream %s', (path, { needs, events }) => {
  const at = () => `${service.url}/app/api${path}`
  const endings = { admin: '', publisher: '-publisher', contributor: '-contributor', read: '-read' } as const
  const credentials = (role: keyof typeof endings) => ({
    authorization: `Basic ${Buffer.from(`${demoAccount}:${demoKey}${endings[role]}`).toString('base64')}`,
  })

  test('responds 401 without credentials, and 405 to other methods', async () => {
    expect((await fetch(at())).status).toBe(401)
    const { status, headers, json } = await service.admin(`POST /app/api${path}`)
    expect([status, headers.get('allow'), json.Result]).toEqual([405, 'GET', false])
    const head = await fetch(at(), { method: 'HEAD', headers: credentials('admin') })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  })

  test('accepts the roles of its ability and a trailing slash, and sends only described events', async () => {
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
  test('every change made by the examples sends a change notification in the same transaction', async () => {
    const { seen, unnotified } = await changesWithoutNotification(service.databaseUrl)
    expect(unnotified).toEqual([])
    for (const kind of ['post', 'upload', 'approval', 'profile', 'board', 'topic', 'advocate', 'streamTab', 'stream'])
      expect(seen[kind] ?? 0, kind).toBeGreaterThan(0)
  })

test('the audit log contains no passwords, secrets, tokens, keys or content of requests', async () => {
  const { rows, sentTexts } = await auditEntries.expectNoSecrets()
  expect(sentTexts.filter((text) => text.includes('password')).length, 'passwords were sent').toBeGreaterThan(3)
  expect(sentTexts.filter((text) => text.startsWith('whsec_')).length, 'secrets were shown').toBeGreaterThan(1)
  expect(rows.length).toBeGreaterThan(100)
})

/** Objects and arrays are sent as JSON in forms. */
const asForm = (body: object) =>
  new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ).toString()

test('an unknown path responds 404, and a known path with another method responds 405 with Allow', async () => {
  const unknown = await service.admin('GET /social-profile')
  expect([unknown.status, unknown.json.Result]).toEqual([404, false])
  for (const verb of ['PUT', 'PATCH', 'OPTIONS', 'DELETE']) {
    const { status, headers, json } = await service.admin(`${verb} /team`)
    expect([status, headers.get('allow'), json.Result]).toEqual([405, 'GET, POST', false])
  }
})

test('every response has a request id: the client’s own if it is valid', async () => {
  const given = await service.admin('GET /me', { headers: { 'x-request-id': 'abc-1.2:3' } })
  expect(given.headers.get('x-request-id')).toBe('abc-1.2:3')
  for (const invalid of ['a b', 'x'.repeat(200), '<script>']) {
    const { headers } = await service.admin('GET /me', { headers: { 'x-request-id': invalid } })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
  const notFound = await fetch(`${service.url}/nowhere`)
  expect(notFound.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})
