import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { startDashboards } from './templates.ts'

/** Creates default dashboards for accounts older than dashboards. */
export const startDashboardsJob = job<Record<string, never>>('analytics.start-dashboards', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, startDashboards)),
})
