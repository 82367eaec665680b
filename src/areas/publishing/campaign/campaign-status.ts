import { sql } from 'kysely'
import { waitForGroup } from '#areas/sending/sends.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { withdrawUnsent } from '../post/post-end.ts'
import { endCampaignName, find, get, notifyCampaignsChanged } from './campaign.ts'
import type { CampaignChanges } from './campaign-shape.ts'

/** The effects of a campaign's status on its posts. */

/** The number of posts affected if the campaign were paused, archived, deleted or resumed. */
export async function consequences(context: Context, { id }: { id: string }) {
  const { status } = await get(context, { id })
  const { planned, drafts, begun, late, shares, underWay, next } = await countsOf(context, id)
  const ended = { postsDeleted: planned, draftsDeleted: drafts, postsGivenUp: begun, sharesStopped: shares }
  const isResumed = status !== 'active'
  return {
    status,
    // The next scheduled post, and posts in flight that cannot be stopped any more.
    next,
    postsUnderWay: underWay,
    paused: { postsHeld: planned + begun, sharesStopped: shares },
    archived: ended,
    deleted: ended,
    // Posts that missed their time wait for a user's decision.
    active: { postsResumed: isResumed ? planned + begun : 0, postsLate: isResumed ? late : 0 },
  }
}

interface Counts {
  planned: number
  drafts: number
  begun: number
  underWay: number
  shares: number
  late: number
  next: Date | null
}

async function countsOf({ db, accountId, now, lateness }: Context, campaignId: string): Promise<Counts> {
  const tooLate = new Date(now.getTime() - lateness)
  const { rows } = await sql<Counts>`
    with unsent as (
      select p.id, p.status, p.start_date_time,
        exists (select from sends s where s.account_id = ${accountId} and s.content_id = p.id and s.kind = 'post'
          and s.state in ('sent', 'failed', 'unconfirmed')) as is_begun
      from posts p where p.account_id = ${accountId} and p.campaign_id = ${campaignId}
        and p.status in ('draft', 'inqueue-draft', 'pending', 'inqueue'))
    select count(*) filter (where status in ('pending', 'inqueue') and not is_begun) as planned,
      count(*) filter (where status in ('draft', 'inqueue-draft')) as drafts,
      count(*) filter (where status in ('pending', 'inqueue') and is_begun) as begun,
      count(*) filter (where status = 'pending' and start_date_time < ${tooLate}) as late,
      min(start_date_time) filter (where status = 'pending' and start_date_time >= ${now}) as next,
      (select count(*) from sends s where s.account_id = ${accountId} and s.group_id = ${campaignId}
        and s.due is not null and s.state in ('sending', 'unknown')) as under_way,
      (select count(*) from sends s where s.account_id = ${accountId} and s.group_id = ${campaignId}
        and s.kind = 'share' and s.state = 'waiting') as shares
    from unsent`.execute(db)
  return rows[0] as Counts
}

/** Waits until the effects of the new status on posts have completed, so that the response is accurate. */
export async function settleStatus(outside: ExternalIo, { id, status }: CampaignChanges) {
  if (status !== 'paused' && status !== 'archived') return undefined
  const waited = await waitForGroup(outside, id)
  if (!waited && status === 'paused') return undefined
  return outside.step(async (context) => {
    if (status === 'archived') await endCampaign(context, id)
    return find(context, id)
  })
}

/** Ends an archived campaign whose process was killed while it waited for posts in flight. */
export const endCampaignJob = job<EndCampaign>(endCampaignName.name, {
  ...endCampaignName,
  run: ({ complete }, { accountId, campaignId }) => complete(accountId, (context) => endCampaign(context, campaignId)),
})

interface EndCampaign {
  accountId: string
  campaignId: string
}

/** Withdraws the unsent posts of an archived campaign; runs once, and not if the campaign was resumed in the meantime. */
async function endCampaign(context: Context, campaignId: string) {
  const { db, accountId } = context
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ ending: false })
    .where('accountId', '=', accountId)
    .where('id', '=', campaignId)
    .where('ending', '=', true)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await withdrawUnsent(context, { campaignId }, 'The campaign was archived.')
}

const maxQuietDays = 30

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
    and (c.end_date < ${now} or (c.modified < ${new Date(now.getTime() - maxQuietDays * day)}
      and exists (select from post_counts n where n.account_id = ${accountId} and n.campaign_id = c.id
        having coalesce(sum(n.posts) filter (where n.status in ('complete', 'incomplete')), 0) > 0
          and coalesce(sum(n.posts) filter (where n.status in ('pending', 'inqueue', 'draft', 'inqueue-draft')), 0) = 0)
      -- Without recent activity: no post was sent, drafted or deleted, and the campaign was not reopened.
      and not exists (
        select from posts p where p.account_id = ${accountId} and p.campaign_id = c.id
          and p.modified > ${new Date(now.getTime() - maxQuietDays * day)})))
  returning c.id`.execute(db)
  notifyCampaignsChanged(
    context,
    rows.map(({ id }) => id),
  )
}
