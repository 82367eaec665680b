import { constants, gzipSync } from 'node:zlib'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { OutboundRequest } from './exchange.ts'
import { openOutbound } from './outbound.ts'
import { type Receiver, receiveHttp, receiveTcp } from './receivers.fixture.ts'

const own = { allow: ['127.0.0.0/8'], ports: 'any' } as const
/** A response may be slow on a busy machine: only tests of a deadline use a short one. */
const minute = 60_000
const outbound = openOutbound({ ...own, connectTimeoutMs: minute })
const withShortTimeout = openOutbound({ ...own, connectTimeoutMs: 300 })
const soon = { timeoutMs: 400 }
let receiver: Receiver
afterEach(() => receiver?.stop())
afterAll(() => Promise.all([outbound.close(), withShortTimeout.close()]))

const head = 'HTTP/1.1 200 OK\r\n'
const get = (path = '/', more: Partial<OutboundRequest> = {}) =>
  outbound.send({ method: 'GET', url: receiver.url + path, timeoutMs: minute, ...more })

test('only 16 KiB of an endless body are read before the connection is dropped', async () => {
  const block = Buffer.alloc(65_536, 'x')
  let written = 0
  receiver = await receiveTcp((socket) => {
    const flood = () => {
      while (!socket.destroyed && socket.write(block)) written += block.length
    }
    socket.on('drain', flood).once('data', () => {
      socket.write(`${head}\r\n`)
      flood()
    })
  })
  const before = memory()
  for (let round = 0; round < 20; round += 1) {
    const { body, truncated } = await get()
    expect([body.length, truncated]).toEqual([16_384, true])
  }
  await expect.poll(() => receiver.open.size).toBe(0)
  expect(written).toBeLessThan(20 * 8 * 2 ** 20)
  expect(memory() - before).toBeLessThan(32 * 2 ** 20)
})

test('a slowly sent body ends at the deadline, buffered or streamed', async () => {
  receiver = await receiveTcp((socket) => {
    socket.write(`${head}content-length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write('x'), 100)
    socket.once('close', () => clearInterval(timer))
  })
  expect(await ended(() => get('/', soon))).toEqual('timeout')
  const read = async () => {
    const { body } = await outbound.stream({ method: 'GET', url: receiver.url, ...soon })
    for await (const chunk of body) expect(chunk.length).toBeGreaterThan(0)
  }
  expect(await ended(read)).toEqual('timeout')
  // The body is not read; on a busy machine even the headers may be late.
  await outbound.stream({ method: 'GET', url: receiver.url, timeoutMs: 200 }).catch(() => {})
  await expect.poll(() => receiver.open.size).toBe(0)
})

test('slowly sent headers end at the deadline', async () => {
  receiver = await receiveTcp((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5)
    socket.once('close', () => clearInterval(timer))
  })
  expect(await ended(() => get('/', soon))).toEqual('timeout')
})

test('a response with ten thousand headers fails', async () => {
  const headers = Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('')
  receiver = await receiveTcp((socket) => void socket.write(`${head}${headers}\r\nok`))
  expect(await ended(() => get())).toEqual('too-large')
})

test('invalid HTTP and TLS responses fail', async () => {
  receiver = await receiveTcp((socket) => void socket.write('\u0000\u0001garbage\r\n\r\n'.repeat(1_000)))
  expect(await ended(() => get())).toEqual('protocol')
  const secure = receiver.url.replace('http:', 'https:')
  expect(await ended(() => outbound.send({ method: 'GET', url: secure, timeoutMs: minute }))).toEqual('tls')
})

test('an informational response without a final one fails', async () => {
  for (const line of ['100 Continue', '101 Switching Protocols']) {
    receiver = await receiveTcp((socket) => void socket.once('data', () => socket.write(`HTTP/1.1 ${line}\r\n\r\n`)))
    expect(await ended(() => get())).toEqual('protocol')
  }
})

test('bodies that contradict their headers fail', async () => {
  const broken = [
    'content-length: 5\r\ncontent-length: 7\r\n\r\nhello',
    'transfer-encoding: chunked\r\n\r\nzz\r\nhello',
  ]
  for (const text of broken) {
    receiver = await receiveTcp((socket) => void socket.end(head + text))
    expect(await ended(() => get())).toEqual('protocol')
  }
  receiver = await receiveTcp(
    (socket) => void socket.once('data', () => socket.end(`${head}content-length: 9\r\n\r\nhello`)),
  )
  expect(await ended(() => get())).toEqual('connect')
})

test('a redirect loop ends after the maximum number of redirects', async () => {
  let requests = 0
  receiver = await receiveHttp((_request, response) => {
    requests += 1
    response.writeHead(302, { location: `/again/${requests}` }).end('moved')
  })
  expect(await ended(() => get('/', { redirects: 3 }))).toEqual('protocol')
  expect(requests).toBe(4)
  expect((await get()).status).toBe(302)
})

test('a gzip bomb is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(8 * 2 ** 20), { strategy: constants.Z_RLE })
  const requests: unknown[] = []
  receiver = await receiveHttp((request, response) => {
    requests.push(request.headers['accept-encoding'])
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  const { body } = await get('/', { maximumBytes: bomb.length, headers: { 'Accept-Encoding': 'gzip' } })
  expect(body.equals(bomb)).toBe(true)
  expect(await ended(() => outbound.stream({ method: 'GET', url: receiver.url }))).toEqual('protocol')
  expect(requests).toEqual(['identity', 'identity'])
})

test('silent servers, resets and closed ports cost no more than the deadline', async () => {
  receiver = await receiveTcp(() => {})
  expect(await ended(() => get('/', soon))).toEqual('timeout')
  expect(
    await ended(() => withShortTimeout.send({ method: 'GET', url: receiver.url.replace('http', 'https') })),
  ).toEqual('tls')
  await receiver.stop()
  expect(await ended(() => get())).toEqual('connect')
  receiver = await receiveTcp((socket) => void socket.once('data', () => socket.resetAndDestroy()))
  expect(await ended(() => get())).toEqual('connect')
})

const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers

/** How a call ended; fails if it runs far beyond its deadline. */
async function ended(call: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, 2 * minute, 'did not end')
  })
  const kind = call().then(
    () => 'done',
    (error) => error.kind ?? String(error),
  )
  return Promise.race([kind, late]).finally(() => clearTimeout(timer))
}
