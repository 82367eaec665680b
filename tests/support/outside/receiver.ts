import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** Receives webhooks on loopback and remembers them; answers 200 unless told otherwise. */
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
