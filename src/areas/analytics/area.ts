import { day, minute } from '#kernel/clock.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'
import { defineArea } from '../area.ts'
import { inside, on } from '../events/reaction.ts'
import { seedAnalytics } from './analytics.demo.ts'
import { appEndpoints as dashboardApp, endpoints as dashboards } from './dashboard/dashboard.api.ts'
import { watchedDashboards } from './dashboard/dashboard.ts'
import { createDashboardsJob, createForNewAccount } from './dashboard/templates.ts'
import { analyticsChanges, analyticsIds, analyticsQuotas } from './declarations.ts'
import { appEndpoints as exportApp, endpoints as exports } from './export/export.api.ts'
import { secretScope as exportPlace } from './export/export.ts'
import { planExportsJob } from './export/run/run.ts'
import { runExportJob } from './export/run/run-export.job.ts'
import { exportFiles } from './export/run/run-files.api.ts'
import { exportFilesPersonalData, forgetRuns, forgetRunsJob, removeFilesJob } from './export/run/run-files.ts'
import { collectProfileJob, planCollection, planCollectionJob } from './metrics/collect-profile.job.ts'
import { endpoints as metrics } from './metrics/metrics.api.ts'
import { readPublished } from './metrics/post-metrics.ts'
import { endpoints as reports } from './report/report.api.ts'

/** Post and profile metrics, dashboards, reports and exports. */
export const analytics = defineArea({
  name: 'analytics',
  dependsOn: [
    'account',
    'advocacy',
    'events',
    'counters',
    'inbox',
    'links',
    'media',
    'profiles',
    'publishing',
    'sending',
  ],
  ids: analyticsIds,
  quotas: analyticsQuotas,
  changes: analyticsChanges,
  tables: [
    'dashboardFavorites',
    'dashboardSetups',
    'dashboardTeams',
    'dashboardWidgets',
    'dashboards',
    'exportRuns',
    'exports',
    'postMetrics',
    'postMetricsHistory',
    'profileMetrics',
  ],
  locks: { profileMetrics: 'shares', postMetrics: 'profileMetrics', exports: 'streamFeeds' },
  tags: [
    {
      name: 'Analytics',
      description: 'Post statistics, followers, dashboards and reports.',
      of: ['analytics', 'followers', 'dashboard', 'widget', 'report'],
    },
    { name: 'Exports', description: 'Scheduled exports and their files.', of: ['bi-export', 'exports'] },
  ],
  endpoints: [...metrics, ...dashboards, ...exports],
  appEndpoints: [...dashboardApp, ...reports, ...exportApp],
  fileRoutes: ({ installation, log }) => [exportFiles({ ...installation, log })],
  jobs: ({ installation, mailer }) => [
    createDashboardsJob,
    planCollectionJob(installation),
    collectProfileJob(installation),
    planExportsJob,
    runExportJob({ ...installation, mailer }),
    removeFilesJob(installation.files),
    forgetRunsJob(installation.files),
  ],
  recurringJobs: [
    { job: createDashboardsJob, every: day },
    { job: planCollection, every: 5 * minute },
    { job: planExportsJob, every: minute },
    { job: forgetRuns, every: day },
  ],
  reactions: [on('postPublished', inside(readPublished)), on('accountCreated', inside(createForNewAccount))],
  presence: [watchedDashboards],
  personalData: [exportFilesPersonalData],
  encryptedColumns: [encryptedColumn('exports', 'secret', ['accountId', 'id'], exportPlace)],
  demo: {
    after: ['publishing', 'advocacy', 'inbox', 'leads', 'streams'],
    seed: (context, { registry, adminId }) => seedAnalytics(context, registry.recounts, adminId),
  },
})
