-- Jobs are named by who owns the work and what it does: `media.remove-file`. What waits, runs or is dead goes on under the new name, and
-- what comes again and again keeps its time.
with renamed (before, name) as (values
  ('forget-old-idempotency-keys', 'http.forget-old-keys'),
  ('mail', 'mail.send-mail'),
  ('send-reset-links', 'account.send-reset-links'),
  ('send-invitation', 'account.send-invitation'),
  ('renew-tokens', 'profiles.renew-tokens'),
  ('download', 'media.download-file'),
  ('remove-file', 'media.remove-file'),
  ('release-holds', 'media.release-holds'),
  ('sweep-files', 'media.sweep-files'),
  ('complete-campaigns', 'publishing.complete-campaigns'),
  ('end-campaign', 'publishing.end-campaign'),
  ('weigh-messages', 'publishing.weigh-messages'),
  ('settle-items', 'approval.settle-items'),
  ('check-domains', 'links.check-domains'),
  ('forget-old-clicks', 'links.forget-old-clicks'),
  ('late-conversion', 'links.count-conversion'),
  ('forget-old-events', 'webhooks.forget-old-events')),
jobs_renamed as (update jobs set name = renamed.name from renamed where jobs.name = renamed.before)
update job_schedule set name = renamed.name from renamed where job_schedule.name = renamed.before;
