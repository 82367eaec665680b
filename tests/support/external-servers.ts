import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

export interface ReceivedCall {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface WebhookReceiver {
  url: string
  calls: ReceivedCall[]
  stop(): Promise<void>
}

/** Receives webhooks on loopback and records them; responds with 200 by default. */
export async function startReceiver(
  answer: (response: ServerResponse, call: ReceivedCall, earlier: number) => void = (response) => response.end(),
): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') }
    calls.push(call)
    answer(response, call, calls.length - 1)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface RawReceiver {
  url: string
  /** Maximum number of bytes sent to one caller, including network buffers. */
  sent: () => number
  stop(): Promise<void>
}

/** A TCP server for tests of malformed HTTP; acts after the caller has sent data. */
export async function startRawReceiver(act: (socket: Socket) => void): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => act(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    sent: () => Math.max(0, ...[...sockets].map(({ bytesWritten }) => bytesWritten)),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server that accepts every request and responds only on demand. */
export async function startHangingServer() {
  const waiting = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    waiting.add(response)
    response.on('close', () => waiting.delete(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture.png`,
    /** Number of pending requests. */
    waiting: () => waiting.size,
    /** Responds to pending requests. */
    answer(status: number, body: Buffer = Buffer.alloc(0), type = 'image/png') {
      for (const response of waiting) {
        response.writeHead(status, { 'content-type': type, 'content-length': body.length })
        response.end(body)
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** One white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

export async function startImageServer() {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length, etag: '"pixel"' })
    response.end(request.method === 'HEAD' ? undefined : png)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pixel.png`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
