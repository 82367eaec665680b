import { createServer, type Socket } from 'node:net'

export interface RawReceiver {
  url: string
  /** The most bytes one caller was sent, those in network buffers included. */
  sent: () => number
  stop(): Promise<void>
}

/** A receiver below HTTP, for those that do not keep to it: acts once the caller has sent something. */
export async function startRawReceiver(act: (socket: Socket) => void): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
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
