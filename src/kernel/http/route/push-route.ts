import type { FastifyInstance } from 'fastify'
import { openKeyThrottle } from '../auth/authentication.ts'
import type { Guard } from '../auth/guard.ts'
import { addRoute } from './route.ts'

/** A webhook call from a network. */
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
  /** The sender could not be verified: clients that send many such calls are slowed down. */
  isUnproven?: boolean
}

/** Webhook endpoint for networks. Signatures cover the raw body, so it is not parsed beforehand. */
export interface PushRoute {
  /** Path as in endpoints: `/push/{network}`. */
  readonly path: string
  /** Maximum size of one call, which is held in memory. */
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

/** A challenge is echoed unchanged, so a browser must treat it as plain text. */
const plain = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
}
