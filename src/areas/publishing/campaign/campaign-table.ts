import { type RawBuilder, sql } from 'kysely'
import { teamsOfAll } from '#areas/account/team/team-entity.ts'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { tagsOf } from '../tag/tag.ts'
import { counted, get, notifyCampaignsChanged, requireMayEnd, shown } from './campaign.ts'
import type { campaignStatuses } from './campaign-shape.ts'

interface Search {
  q?: string | undefined
  statuses?: readonly (typeof campaignStatuses)[number][] | undefined
  tagIds?: readonly string[] | undefined
  teamIds?: readonly string[] | undefined
  page: Page
}

/** Campaigns with color, dates, tags and teams. The filters are combined with AND. */
export async function table(context: Context, { q = '', statuses = [], tagIds = [], teamIds = [], page }: Search) {
  const { accountId } = context
  const matching = counted(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(statuses.length > 0, (rows) => rows.where('status', 'in', statuses))
    .$if(tagIds.length > 0, (rows) => rows.where(among(sql`tagged`, sql`tag_id`, accountId, tagIds)))
    .$if(teamIds.length > 0, (rows) => rows.where(among(sql`team_entities`, sql`team_id`, accountId, teamIds)))
  const { items: rows, total } = await paginate(matching, page)
  const ids = rows.map(({ id }) => id)
  const [tags, teams] = [await tagsOf(context, ids), await teamsOfAll(context, ids)]
  const items = rows.map((row) => ({
    ...shown(row),
    tags: tags.get(row.id) ?? [],
    teams: teams.filter(({ entityId }) => entityId === row.id),
  }))
  return { items, total }
}

/** Whether the campaign has at least one of these. */
const among = (table: RawBuilder<unknown>, column: RawBuilder<unknown>, accountId: string, ids: readonly string[]) =>
  sql<boolean>`exists (select from ${table} t where t.account_id = ${accountId} and t.entity_id = campaigns.id
    and t.${column} = any (${ids}))`

interface Look {
  id: string
  color?: string | undefined
  endDate?: Date | null | undefined
}

/** Sets the color of a campaign on the calendar and its end date. */
export async function setLook(context: Context, { id, ...look }: Look) {
  const { db, accountId, userId, now } = context
  const before = await get(context, { id })
  if (look.endDate !== undefined && look.endDate?.getTime() !== before.endDate?.getTime()) requireMayEnd(context)
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ ...look, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Campaign')
  notifyCampaignsChanged(context, [id])
  return get(context, { id })
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
