import { readFileSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { pinnedConnector } from './connector.ts'
import { openOutbound } from './outbound.ts'
import { canary, receiveHttp, receiveTcp, started } from './receivers.fixture.ts'
import type { ResolvedAddress } from './target.ts'

const allow = ['127.0.0.0/8']
const key = readFileSync('tests/fixtures/localhost-key.pem')
const cert = readFileSync('tests/fixtures/localhost-cert.pem', 'utf8')

test('SNI contains the host name, and the certificate must match it', async () => {
  const names: unknown[] = []
  const SNICallback = (name: string, done: (error: null) => void) => {
    names.push(name)
    done(null)
  }
  const hosts: unknown[] = []
  const server = await started(
    createHttps({ key, cert, SNICallback }, ({ headers }, response) => response.end(String(hosts.push(headers.host)))),
  )
  const outbound = openOutbound({ allow, ports: 'any', lookup: async () => [answer('127.0.0.1')], ca: [cert] })
  const call = (host: string, way = outbound) => way.send({ method: 'GET', url: `https://${host}:${server.port}/` })
  expect((await call('localhost')).status).toBe(200)
  expect((await call('localhost.')).status).toBe(200)
  expect((await call('127.0.0.1')).status).toBe(200)
  await expect(call('hooks.example')).rejects.toMatchObject({
    kind: 'tls',
    message: expect.stringContaining('another name'),
  })
  expect(names).toEqual(['localhost', 'localhost', 'hooks.example'])
  expect(hosts).toEqual([`localhost:${server.port}`, `localhost.:${server.port}`, `127.0.0.1:${server.port}`])
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const strict = openOutbound({ allow, ports: 'any' })
  await expect(call('localhost', strict)).rejects.toMatchObject({
    kind: 'tls',
    message: expect.stringContaining('not trusted'),
  })
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  await Promise.all([outbound.close(), strict.close(), server.stop()])
})

test('a pinned address is used even if the name resolves to another one afterwards', async () => {
  const server = await receiveHttp((_request, response) => response.setHeader('connection', 'close').end('ok'))
  let lookups = 0
  const elsewhere = await canary(['127.0.0.2', '::1'], server.port)
  const pinned = openOutbound({
    allow: ['127.0.0.0/8', '::1'],
    ports: 'any',
    lookup: async () => (lookups++ === 0 ? [answer('127.0.0.1')] : [answer('127.0.0.2'), answer('::1')]),
  })
  for (let round = 0; round < 50; round += 1) {
    const { status } = await pinned.send({ method: 'GET', url: `http://moving.example:${server.port}/` })
    expect(status).toBe(200)
  }
  expect([server.connections, elsewhere.hits(), lookups]).toEqual([50, 0, 1])
  await pinned.close()
  await elsewhere.stop()
  await server.stop()
})

test('a connection to an address that was not checked is closed before a byte is sent', async () => {
  let received = 0
  const server = await receiveTcp((socket) => void socket.on('data', (bytes) => (received += bytes.length)))
  const sockets = new Set<Socket>()
  const end = { host: '127.0.0.1', port: server.port, secure: true, timeoutMs: 500, ca: undefined, sockets }
  const connect = pinnedConnector({ ...end, addresses: [answer('127.0.0.9')] })
  const target = { hostname: '127.0.0.1', protocol: 'https:', port: String(server.port) }
  const failure = await new Promise((resolve) => connect(target, (...result) => resolve(result[0])))
  expect(failure).toMatchObject({ kind: 'connect', cause: { message: 'connected to another address' } })
  await expect.poll(() => [server.open.size, sockets.size, received]).toEqual([0, 0, 0])
  await server.stop()
})

const answer = (address: string): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 })
