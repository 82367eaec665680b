import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import type { Pieces } from '../../wire/long-lists.ts'
import type { Guard } from '../auth/guard.ts'
import { namesInLowerCase } from '../request/parameter-fields.ts'
import { gather, parameterReader } from '../request/parameters.ts'
import type { StreamedAnswers } from '../response/streaming.ts'
import { addRoute } from './route.ts'

/** A console API route that responds with a file, such as a picture or a table. */
export interface Download {
  /** Path relative to the console API: `/audit.csv`. */
  readonly path: string
  readonly summary: string
  /** Overrides the name that `operationIdOf` derives. */
  readonly operationId?: string
  readonly needs: Ability
  readonly params: z.ZodType
  readonly type: string
}

export interface DownloadRoute extends Download {
  /** Refuses, or returns the file to send. */
  readonly open: (identity: Identity, input: never) => Promise<Downloaded>
}

export interface Downloaded {
  /** Complete, or generated while it is sent. */
  body: Buffer | Pieces
  /** File name for saving; without one the browser displays it. */
  name?: string
  /** How long the caller's browser may cache it; not cached by default. */
  keepSeconds?: number
}

export function addDownloads(
  server: FastifyInstance,
  routes: readonly DownloadRoute[],
  gate: Guard,
  streamed: StreamedAnswers,
) {
  for (const route of routes) {
    const { path, needs, params, type, open } = route
    const read = parameterReader(params, namesInLowerCase(route))
    addRoute(server, gate, {
      method: ['GET', 'HEAD'],
      path: `/app/api${path}`,
      entry: { kind: 'console', needs },
      async run({ request, reply, identity }) {
        const query = (request.raw.url ?? '').split('?').slice(1).join('?')
        const parts = request.params as { [name: string]: string }
        const input = read(gather({ path: parts, query, contentType: undefined, body: undefined }))
        const { body, name, keepSeconds } = await open(identity, input as never)
        reply.headers({
          ...protection,
          'content-type': type,
          'cache-control': keepSeconds ? `private, max-age=${keepSeconds}` : 'no-store',
          ...(name && { 'content-disposition': `attachment; filename="${name}"` }),
        })
        if (request.method === 'HEAD') return reply.send()
        return Buffer.isBuffer(body) ? reply.send(body) : streamed.write(reply, identity.accountId, () => body)
      },
    })
  }
}

/** However a browser interprets the bytes, they get no rights of this origin. */
const protection = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
