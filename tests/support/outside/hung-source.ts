import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that takes every request and answers none until told. */
export async function startHungSource() {
  const waiting = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    waiting.add(response)
    response.on('close', () => waiting.delete(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture.png`,
    /** How many requests wait for an answer. */
    waiting: () => waiting.size,
    /** Answers those that wait. */
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
