import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { get } from './campaign.ts'

interface Counts {
  planned: number
  drafts: number
  begun: number
  underWay: number
  shares: number
  late: number
  next: Date | null
}

/** What would become of a campaign's posts, in numbers, before somebody pauses, archives, deletes or resumes it. */
export async function consequences(context: Context, { id }: { id: string }) {
  const { status } = await get(context, { id })
  const { planned, drafts, begun, late, shares, underWay, next } = await countsOf(context, id)
  const ended = { postsDeleted: planned, draftsDeleted: drafts, postsGivenUp: begun, sharesStopped: shares }
  const isResumed = status !== 'active'
  return {
    status,
    // What waits of it now, and what nobody can stop any more.
    next,
    postsUnderWay: underWay,
    paused: { postsHeld: planned + begun, sharesStopped: shares },
    archived: ended,
    deleted: ended,
    // Those that have missed their time wait for a person.
    active: { postsResumed: isResumed ? planned + begun : 0, postsLate: isResumed ? late : 0 },
  }
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
