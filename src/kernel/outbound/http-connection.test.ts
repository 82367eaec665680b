import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { OutboundRequest } from './exchange.ts'
import { type Outbound, openOutbound } from './outbound.ts'
import { type Receiver, receiveHttp, receiveTcp } from './receivers.fixture.ts'

let outbound: Outbound
let receiver: Receiver
beforeAll(() => {
  outbound = openOutbound({ allow: ['127.0.0.0/8'], ports: 'any', socketsPerOrigin: 1 })
})
afterEach(() => receiver?.stop())
afterAll(() => outbound.close())

const ok = 'HTTP/1.1 200 OK\r\n'
const call = (more: Partial<OutboundRequest> = {}) =>
  outbound.send({ method: 'GET', url: receiver.url, timeoutMs: 20_000, ...more })
/** Answers every request with these bytes. */
const answerWith = async (answer: string | ((socket: Socket) => void)) => {
  await receiver?.stop()
  receiver = await receiveTcp(
    (socket) => void socket.on('data', () => (typeof answer === 'string' ? socket.write(answer) : answer(socket))),
  )
}
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    ({ kind }) => kind,
  )

/** Calls twice; returns the body and the number of connections that it took. */
async function twice(answer: string, more: Partial<OutboundRequest> = {}) {
  await answerWith(answer)
  await call(more)
  const { body } = await call(more)
  return [body.toString(), receiver.connections]
}

test('a response is complete with its length, its last chunk or without a body, and its connection is used again', async () => {
  expect(await twice(`${ok}Content-Length: 5\r\n\r\nhello`)).toEqual(['hello', 1])
  const chunked = `${ok}Transfer-Encoding: Chunked\r\n\r\n3;a="b"\r\nhel\r\n2\r\nlo\r\n0\r\nx-trailer: 1\r\n\r\n`
  expect(await twice(chunked)).toEqual(['hello', 1])
  expect(await twice('HTTP/1.1 204 No Content\r\n\r\n')).toEqual(['', 1])
  expect(await twice('HTTP/1.1 304\r\ncontent-length: 5\r\n\r\n')).toEqual(['', 1])
  expect(await twice(`${ok}content-length: 5\r\n\r\n`, { method: 'HEAD' })).toEqual(['', 1])
  expect(await twice(`HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${ok}content-length: 2\r\n\r\nok`)).toEqual(['ok', 1])
  expect(await twice('HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 2\r\n\r\nok')).toEqual(['ok', 1])
})

test('a connection is not used again after a response that does not permit it', async () => {
  expect(await twice(`${ok}connection: x, Close\r\ncontent-length: 2\r\n\r\nok`)).toEqual(['ok', 2])
  expect(await twice('HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok')).toEqual(['ok', 2])
  expect(await twice(`${ok}keep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok`)).toEqual(['ok', 2])
  // More than one response for a request.
  expect(await twice(`${ok}content-length: 2\r\n\r\nok${ok}content-length: 3\r\n\r\nbad`)).toEqual(['ok', 2])
})

test('a response may arrive byte by byte', async () => {
  const answers = [
    `HTTP/1.1 102 Wait\r\n\r\n${ok}x-a:  1 \r\nX-A: 2\r\ncontent-length: 5\r\n\r\nhello`,
    `${ok}x-a: 1\r\nx-a: 2\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`,
  ]
  for (const answer of answers) {
    await answerWith(async (socket) => {
      for (const byte of answer) {
        socket.write(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    for (let round = 0; round < 2; round++) {
      const { body, headers, status } = await call()
      expect([status, body.toString(), headers['x-a']]).toEqual([200, 'hello', '1, 2'])
    }
    expect(receiver.connections).toBe(1)
  }
})

test('a body without a length ends with the connection', async () => {
  await answerWith((socket) => socket.end(`${ok}\r\nhello`))
  for (let round = 0; round < 2; round++) expect((await call()).body.toString()).toBe('hello')
  await answerWith((socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n`))
  expect(await kindOf(call())).toBe('connect')
})

test('responses that parsers understand differently fail', async () => {
  const wrong = [
    `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${ok}content-length: 2\r\ncontent-length: 2\r\n\r\nok`,
    `${ok}content-length: +2\r\n\r\nok`,
    `${ok}content-length : 2\r\n\r\nok`,
    `${ok}x-a: b\r\n content-length: 2\r\n\r\nok`,
    `${ok}x-a: b\ncontent-length: 2\r\n\r\nok`,
    `${ok}x-a: b\rcontent-length: 2\r\n\r\nok`,
    `${ok}x-a: \0\r\ncontent-length: 2\r\n\r\nok`,
    `${ok}transfer-encoding: chunked\r\n\r\n2\r\nok!\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n`,
    `${ok}transfer-encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n`,
    'HTTP/1.1 99 Low\r\n\r\n',
    'HTTP/2.0 200 OK\r\n\r\n',
    'HTTQ',
  ]
  for (const answer of wrong) {
    await answerWith(answer)
    expect([answer, await kindOf(call())]).toEqual([answer, 'protocol'])
    await expect.poll(() => receiver.open.size).toBe(0)
  }
})

test('endless headers, chunk lines and trailers fail', async () => {
  const endless = (start: string, piece: string) => (socket: Socket) => {
    socket.write(start)
    const flood = () => {
      while (!socket.destroyed && socket.write(piece.repeat(100)));
    }
    socket.on('drain', flood)
    flood()
  }
  await answerWith(endless(ok, 'x-a: b\r\n'))
  expect(await kindOf(call())).toBe('too-large')
  await answerWith(endless(`${ok}transfer-encoding: chunked\r\n\r\n2;`, 'a=b;'))
  expect(await kindOf(call())).toBe('protocol')
  await answerWith(endless(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-a: b\r\n'))
  expect(await kindOf(call())).toMatch(/too-large|protocol/)
})

test('a request is sent on a new connection if the server has closed the idle one', async () => {
  let answers = 0
  await answerWith((socket) => {
    answers += 1
    socket.end(`${ok}content-length: 2\r\n\r\nok`)
  })
  for (let round = 0; round < 20; round++) expect((await call({ method: 'POST', body: 'b' })).status).toBe(200)
  expect([answers, receiver.connections]).toEqual([20, 20])
})

test('bytes on an idle connection are not taken for the next response', async () => {
  const sockets: Socket[] = []
  await answerWith((socket) => {
    sockets.push(socket)
    socket.write(`${ok}content-length: 2\r\n\r\nok`)
  })
  await call()
  sockets[0]?.write(`${ok}content-length: 3\r\n\r\nbad`)
  await expect.poll(() => receiver.open.size).toBe(0)
  expect((await call()).body.toString()).toBe('ok')
})

test('bodies and headers arrive as they were given', async () => {
  const seen: { body: string; headers: unknown }[] = []
  receiver = await receiveHttp((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ body: Buffer.concat(chunks).toString(), headers: request.headers })
      response.end('ok')
    })
  })
  async function* pieces() {
    yield Buffer.from('Grö')
    yield Buffer.from('ße')
  }
  const headers = { 'x-a': 'é' }
  const bodies = ['abc', 'Größe 🎉', Buffer.from('Größe'), 'x'.repeat(3_000_000)]
  for (const body of bodies) await call({ method: 'POST', body, headers })
  await call({ method: 'POST', body: pieces(), bodyBytes: 7, headers })
  await call({ method: 'PUT', headers })
  await call({ headers })
  expect(seen.map(({ body }) => body)).toEqual([...bodies.map(String), 'Größe', '', ''])
  for (const { headers } of seen) expect(headers).toMatchObject({ 'x-a': 'é', 'accept-encoding': 'identity' })
  expect(receiver.connections).toBe(1)
  expect(await kindOf(call({ method: 'POST', body: pieces(), bodyBytes: 9 }))).toBe('protocol')
  expect(await kindOf(call({ method: 'POST', body: pieces(), bodyBytes: 5 }))).toBe('protocol')
})
