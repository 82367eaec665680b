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

/** Handles requests that don't belong to the API before Fastify does; returns whether it took the request. */
export type Front = (request: FrontRequest, response: FrontResponse) => boolean

interface Timeouts {
  http?: object
  https?: object
  keepAliveTimeout: number
  requestTimeout: number
}

/** Creates a server that calls the front handler first and otherwise matches the one Fastify would create. */
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

/** How long an idle keep-alive client has to send its next request, whose response closes the connection. */
const partingTime = 1_000
const finishingTime = 8_000
const lookEvery = 20

/** Stops a server without failing a request: no new connections, and the next response on each open one is its last. */
export async function closeServer(server: FastifyInstance) {
  closePort(server)
  const parted = performance.now() + partingTime
  while (performance.now() < parted && (await openConnections(server)) > 0) await sleep(lookEvery)
  const cut = setTimeout(() => server.server.closeAllConnections(), finishingTime)
  await server.close()
  clearTimeout(cut)
}

/** Stops accepting connections but keeps idle ones open: a request may be in transit on any of them. */
export function closePort({ server }: FastifyInstance) {
  NetServer.prototype.close.call(server)
}

function openConnections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}

/** Up to this size an unread body is discarded so that the connection can be reused. */
const tinyBytes = 16 * 1024
const lingerMs = 1_000
/** Beyond this, reading stops: discarding more bytes would take time from other requests. */
const lingerBytes = 2 ** 20
const lookMs = 10

/** Call before a response is sent: if a large part of the request body is unread, the response closes the connection. */
export function closeIfUnread({ raw }: FastifyRequest, reply: FastifyReply) {
  const { 'content-length': length, 'transfer-encoding': chunked, expect } = raw.headers
  const large = chunked !== undefined || Number(length ?? 0) > tinyBytes
  // A client that got no 100 Continue may send either the body or the next request; the two can't be distinguished.
  if (raw.complete || !(large || (expect !== undefined && length !== undefined))) return
  reply.header('connection', 'close')
  const { socket } = raw
  socket.destroySoon = () => {
    let thrown = 0
    raw
      .once('end', () => socket.destroy())
      .on('data', (chunk: Buffer) => {
        thrown += chunk.length
        // Immediately, not at the next check: a nearby sender delivers many times the limit within that time.
        if (thrown > lingerBytes) socket.pause()
      })
    part(socket)
  }
}

/** Closing a socket with unread bytes can drop the response in transit, so incoming data is discarded for a moment before closing. */
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

/** Requests that Node's parser rejects never reach a route: send an error in the API's format and close the connection. */
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
