import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import type { StreamWriter } from '../../stream-writer.ts'
import type { Guard } from '../auth/guard.ts'
import { addRoute } from './route.ts'

/** A place of the console's interface whose answer does not end: server-sent events. */
export interface Stream {
  /** As endpoints write it, relative to the console's interface: `/feed`. */
  readonly path: string
  readonly summary: string
  /** Its name in the interface description, where `operationIdOf` does not find the right words. */
  readonly operationId?: string
  readonly needs: Ability
  /** What each event means, by its name. */
  readonly events: { readonly [name: string]: string }
}

export interface StreamRoute extends Stream {
  /** Refuses, or gives what begins to write once the answer has begun. */
  readonly open: (listening: Listening) => Promise<(outlet: StreamWriter) => void>
}

export interface Listening {
  identity: Identity
  /** The last event that whoever comes back has seen. */
  after: string | undefined
}

export function addStreams(server: FastifyInstance, routes: readonly StreamRoute[], gate: Guard) {
  for (const { path, needs, open } of routes) {
    addRoute(server, gate, {
      method: 'GET',
      path: `/app/api${path}`,
      entry: { kind: 'console', needs },
      async run({ request, reply, identity }) {
        if (request.method === 'HEAD') return reply.headers(streamHeaders).send()
        const begin = await open({ identity, after: lastSeen(request) })
        reply.hijack()
        for (const [name, value = ''] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value)
        reply.raw.writeHead(200, streamHeaders)
        begin(streamWriterOf(reply.raw))
        return reply
      },
    })
  }
}

/** A browser that comes back sends the header by itself; a new page can only put it into the address. */
function lastSeen({ headers, raw }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  if (typeof given === 'string' && given !== '') return given
  return new URLSearchParams((raw.url ?? '').split('?')[1] ?? '').get('lastEventId') || undefined
}

function streamWriterOf(raw: ServerResponse): StreamWriter {
  // Whoever hangs up in the middle of a write is gone, which is told below.
  raw.on('error', () => {})
  return {
    write: (text) => void (raw.writableEnded || raw.destroyed || raw.write(text)),
    get waiting() {
      return raw.writableLength
    },
    onTaken: (callback) => void raw.on('drain', callback),
    onOver(callback) {
      // Who hung up while the answer was prepared is told of no more.
      if (raw.destroyed || raw.socket?.destroyed) callback()
      else raw.once('close', callback)
    },
    end: () => void raw.end(),
    cut: () => void raw.destroy(),
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Its end is the connection's: a process that stops waits for nobody who listens.
  connection: 'close',
  // Proxies that gather an answer before they pass it on are asked not to.
  'x-accel-buffering': 'no',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
