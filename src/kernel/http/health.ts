import type { FastifyInstance } from 'fastify'
import type { Guard } from './auth/guard.ts'
import { addRoute } from './route/route.ts'

export interface HealthOptions {
  /** Metrics in the Prometheus text format. */
  metrics: () => Promise<string>
  /** Why the process is not ready; undefined if it is. */
  obstacle: () => Promise<string | undefined>
  /** Lets other machines read the metrics; without it only this machine can. */
  metricsToken: string | undefined
}

/** Endpoints for operators and load balancers: liveness, readiness and metrics. */
export function addHealth(server: FastifyInstance, guard: Guard, { metrics, obstacle, metricsToken }: HealthOptions) {
  addRoute(server, guard, {
    method: 'GET',
    path: '/healthz',
    entry: { kind: 'probe' },
    run: async () => ({ status: 'ok' }),
  })
  addRoute(server, guard, {
    method: 'GET',
    path: '/readyz',
    entry: { kind: 'probe' },
    async run({ reply }) {
      const reason = await obstacle()
      return reason ? reply.code(503).send({ status: 'not ready', reason }) : { status: 'ready' }
    },
  })
  addRoute(server, guard, {
    method: 'GET',
    path: '/metrics',
    entry: { kind: 'operator', token: metricsToken },
    run: async ({ reply }) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics()),
  })
}
