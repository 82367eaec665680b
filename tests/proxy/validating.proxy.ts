import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, endpoints } from '#main/registry.ts'
import { callerFor, exampleFor } from '../contract/operations.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../support/service.ts'
import { type Encoding, inBody, inQuery } from './encodings.ts'
import { publishedCalls } from './published-calls.ts'

/**
 * A proxy in front of the service rejects requests and responses that do not match the OpenAPI documents. The examples of all operations
 * and the calls of published clients must pass it in every encoding that those clients use.
 */

let service: TestService
const proxies: { [base: string]: { url: string; child: ChildProcess } } = {}
const counted = { calls: 0, violations: [] as string[] }

beforeAll(async () => {
  service = await startTestService({ picture: true, environment: { CHORUS_ROLES: 'api' } })
  proxies['/v2'] = await startProxy('openapi.json', `${service.url}/v2`)
  proxies['/app/api'] = await startProxy('app-openapi.json', `${service.url}/app/api`)
})
afterAll(async () => {
  for (const { child } of Object.values(proxies)) child.kill('SIGTERM')
  await service.stop()
})

test('the proxy rejects requests and responses that are not described', async () => {
  const violation = async (...of: Parameters<typeof call>) => (await call(...of)).violation
  const form = (body: string) => ({ contentType: 'application/x-www-form-urlencoded', body })
  const json = (body: object) => ({ contentType: 'application/json', body: JSON.stringify(body) })
  expect(await violation('/v2', 'GET /user', { query: '_count=25' })).toBeUndefined()
  expect(await violation('/v2', 'GET /user', { query: '_count=7' })).toMatch(/_count/)
  expect(await violation('/v2', 'POST /team', json({ name: 7 }))).toMatch(/name/)
  expect(await violation('/v2', 'POST /team', form('title=Europe'))).toMatch(/name/)
  expect(await violation('/v2', 'POST /notification', form('EmailDaily=perhaps'))).toMatch(/EmailDaily/)
  const faultyServer = createHttpServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ Result: true, Team: { Id: 7 } }))
  }).listen(0, '127.0.0.1')
  await once(faultyServer, 'listening')
  proxies.faultyServer = await startProxy(
    'openapi.json',
    `http://127.0.0.1:${(faultyServer.address() as AddressInfo).port}`,
  )
  expect(await violation('faultyServer', 'GET /team/025demo00000001', {})).toMatch(/Response body.*Team/)
  faultyServer.close()
})

test.each([
  ['/v2', endpoints],
  ['/app/api', appEndpoints],
] as const)('the examples of all operations under %s pass in every encoding', async (base, all) => {
  for (const endpoint of all as readonly Endpoint[]) {
    const first = await exampleFor(endpoint, service)
    for (const encoding of encodingsFor(endpoint, first.body ?? {})) {
      const { id = '', body = {} } = await exampleFor(endpoint, service)
      const route = `${endpoint.method} ${endpoint.path.replace(/\{\w+\}/, encodeURIComponent(id))}`
      await pass(
        base,
        route,
        encoding,
        body as Record<string, unknown>,
        callerFor(endpoint, service) === service.publisher,
      )
    }
  }
  expect(counted.violations.splice(0)).toEqual([])
})

test('the calls of published clients pass in every encoding that they use', async () => {
  for (const { route, values = {}, inQuery: isInQuery } of await publishedCalls(service)) {
    const isForm = !(typeof route === 'string' && route.startsWith('GET')) && !isInQuery
    const encodings = Object.keys(values).length === 0 ? [plain] : isForm ? inBody : inQuery
    for (const encoding of encodings)
      await pass('/v2', typeof route === 'string' ? route : await route(), encoding, values, false)
  }
  console.log(`${counted.calls} calls through the proxies`)
  expect(counted.violations.splice(0)).toEqual([])
})

const plain: Encoding = { name: 'no parameters', encode: () => ({}) }

/** A DELETE accepts its parameters in the query or in a body. */
function encodingsFor({ method }: Endpoint, body: object): readonly Encoding[] {
  if (Object.keys(body).length === 0) return [plain]
  if (method === 'GET') return inQuery
  return method === 'DELETE' ? [...inBody, ...inQuery.slice(0, 1)] : inBody
}

async function pass(
  base: string,
  route: string,
  { name, encode }: Encoding,
  values: Record<string, unknown>,
  isPublisher: boolean,
) {
  const { status, violation, text } = await call(base, route, encode(values), isPublisher)
  if (violation) counted.violations.push(`${route} (${name}): ${violation}`)
  else if (status !== 200) counted.violations.push(`${route} (${name}) responded ${status}: ${text.slice(0, 300)}`)
}

async function call(base: string, route: string, sent: ReturnType<Encoding['encode']>, isPublisher = false) {
  const [method = '', path = ''] = route.split(' ')
  const key = `${demoAccount}:${demoKey}${isPublisher ? '-publisher' : ''}`
  const response = await fetch(`${proxies[base]?.url}${path}${sent.query ? `?${sent.query}` : ''}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(key).toString('base64')}`,
      accept: 'application/json',
      ...(sent.contentType && { 'content-type': sent.contentType }),
    },
    ...(sent.body !== undefined && { body: sent.body }),
  })
  counted.calls++
  const text = await response.text()
  const isRefused = response.headers.get('content-type')?.startsWith('application/problem+json')
  return { status: response.status, text, violation: isRefused ? text : undefined }
}

async function startProxy(description: string, upstream: string) {
  const port = await freePort()
  const program = 'scripts/api-tools/node_modules/@stoplight/prism-cli/dist/index.js'
  const args = [program, 'proxy', description, upstream, '--errors', '--port', String(port), '--host', '127.0.0.1']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const onData = (data: Buffer) => {
      output += data
      if (output.includes('Prism is listening')) resolve()
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', onData)
    child.once('exit', () => reject(new Error(`The proxy did not start: ${output}`)))
  })
  return { url: `http://127.0.0.1:${port}`, child }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
