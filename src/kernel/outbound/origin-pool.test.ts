import type { Socket } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Outbound, openOutbound } from './outbound.ts'
import { type Receiver, receiveHttp, receiveTcp } from './receivers.fixture.ts'

const receivers: Receiver[] = []
let outbound: Outbound
beforeEach(async () => {
  await outbound?.close()
  outbound = openOutbound({ allow: ['127.0.0.0/8'], ports: 'any' })
})
afterAll(async () => {
  await outbound.close()
  for (const receiver of receivers) await receiver.stop()
})

test('connections are reused, and there are at most four per origin', async () => {
  const server = closedAfterTest(await receiveHttp((_request, response) => response.end('ok')))
  const call = () => outbound.send({ method: 'GET', url: `http://127.0.0.1:${server.port}/` })
  for (let round = 0; round < 20; round += 1) await call()
  expect(server.connections).toBe(1)
  await Promise.all(Array.from({ length: 60 }, call))
  expect(server.connections).toBe(4)
})

test('a slow origin delays no other origin, and its queueing counts against the deadline', async () => {
  const slow = closedAfterTest(await receiveHttp(() => {}))
  const quick = closedAfterTest(await receiveHttp((_request, response) => response.end('ok')))
  const request = { method: 'GET' as const, url: slow.url, timeoutMs: 500 }
  const ends = Promise.allSettled(Array.from({ length: 400 }, () => outbound.send(request)))
  expect((await outbound.send({ method: 'GET', url: quick.url })).status).toBe(200)
  expect(slow.open.size).toBeLessThanOrEqual(4)
  for (const end of await ends) expect(end).toMatchObject({ reason: { kind: 'timeout' } })
  expect(slow.connections).toBeLessThan(50)
})

test('slots are released and sockets closed however a call ends', async () => {
  let requests = 0
  const endings = [
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
    (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(40_000)}`),
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    () => {},
  ]
  const server = closedAfterTest(
    await receiveTcp((socket) => void socket.on('data', () => endings[requests++ % endings.length]?.(socket))),
  )
  const call = () => outbound.send({ method: 'POST', url: server.url, body: 'b', timeoutMs: 40 })
  for (let round = 0; round < 12; round += 1) await Promise.allSettled(Array.from({ length: 12 }, call))
  await expect.poll(() => server.open.size).toBeLessThanOrEqual(4)
  endings.splice(0, endings.length, (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  const request = { method: 'POST' as const, url: server.url }
  const answers = await Promise.all(Array.from({ length: 40 }, () => outbound.send(request)))
  expect(answers.every(({ status }) => status === 204)).toBe(true)
  // The server notices closed connections a moment later.
  await expect.poll(() => server.open.size).toBeLessThanOrEqual(4)
})

function closedAfterTest(receiver: Receiver): Receiver {
  receivers.push(receiver)
  return receiver
}
