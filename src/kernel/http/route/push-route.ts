import type { FastifyInstance } from 'fastify'
import { openKeyThrottle } from '../auth/authentication.ts'
import type { Guard } from '../auth/guard.ts'
import { addRoute } from './route.ts'

/** A call by which somebody outside tells that something happened. */
export interface Push {
  method: 'GET' | 'POST'
  parts: { readonly [name: string]: string }
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Uint8Array
}

export interface PushAnswer {
  status: number
  type: string
  body: string
  /** It did not prove whose it is: whoever sends many such waits. */
  isUnproven?: boolean
}

/** Where networks call. What they send is judged as it came, so nobody reads it before. */
export interface PushRoute {
  /** As endpoints write it: `/push/{network}`. */
  readonly path: string
  /** Of one call: it is held in memory. */
  readonly maximumBytes: number
  readonly run: (push: Push) => Promise<PushAnswer>
}

export function addPushes(server: FastifyInstance, routes: readonly PushRoute[], gate: Guard) {
  const unproven = openKeyThrottle()
  for (const { path, maximumBytes, run } of routes) {
    addRoute(server, gate, {
      method: ['GET', 'POST'],
      path,
      entry: { kind: 'push', bytes: maximumBytes },
      async run({ request, reply, body, client }) {
        const { status, type, ...answer } = await run({
          method: request.method === 'GET' ? 'GET' : 'POST',
          parts: request.params as { [name: string]: string },
          query: new URLSearchParams((request.raw.url ?? '').split('?').slice(1).join('?')),
          headers: request.headers as Push['headers'],
          raw: (request.method === 'GET' ? undefined : await body(maximumBytes)) ?? nothing,
        })
        if (answer.isUnproven) await unproven.hold(client().address)
        return reply
          .code(status)
          .headers({ ...plain, 'content-type': type })
          .send(answer.body)
      },
    })
  }
}

const nothing = new Uint8Array()

/** A challenge is given back as it came, and must be nothing but text to a browser. */
const plain = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
}
