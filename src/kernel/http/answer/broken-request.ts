import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Log } from '../../log.ts'
import { part } from '../reading/unread.ts'
import { errorBody } from './answer.ts'

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
