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

/** A console API route that accepts raw bytes, one chunk of a file at a time. */
export interface Intake {
  /** Path relative to the console API: `/media/{id}`. */
  readonly path: string
  readonly summary: string
  /** Overrides the name that `operationIdOf` derives. */
  readonly operationId?: string
  readonly needs: Ability
  /** Path parameters. */
  readonly params: z.ZodType
  /** Maximum size of one chunk, which is held in memory. */
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
  /** The raw bytes; call it once they are known to be needed. */
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
