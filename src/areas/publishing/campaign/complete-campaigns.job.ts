import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { notifyCampaignsChanged } from './campaign.ts'

const quietDays = 30

/** Completes campaigns whose end date has passed, and campaigns that have sent posts and had none left to send for a month. */
export const completeCampaignsJob = job<Record<string, never>>('publishing.complete-campaigns', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, completeCampaigns)),
})

async function completeCampaigns(context: Context) {
  const { db, accountId, now } = context
  const { rows } = await sql<{ id: string }>`
  update campaigns c set status = 'complete', modified = ${now}
  where c.account_id = ${accountId} and c.status = 'active' and c.deleted is null
    and (c.end_date < ${now} or (c.modified < ${new Date(now.getTime() - quietDays * day)}
      and exists (select from post_counts n where n.account_id = ${accountId} and n.campaign_id = c.id
        having coalesce(sum(n.posts) filter (where n.status in ('complete', 'incomplete')), 0) > 0
          and coalesce(sum(n.posts) filter (where n.status in ('pending', 'inqueue', 'draft', 'inqueue-draft')), 0) = 0)
      -- Nothing of it was touched lately: neither sent, nor drafted and dropped, nor the campaign itself opened again.
      and not exists (
        select from posts p where p.account_id = ${accountId} and p.campaign_id = c.id
          and p.modified > ${new Date(now.getTime() - quietDays * day)})))
  returning c.id`.execute(db)
  notifyCampaignsChanged(
    context,
    rows.map(({ id }) => id),
  )
}

const day = 24 * 60 * 60 * 1000
