import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

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
  Server.prototype.close.call(server)
}

function openConnections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
