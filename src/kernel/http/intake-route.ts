import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Identity } from '../identities.ts'
import { type Ability, may } from '../permissions.ts'
import { send } from './answer.ts'
import type { Gate } from './handler.ts'

/** A place that takes bytes as they are, a piece of a file at a time. */
export interface IntakeRoute {
  /** As endpoints write it: `/app/media/{id}`. */
  readonly path: string
  readonly needs: Ability
  /** Of one piece: it is held in memory. */
  readonly maximumBytes: number
  /** Gives what is answered beside Result. */
  readonly run: (piece: Piece) => Promise<object>
}

export interface Piece {
  identity: Identity
  parts: { readonly [name: string]: string }
  query: URLSearchParams
  bytes: Buffer
}

export function addIntakes(server: FastifyInstance, routes: readonly IntakeRoute[], gate: Gate) {
  for (const route of routes) {
    server.route({
      method: 'PUT',
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: route.maximumBytes,
      handler: (request, reply) => take(route, gate, request, reply),
    })
  }
}

async function take(
  { needs, run }: IntakeRoute,
  { guard, identities }: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  guard(request.raw)
  const identity = await identities.identify(request.headers.authorization)
  if (!may(identity.role, needs)) {
    throw new Refusal('forbidden', `The role ${identity.role} may not do this; it needs the permission to ${needs}.`)
  }
  const parts = request.params as { [name: string]: string }
  const query = new URLSearchParams((request.raw.url ?? '').split('?')[1] ?? '')
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const answer = await run({ identity, parts, query, bytes })
  return send(reply, { status: 200, body: JSON.stringify({ Result: true, ...answer }) })
}
