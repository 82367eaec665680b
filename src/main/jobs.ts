import { forgetOldDeeds, forgetOldDeedsJob } from '#areas/account/audit/forget-old-deeds.job.ts'
import { forgetOldDraftsJob } from '#areas/account/draft/forget-old-drafts.job.ts'
import { invitationJob, resetLinksJob } from '#areas/account/session/send-links.job.ts'
import { sendDigestsJob, writeDigestJob } from '#areas/advocacy/digest/send-digests.job.ts'
import type { Generator } from '#areas/advocacy/generation/generator.ts'
import { prepareStoryJob } from '#areas/advocacy/generation/prepare-story.job.ts'
import { entryLinkJob } from '#areas/advocacy/invitation/entry.job.ts'
import { boardInvitationJob } from '#areas/advocacy/invitation/send-invitation.job.ts'
import { forgetSignUpsJob, signUpJob } from '#areas/advocacy/invitation/sign-up.job.ts'
import { rankAdvocatesJob } from '#areas/advocacy/leaderboard/rank-advocates.job.ts'
import { turnStoriesJob } from '#areas/advocacy/story/turn-stories.job.ts'
import { startDashboardsJob } from '#areas/analytics/dashboard/start-dashboards.job.ts'
import { planExportsJob } from '#areas/analytics/export/run/plan-exports.job.ts'
import { forgetRuns, forgetRunsJob, removeFilesJob } from '#areas/analytics/export/run/remove-files.job.ts'
import { runExportJob } from '#areas/analytics/export/run/run-export.job.ts'
import { collectProfileJob } from '#areas/analytics/metrics/collect-profile.job.ts'
import { planCollection, planCollectionJob } from '#areas/analytics/metrics/plan-collection.job.ts'
import { repairOrphans, repairOrphansJob } from '#areas/approval/decision/repair-orphans.job.ts'
import { settleItems, settleItemsJob } from '#areas/approval/decision/settle-items.job.ts'
import { fillScopesJob } from '#areas/events/fill-scopes.job.ts'
import { rebuildFigures, rebuildFiguresJob } from '#areas/figures/rebuild-figures.job.ts'
import { leaveItemsJob } from '#areas/inbox/actions/leave-items.job.ts'
import { saveCaseJob } from '#areas/inbox/case/save-case.job.ts'
import { askForPostsJob } from '#areas/inbox/ingest/ask-posts.job.ts'
import { placeArrivalsJob, releaseArrivalsJob } from '#areas/inbox/ingest/place-arrivals.job.ts'
import { pollProfileJob } from '#areas/inbox/ingest/poll-profile.job.ts'
import { subscribePushJob } from '#areas/inbox/ingest/subscribe-push.job.ts'
import { forgetArrivalsJob, watchProfiles, watchProfilesJob } from '#areas/inbox/ingest/watch-profiles.job.ts'
import { forgetPersonJob } from '#areas/leads/person/forget-person.job.ts'
import { forgetOldClicksJob } from '#areas/links/click/forget-old-clicks.job.ts'
import { checkDomains, checkDomainsJob } from '#areas/links/cname/check-domains.job.ts'
import { countConversionJob } from '#areas/links/conversion/count-conversion.job.ts'
import { releaseHoldsJob, removeFileJob, sweepFiles, sweepFilesJob } from '#areas/media/storing/stored-files.job.ts'
import { downloadJob } from '#areas/media/upload/download-file.job.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { renewTokens, renewTokensJob } from '#areas/profiles/access/renew-tokens.job.ts'
import type { Budgets } from '#areas/profiles/budget/budgets.ts'
import { forgetNetworkUseJob } from '#areas/profiles/budget/usage-table.ts'
import { completeCampaignsJob } from '#areas/publishing/campaign/complete-campaigns.job.ts'
import { endCampaignJob } from '#areas/publishing/campaign/end-campaign.job.ts'
import { weighMessagesJob } from '#areas/publishing/message/weigh-messages.job.ts'
import { fetchFeedJob } from '#areas/streams/feed/fetch-feed.job.ts'
import { forgetOldEventsJob } from '#areas/webhooks/forget-old-events.job.ts'
import { forgetOldHintsJob } from '#kernel/hints/forget-old-hints.job.ts'
import { forgetOldKeysJob } from '#kernel/http/operation/forget-old-keys.job.ts'
import type { Job } from '#kernel/jobs/job.ts'
import type { RecurringJob } from '#kernel/jobs/queue.ts'
import type { Mailer } from '#kernel/mail/mail.ts'
import { forgetInLetters } from '#kernel/mail/outbox.personal.ts'
import { mailJob } from '#kernel/mail/send-mail.job.ts'
import { approvables } from './approvables.ts'
import { personalPlaces } from './personal-places.ts'
import { recounts } from './recounts.ts'

const minute = 60 * 1000
const hour = 60 * minute

interface JobsInstallation extends ProfileInstallation {
  mailer: Mailer
  budgets: Budgets
  reactionJobs: readonly Job<never>[]
  /** How long the audit log keeps what it says. */
  auditDays: number
  /** What makes messages of a story's own words. */
  generator: Generator
  /** Milliseconds from asking a network what is new to asking again; nothing where networks are not asked. */
  pollEvery: number | undefined
  /** Where letters lie that were sent to nobody. */
  outbox: string
  /** Milliseconds from fetching a stream that somebody looks at to fetching it again. */
  streamEvery: number
}

/** Every job the service knows. */
export const jobsOf = ({
  mailer,
  budgets,
  reactionJobs,
  auditDays,
  generator,
  pollEvery,
  outbox,
  streamEvery,
  ...installation
}: JobsInstallation): readonly Job<never>[] => [
  forgetOldKeysJob,
  forgetOldEventsJob,
  fillScopesJob,
  forgetOldDeedsJob(auditDays),
  forgetOldHintsJob,
  forgetOldDraftsJob,
  mailJob(mailer),
  resetLinksJob(mailer),
  invitationJob(mailer),
  boardInvitationJob(mailer),
  entryLinkJob(mailer),
  signUpJob(mailer),
  forgetSignUpsJob,
  renewTokensJob(installation),
  forgetNetworkUseJob,
  downloadJob(installation),
  removeFileJob(installation.files),
  releaseHoldsJob,
  sweepFilesJob(installation),
  completeCampaignsJob,
  endCampaignJob,
  settleItemsJob(approvables),
  repairOrphansJob(approvables),
  weighMessagesJob,
  checkDomainsJob(installation),
  forgetOldClicksJob,
  countConversionJob,
  rebuildFiguresJob(recounts),
  startDashboardsJob,
  rankAdvocatesJob,
  sendDigestsJob,
  writeDigestJob,
  prepareStoryJob(generator),
  turnStoriesJob,
  watchProfilesJob({ pollEvery }),
  pollProfileJob({ ...installation, budgets, pollEvery }),
  subscribePushJob({ ...installation, pollEvery }),
  askForPostsJob(installation),
  placeArrivalsJob(),
  releaseArrivalsJob,
  forgetArrivalsJob,
  leaveItemsJob,
  saveCaseJob(installation),
  forgetPersonJob({ places: personalPlaces, forgetInLetters: (person) => forgetInLetters(outbox, person) }),
  fetchFeedJob({ ...installation, budgets, streamEvery }),
  planCollectionJob(installation),
  collectProfileJob(installation),
  planExportsJob,
  runExportJob({ ...installation, mailer }),
  removeFilesJob(installation.files),
  forgetRunsJob(installation.files),
  ...reactionJobs,
]

/** Every job that comes again and again. */
export const recurring: readonly RecurringJob[] = [
  { job: forgetOldKeysJob, every: hour },
  { job: forgetOldEventsJob, every: hour },
  { job: forgetOldDeeds, every: 24 * hour },
  { job: forgetOldHintsJob, every: 10 * minute },
  { job: forgetOldDraftsJob, every: 24 * hour },
  { job: renewTokens, every: hour },
  { job: forgetNetworkUseJob, every: 24 * hour },
  { job: releaseHoldsJob, every: hour },
  { job: sweepFiles, every: 24 * hour },
  { job: completeCampaignsJob, every: hour },
  { job: settleItems, every: minute },
  { job: repairOrphans, every: hour },
  { job: weighMessagesJob, every: 24 * hour },
  { job: checkDomains, every: 24 * hour },
  { job: forgetOldClicksJob, every: 24 * hour },
  { job: startDashboardsJob, every: 24 * hour },
  { job: rebuildFigures, every: 10 * minute },
  { job: rankAdvocatesJob, every: minute },
  { job: sendDigestsJob, every: minute },
  { job: forgetSignUpsJob, every: hour },
  { job: turnStoriesJob, every: 10 * minute },
  { job: watchProfiles, every: minute },
  { job: forgetArrivalsJob, every: 24 * hour },
  { job: planCollection, every: 5 * minute },
  { job: planExportsJob, every: minute },
  { job: forgetRuns, every: 24 * hour },
]
