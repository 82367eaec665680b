import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ArrivalAt, Entry, Gate } from '../entrance/gate.ts'

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'

export interface Route<At extends Entry> {
  readonly method: Method | Method[]
  /** As the contract writes it: `/team/{id}`. */
  readonly path: string
  readonly entry: At
  readonly run: (arrival: ArrivalAt<At>) => Promise<unknown>
  /** Answers who was refused, where that is not in the wire's form. */
  readonly refused?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown
}

/** The only way to make a route: nobody's work begins before they came through the gate, and nobody's body is read. */
export function addRoute<At extends Entry>(server: FastifyInstance, gate: Gate, route: Route<At>) {
  const { method, path, entry, run, refused } = route
  const handle = async (request: FastifyRequest, reply: FastifyReply) => run(await gate.enter(request, reply, entry))
  const handleOr = (answer: NonNullable<typeof refused>) => async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return await handle(request, reply)
    } catch (error) {
      return answer(error, request, reply)
    }
  }
  server.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    handler: refused ? handleOr(refused) : handle,
  })
}
