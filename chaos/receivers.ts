import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One received request. */
export interface Received {
  path: string
  payloadId: string
  webhookId: string
  /** Values that the harness put into the event data. */
  number: number
  sent: number
  at: number
  status: number
}

/** Decides the response status (0 closes the connection) and its delay: milliseconds or a promise. */
export type Verdict = (
  call: Omit<Received, 'status'>,
  earlier: number,
) => { status: number; after: number | Promise<unknown> }

export interface Receivers {
  url: string
  calls: Received[]
  /** Waits until all requests of a dead sender are recorded. */
  drained(): Promise<void>
  stop(): Promise<void>
}

/** Receives requests on loopback and records them; `verdict` sets the responses. */
export async function openReceivers(verdict: Verdict): Promise<Receivers> {
  const calls: Received[] = []
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request))
    const [element] = body.data
    const call = {
      path: request.url ?? '',
      payloadId: String(request.headers['webhook-id']),
      webhookId: body.webhookId,
      number: element.Number,
      sent: element.Sent,
      at: Date.now(),
    }
    const earlier = counts.get(call.payloadId) ?? 0
    counts.set(call.payloadId, earlier + 1)
    const { status, after } = verdict(call, earlier)
    const entry = { ...call, status }
    calls.push(entry)
    if (typeof after !== 'number') await after
    else if (after > 0) await new Promise((resolve) => setTimeout(resolve, after))
    answer(response, status)
  })
  await listen(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async drained() {
      const connections = () =>
        new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)))
      while ((await connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    stop: () => close(server),
  }
}

function answer(response: ServerResponse, status: number) {
  if (status === 0) return response.destroy()
  response.writeHead(status).end()
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export const listen = (server: Server, port = 0) =>
  new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

export function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
