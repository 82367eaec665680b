import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../log.ts'
import { errorBody } from './response/response.ts'

export type FrontRequest = IncomingMessage
export type FrontResponse = ServerResponse

/** Answers requests that are none of the interface's, before it sees them; tells whether it has taken this one. */
export type Front = (request: FrontRequest, response: FrontResponse) => boolean

interface Timeouts {
  http?: object
  https?: object
  keepAliveTimeout: number
  requestTimeout: number
}

/** Makes the server that asks the front first; in all else as the framework would make it. */
export const serverBehind = (front: Front) => (handler: RequestListener, options: Timeouts) => {
  const listener: RequestListener = (request, response) => {
    if (!front(request, response)) handler(request, response)
  }
  const server: Server = options.https
    ? createSecureServer(options.https, listener)
    : createServer(options.http ?? {}, listener)
  server.keepAliveTimeout = options.keepAliveTimeout
  server.requestTimeout = options.requestTimeout
  return server
}

/** How long a client that keeps its connection open may take to send the request that tells it to go. */
const partingTime = 1_000
const finishingTime = 8_000
const lookEvery = 20

/** Ends a server without failing a request: no new connections, then the next answer on each old one is its last. */
export async function closeServer(server: FastifyInstance) {
  closePort(server)
  const parted = performance.now() + partingTime
  while (performance.now() < parted && (await openConnections(server)) > 0) await sleep(lookEvery)
  const cut = setTimeout(() => server.server.closeAllConnections(), finishingTime)
  await server.close()
  clearTimeout(cut)
}

/** Takes no more connections, and leaves the idle ones alone: a request may be on its way on any of them. */
export function closePort({ server }: FastifyInstance) {
  NetServer.prototype.close.call(server)
}

function openConnections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}

/** As much is read over and thrown away, so that the connection can be used again. */
const tinyBytes = 16 * 1024
const lingerMs = 1_000
/** Past this a sender is no longer listened to: throwing its bytes away costs time that others need. */
const lingerBytes = 2 ** 20
const lookMs = 10

/** To be asked before an answer goes out: if most of the request's body was left unread, the answer is the connection's last. */
export function hangUpOnUnread({ raw }: FastifyRequest, reply: FastifyReply) {
  const { 'content-length': length, 'transfer-encoding': chunked, expect } = raw.headers
  const large = chunked !== undefined || Number(length ?? 0) > tinyBytes
  // Whoever was not told to go on may send the body or the next request: nobody could tell which it is.
  if (raw.complete || !(large || (expect !== undefined && length !== undefined))) return
  reply.header('connection', 'close')
  const { socket } = raw
  socket.destroySoon = () => {
    let thrown = 0
    raw
      .once('end', () => socket.destroy())
      .on('data', (chunk: Buffer) => {
        thrown += chunk.length
        // At once, not when somebody looks next: a near sender brings many times as much in that time.
        if (thrown > lingerBytes) socket.pause()
      })
    part(socket)
  }
}

/** Cut with bytes unread, a line loses the answer on its way: for a moment what still comes is thrown away, then it is cut. */
function part(socket: Socket) {
  const before = socket.bytesRead
  const watch = setInterval(() => {
    if (socket.bytesRead - before > lingerBytes) socket.pause()
  }, lookMs)
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearInterval(watch)
    clearTimeout(cut)
  })
  socket.end()
}

/** What Node's parser refuses never reaches a route: answer in the wire's form all the same, then hang up. */
export const brokenRequests = (log: Log) => (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return socket.destroy()
  const [status, message] = answers[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.']
  const body = errorBody(message)
  const requestId = randomUUID()
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  part(socket)
  log.info({ requestId, status: Number.parseInt(status, 10), reason: error.code }, 'request')
}

const answers: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}
