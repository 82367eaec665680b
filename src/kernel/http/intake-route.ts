import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Identity } from '../identities.ts'
import type { Ability } from '../permissions.ts'
import { send } from './answer.ts'
import type { Gate, IdentifiedRequest } from './gate.ts'

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
  /** The bytes as they came; to be asked for once it is certain that they are wanted. */
  read(): Promise<readonly Buffer[]>
}

export function addIntakes(server: FastifyInstance, routes: readonly IntakeRoute[], gate: Gate) {
  for (const route of routes) {
    server.route({
      method: 'PUT',
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => take(route, gate, request, reply),
    })
  }
}

async function take(
  { needs, maximumBytes, run }: IntakeRoute,
  gate: Gate,
  request: IdentifiedRequest,
  reply: FastifyReply,
) {
  const identity = await gate.admit(request, reply, needs)
  const parts = request.params as { [name: string]: string }
  const query = new URLSearchParams((request.raw.url ?? '').split('?')[1] ?? '')
  const answer = await run({ identity, parts, query, read: () => gate.pieces(request, reply, maximumBytes) })
  return send(reply, { status: 200, body: JSON.stringify({ Result: true, ...answer }) })
}
