import { type RawBuilder, sql } from 'kysely'
import { teamsOfAll } from '#areas/account/team/team-entity.ts'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { tagsOf } from '../tag/tagging.ts'
import { counted, get, requireMayEnd, shown } from './campaign.ts'
import { hintCampaigns } from './campaign-hints.ts'
import type { campaignStatuses } from './campaign-shape.ts'

interface Search {
  q?: string | undefined
  statuses?: readonly (typeof campaignStatuses)[number][] | undefined
  tagIds?: readonly string[] | undefined
  teamIds?: readonly string[] | undefined
  page: Page
}

/** Campaigns as a table shows them: with colour, dates, tags and teams. What is given narrows. */
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

/** Whether one of these belongs to the campaign. */
const among = (table: RawBuilder<unknown>, column: RawBuilder<unknown>, accountId: string, ids: readonly string[]) =>
  sql<boolean>`exists (select from ${table} t where t.account_id = ${accountId} and t.entity_id = campaigns.id
    and t.${column} = any (${ids}))`

interface Look {
  id: string
  color?: string | undefined
  endDate?: Date | null | undefined
}

/** How a campaign looks on a calendar, and when it is over. */
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
  hintCampaigns(context, [id])
  return get(context, { id })
}
