import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import type { StreamWriter } from '../../stream-writer.ts'
import type { Guard } from '../auth/guard.ts'
import { addRoute } from './route.ts'

/** A console API route with an endless response: server-sent events. */
export interface Stream {
  /** Path relative to the console API: `/feed`. */
  readonly path: string
  readonly summary: string
  /** Overrides the name that `operationIdOf` derives. */
  readonly operationId?: string
  readonly needs: Ability
  /** Description of each event, by name. */
  readonly events: { readonly [name: string]: string }
}

export interface StreamRoute extends Stream {
  /** Refuses, or returns the function that starts writing once the response has begun. */
  readonly open: (listening: Listening) => Promise<(writer: StreamWriter) => void>
}

export interface Listening {
  identity: Identity
  /** Id of the last event that a reconnecting client received. */
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

/** A browser that reconnects sends the header automatically; a new page can only use the query string. */
function lastSeen({ headers, raw }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  if (typeof given === 'string' && given !== '') return given
  return new URLSearchParams((raw.url ?? '').split('?')[1] ?? '').get('lastEventId') || undefined
}

function streamWriterOf(raw: ServerResponse): StreamWriter {
  // A client that disconnects during a write is reported by `close` below.
  raw.on('error', () => {})
  return {
    write: (text) => void (raw.writableEnded || raw.destroyed || raw.write(text)),
    get waiting() {
      return raw.writableLength
    },
    onTaken: (callback) => void raw.on('drain', callback),
    onOver(callback) {
      // The client may have disconnected while the response was prepared; no event follows then.
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
  // The connection ends with the stream, so that a stopping process does not wait for its clients.
  connection: 'close',
  // Asks proxies not to buffer the response.
  'x-accel-buffering': 'no',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
