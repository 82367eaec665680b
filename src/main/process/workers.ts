import { join } from 'node:path'
import { ownSentences, remoteGenerator } from '#areas/advocacy/story/generator.ts'
import { startClickCounter } from '#areas/links/click/count-clicks.ts'
import { openGeo } from '#areas/links/click/geo.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import type { SendObserver } from '#areas/sending/attempt.ts'
import { startSender } from '#areas/sending/sender.ts'
import { startDeliverer } from '#areas/webhooks/deliverer.ts'
import { type BatchLimits, batchLimitsFor } from '#kernel/database/across-accounts.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { registerWorker } from '#kernel/jobs/lease.ts'
import { startWorker } from '#kernel/jobs/worker.ts'
import type { Log } from '#kernel/log.ts'
import { openMailer } from '#kernel/mail/mail.ts'
import { defaultPollingIntervals, type PollingIntervals } from '#kernel/polling-intervals.ts'
import type { Networks } from '#networks/networks.ts'
import { jobAliases } from '../job-aliases.ts'
import { version } from '../project.ts'
import { jobsOf, recurringJobs, sendablesOf } from '../registry.ts'
import type { Settings } from '../settings/settings.ts'

/** The configured language model; otherwise, or if that fails, sentences of the story itself. */
function generatorOf({ textUrl, textModel, textKey }: Settings, { outbound }: Installation, log: Log) {
  if (!textUrl) return ownSentences
  return remoteGenerator({ url: textUrl, model: textModel ?? '', key: textKey }, { outbound, log }, ownSentences)
}

/** The demo polls more often, so that results appear quickly. */
function pollEveryOf({ pollSeconds, demo }: Settings): number | undefined {
  const seconds = pollSeconds ?? (demo ? 10 : 60)
  return seconds === 0 ? undefined : seconds * 1000
}
const streamEveryOf = ({ streamSeconds, demo }: Settings): number => (streamSeconds ?? (demo ? 10 : 60)) * 1000

interface WorkersOptions extends Installation {
  listener: Listener
  networks: Networks
  budgets: Budgets
  /** Jobs of reactions that run after the commit. */
  reactionJobs: readonly Job<never>[]
  settings: Settings
  databaseUrl: string
  log: Log
  /** Observes the stages of sends. */
  onSendStage?: SendObserver | undefined
  pollingIntervals?: PollingIntervals | undefined
  limits?: BatchLimits | undefined
}

/** The tasks of a process with the role `worker`: jobs, webhooks, publishing, click counting. All run under one lease. */
export async function startWorkers({
  networks,
  budgets,
  reactionJobs,
  settings,
  databaseUrl,
  log,
  onSendStage,
  pollingIntervals = defaultPollingIntervals,
  limits: given,
  ...installation
}: WorkersOptions) {
  const { database, clock } = installation
  const { smtpUrl, mailFrom, dataDir, webhookRetryDelays, publishMaxDelay, publishConfirmAfter, auditDays } = settings
  const outbox = join(dataDir, 'outbox')
  const mailer = openMailer({ smtpUrl, from: mailFrom, outbox })
  const limits = given ?? (await batchLimitsFor(database))
  const registration = await registerWorker(database.shared, databaseUrl, clock, log)
  const shared = { ...installation, registration, log, limits }
  const withNetworks = { ...installation, networks }
  const areaJobs = jobsOf({
    installation: withNetworks,
    mailer,
    budgets,
    auditDays,
    pollEvery: pollEveryOf(settings),
    outbox,
    streamEvery: streamEveryOf(settings),
    generator: generatorOf(settings, installation, log),
  })
  const worker = await startWorker({
    ...shared,
    jobs: [...areaJobs, ...reactionJobs],
    recurring: recurringJobs,
    aliases: jobAliases,
    scanInterval: pollingIntervals.jobs * limits.scanIntervalFactor,
  })
  const deliverer = startDeliverer({
    ...shared,
    userAgent: `Chorus-Webhooks/${version}`,
    retryDelays: webhookRetryDelays,
    scanInterval: pollingIntervals.webhooks * limits.scanIntervalFactor,
  })
  const rules = { maxLateness: publishMaxDelay, confirmDelays: publishConfirmAfter }
  const sender = await startSender({
    ...shared,
    installation: withNetworks,
    sendables: sendablesOf(withNetworks),
    rules,
    onStage: onSendStage,
    scanInterval: pollingIntervals.posts * limits.scanIntervalFactor,
  })
  const counter = startClickCounter(
    { database, log, geo: openGeo({ on: settings.geo, log }) },
    pollingIntervals.clicks,
    limits,
  )
  return {
    async stop() {
      await Promise.all([worker.stop(), deliverer.stop(), sender.stop(), counter.stop()])
      await registration.end()
      mailer.close()
    },
  }
}
