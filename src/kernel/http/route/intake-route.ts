import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { Visitor } from '../../caller.ts'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import type { Reply } from '../../wire/replies.ts'
import type { Guard } from '../auth/guard.ts'
import { send } from '../response/response.ts'
import { whole } from '../response/streaming.ts'
import { addRoute } from './route.ts'

/** A place of the console's interface that takes bytes as they are, a piece of a file at a time. */
export interface Intake {
  /** As endpoints write it, relative to the console's interface: `/media/{id}`. */
  readonly path: string
  readonly summary: string
  /** Its name in the interface description, where `operationIdOf` does not find the right words. */
  readonly operationId?: string
  readonly needs: Ability
  /** What stands in its address. */
  readonly params: z.ZodType
  /** Of one piece: it is held in memory. */
  readonly maximumBytes: number
  readonly reply: Reply<never>
}

export interface IntakeRoute extends Intake {
  readonly run: (piece: Piece) => Promise<unknown>
}

export interface Piece {
  identity: Identity
  visitor: Visitor
  parts: { readonly [name: string]: string }
  query: URLSearchParams
  /** The bytes as they came; to be asked for once it is certain that they are wanted. */
  read(): Promise<readonly Buffer[]>
}

export function addIntakes(server: FastifyInstance, routes: readonly IntakeRoute[], gate: Guard) {
  for (const { path, needs, maximumBytes, reply: form, run } of routes) {
    addRoute(server, gate, {
      method: 'PUT',
      path: `/app/api${path}`,
      entry: { kind: 'console', needs },
      async run({ request, reply, identity, visitor, pieces }) {
        const parts = request.params as { [name: string]: string }
        const query = new URLSearchParams((request.raw.url ?? '').split('?')[1] ?? '')
        const value = await run({ identity, visitor: visitor(), parts, query, read: () => pieces(maximumBytes) })
        const account = { owner: identity.accountId, charge: () => {} }
        return send(reply, { status: 200, body: await whole(() => form.pieces(value as never), account) })
      },
    })
  }
}
