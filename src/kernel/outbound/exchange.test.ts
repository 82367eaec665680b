import type { IncomingMessage } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Outbound, openOutbound } from './outbound.ts'
import { type Receiver, receiveHttp } from './receivers.fixture.ts'

const allow = ['127.0.0.0/8']
const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }]
const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = []

let outbound: Outbound
beforeEach(() => {
  outbound = closedAfterTest(openOutbound({ allow, ports: 'any', lookup }))
})
afterAll(async () => {
  for (const one of opened) await (one.close?.() ?? one.stop?.())
})

test('the Host header contains the name although the connection uses an IP address', async () => {
  const server = await echo()
  const request = { method: 'POST' as const, url: `http://Hooks.Example:${server.port}/a?b=c#d`, body: '{"a":1}' }
  const { body, status, url } = await outbound.send({ ...request, headers: { 'x-signature': 's' } })
  const seen = JSON.parse(body.toString())
  expect(seen).toMatchObject({ method: 'POST', url: '/a?b=c', body: '{"a":1}' })
  expect(seen.headers).toMatchObject({ host: `hooks.example:${server.port}`, 'x-signature': 's' })
  expect([status, url]).toEqual([200, `http://hooks.example:${server.port}/a?b=c#d`])
})

test('an abort ends a call immediately, and closing ends all calls', async () => {
  const server = closedAfterTest(await receiveHttp(() => {}))
  const request = { method: 'GET' as const, url: server.url }
  await expect(outbound.send({ ...request, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    kind: 'aborted',
  })
  await expect(outbound.send({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' })
  const ends = Promise.allSettled(Array.from({ length: 10 }, () => outbound.send(request)))
  setTimeout(() => outbound.close(), 50)
  for (const end of await ends) expect(end).toMatchObject({ reason: { kind: 'aborted' } })
  await expect(outbound.send(request)).rejects.toMatchObject({ kind: 'aborted' })
  await expect.poll(() => server.open.size).toBe(0)
})

test('redirects to another origin drop credentials, and drop the body where browsers do', async () => {
  const target = await echo()
  const server = closedAfterTest(
    await receiveHttp(({ url }, response) => {
      response.writeHead(Number(url?.slice(1)), { location: `http://other.example:${target.port}/new` }).end()
    }),
  )
  const headers = { authorization: 'secret', 'x-signature': 'secret', 'content-type': 'text/plain', range: 'bytes=0-' }
  const call = async (status: number) => {
    const url = `${server.url}/${status}`
    return JSON.parse((await outbound.send({ method: 'POST', url, headers, body: 'b', redirects: 1 })).body.toString())
  }
  expect(await call(303)).toMatchObject({ method: 'GET', body: '', url: '/new', headers: { range: 'bytes=0-' } })
  const repeated = await call(307)
  expect(repeated).toMatchObject({ method: 'POST', body: 'b', headers: { host: `other.example:${target.port}` } })
  expect(JSON.stringify(repeated)).not.toContain('secret')
})

test('a stream delivers and counts all bytes, and can be abandoned', async () => {
  const file = Buffer.alloc(5 * 2 ** 20, 'f')
  const server = closedAfterTest(
    await receiveHttp(({ url }, response) => {
      if (url === '/long') response.setHeader('content-length', file.length)
      response.write(file.subarray(1))
      response.end('f')
    }),
  )
  const open = (path: string, maximumBytes?: number) =>
    outbound.stream({ method: 'GET', url: server.url + path, maximumBytes })
  let size = 0
  for await (const chunk of (await open('/')).body) size += chunk.length
  expect(size).toBe(file.length)
  await expect(open('/long', 1_000)).rejects.toMatchObject({ kind: 'too-large' })
  const { body } = await open('/', 1_000_000)
  const readAll = async () => {
    for await (const _chunk of body);
  }
  await expect(readAll()).rejects.toMatchObject({ kind: 'too-large' })
  for (let round = 0; round < 6; round += 1) for await (const _chunk of (await open('/')).body) break
})

test("callers can't set headers that control the connection", async () => {
  const server = await echo()
  const wrong: Record<string, string>[] = [
    { Host: 'a' },
    { 'Transfer-Encoding': 'chunked' },
    { 'x-a': 'b\r\nHost: c' },
    { 'a b': 'c' },
  ]
  for (const headers of wrong) {
    const call = outbound.send({ method: 'GET', url: server.url, headers })
    await expect(call).rejects.toMatchObject({ kind: 'protocol' })
  }
  expect(server.connections).toBe(0)
})

const echo = async (): Promise<Receiver> =>
  closedAfterTest(
    await receiveHttp(async (request, response) => {
      const { method, url, headers } = request
      response.end(JSON.stringify({ method, url, headers, body: await text(request) }))
    }),
  )

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function closedAfterTest<One extends { close?(): Promise<void>; stop?(): Promise<void> }>(one: One): One {
  opened.push(one)
  return one
}
