import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isFromHere } from './transport.ts'

export interface HealthOptions {
  /** The metrics as Prometheus reads them. */
  metrics: () => Promise<string>
  /** Why the process cannot serve now; nothing when it can. */
  obstacle: () => Promise<string | undefined>
  /** Lets other machines read the metrics; without it only this machine may. */
  metricsToken: string | undefined
  trustedProxies: readonly string[]
}

/** What operators and balancers ask: is the process alive, may it get requests, how is it doing. */
export function addHealth(server: FastifyInstance, options: HealthOptions) {
  const { metrics, obstacle, metricsToken, trustedProxies } = options
  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    const reason = await obstacle()
    return reason ? reply.code(503).send({ status: 'not ready', reason }) : { status: 'ready' }
  })
  server.get('/metrics', async (request, reply) => {
    const admitted = metricsToken
      ? hasToken(request.headers.authorization, metricsToken)
      : isFromHere(request.raw, trustedProxies)
    if (!admitted) {
      return reply
        .code(403)
        .send({ error: 'Metrics are for this machine, or for who sends CHORUS_METRICS_TOKEN as a bearer token.' })
    }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics())
  })
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
