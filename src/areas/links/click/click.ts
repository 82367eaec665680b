import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { figuresOf } from '#areas/figures/read-figures.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { withDetails } from './click-details.ts'
import { pageByName } from './click-order.ts'

interface Filters {
  convertsOnly?: boolean | undefined
  messageId?: string | undefined
  leadId?: string | undefined
  campaignId?: string | undefined
  visitorId?: string | undefined
  before?: Date | undefined
  /** This moment and later. */
  after?: Date | undefined
}

export async function search(context: Context, { page, ...filters }: Filters & { page: Page }) {
  const matching = visible(context, filters)
  const known = isCounted(filters) ? () => totalOf(context, filters) : undefined
  const { items, total } =
    page.order.column === 'created'
      ? await paginate(matching, page, known)
      : await pageByName(context, matching, page, { isFew: isFew(filters), known })
  return { items: await withDetails(context, items), total }
}

/** What came to a link, by what it was and why it was taken for that. What did not count is known for 90 days. */
export async function classesOf(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const link = await db
    .selectFrom('links')
    .select(figuresOf(context, 'link', 'links.id'))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where(withinTeams(context, 'links.campaign_id'))
    .executeTakeFirst()
  if (!link) throw missing('Link')
  const items = await db
    .selectFrom('clicks')
    .select(['class', 'reason', sql<number>`count(*)`.as('clicks')])
    .where('accountId', '=', accountId)
    .where('linkId', '=', id)
    .groupBy(['class', 'reason'])
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('class')
    .orderBy('reason')
    .execute()
  return { clicks: link.figures.clicks ?? 0, items, total: items.length }
}

/** Clicks of people, seen by those who see their campaign. */
function visible(context: Context, { convertsOnly = false, before, after, ...ids }: Filters) {
  const { messageId = '', leadId = '', campaignId = '', visitorId = '' } = ids
  return (
    context.db
      .selectFrom('clicks')
      .selectAll('clicks')
      .where('clicks.accountId', '=', context.accountId)
      // Spelled out, as the conditions of the indexes are.
      .where('clicks.class', '=', sql.lit('human'))
      .where(withinTeams(context, 'clicks.campaign_id'))
      .$if(convertsOnly, (rows) => rows.where('clicks.converted', 'is not', null))
      .$if(messageId !== '', (rows) => rows.where('clicks.messageId', '=', messageId).where(isOfSeenMessage(context)))
      .$if(leadId !== '', (rows) => rows.where('clicks.leadId', '=', leadId).where('clicks.leadId', '<>', sql.lit('')))
      .$if(campaignId !== '', (rows) => rows.where('clicks.campaignId', '=', campaignId))
      .$if(visitorId !== '', (rows) => rows.where('clicks.visitorId', '=', visitorId))
      .$if(after !== undefined, (rows) => rows.where('clicks.created', '>=', after as Date))
      .$if(before !== undefined, (rows) => rows.where('clicks.created', '<', before as Date))
  )
}

/** What was clicked may stand in another campaign than its message. */
const isOfSeenMessage = (context: Context) =>
  sql<boolean>`exists (select from messages m where m.account_id = ${context.accountId} and m.id = clicks.message_id
    and ${withinTeams(context, 'm.campaign_id')})`

/** Whether the filters leave so few that sorting them costs nothing. */
const isFew = ({ convertsOnly, messageId, leadId, visitorId }: Filters) =>
  Boolean(convertsOnly || messageId || leadId || visitorId)

const isCounted = (filters: Filters) => !isFew(filters) && !filters.before && !filters.after

/** Out of the counts that are kept: nobody counts a million clicks to show a page. */
async function totalOf(context: Context, { campaignId = '' }: Filters) {
  const { total } = await context.db
    .selectFrom('figures')
    .select(sql<number>`coalesce(sum(value), 0)::integer`.as('total'))
    .where('accountId', '=', context.accountId)
    .where('ofKind', '=', 'campaign')
    .where('name', '=', 'clicks')
    .where(withinTeams(context, 'figures.of_id'))
    .$if(campaignId !== '', (rows) => rows.where('ofId', '=', campaignId))
    .executeTakeFirstOrThrow()
  return total
}
