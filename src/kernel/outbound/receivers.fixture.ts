import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net'

/** A server on 127.0.0.1 for tests, with a record of its connections and requests. */
export interface Receiver {
  port: number
  url: string
  connections: number
  open: Set<Socket>
  stop(): Promise<void>
}

export const receiveTcp = (accept: (socket: Socket) => void): Promise<Receiver> => started(createTcp(accept))

export const receiveHttp = (answer: RequestListener): Promise<Receiver> => started(createHttp(answer))

/** Listens on all loopback addresses of this machine, at one port, and counts connections. */
export async function canary(
  addresses: readonly string[],
  wanted = 0,
): Promise<{ port: number; hits: () => number; stop(): Promise<void> }> {
  const receivers: Receiver[] = []
  let port = wanted
  for (const address of addresses) {
    // Not every machine has every loopback address.
    const receiver = await started(createTcp(), { address, port }).catch(() => undefined)
    if (receiver === undefined) continue
    port = receiver.port
    receivers.push(receiver)
  }
  const hits = () => receivers.reduce((sum, { connections }) => sum + connections, 0)
  const stop = async () => void (await Promise.all(receivers.map((receiver) => receiver.stop())))
  return { port, hits, stop }
}

export async function started(server: Server, { address = '127.0.0.1', port = 0 } = {}): Promise<Receiver> {
  const open = new Set<Socket>()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address, port, ipv6Only: true }, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  const stop = () => {
    for (const socket of open) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const receiver: Receiver = { port: bound, url: `http://127.0.0.1:${bound}`, connections: 0, open, stop }
  server.on('connection', (socket) => {
    receiver.connections += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
  })
  return receiver
}
