import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { listed } from '#kernel/database/keyed-pages.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId, newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { cleanHtml, readableLength } from '#kernel/rich-text.ts'
import type { CustomEventChanges, CustomEventDraft } from './custom-event-shape.ts'
import { campaignsOf, hintEvent, setCampaigns } from './event-campaigns.ts'

const usualColor = '#8A94A6'
const longestDescription = 2000

interface Search {
  id?: string | undefined
  ids?: string[] | undefined
  campaignIds?: string[] | undefined
  after?: Date | undefined
  before?: Date | undefined
  page: Page
}

export async function getOrSearch(context: Context, { id, ...search }: Search) {
  if (id === undefined) return find(context, search)
  return get(context, id)
}

async function get(context: Context, id: string) {
  const event = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!event) throw missing('Event')
  const [shown] = await complete(context, [event])
  return shown as NonNullable<typeof shown>
}

type Filters = Omit<Search, 'id' | 'page'>

/** Those that lie, with any of their time, between the two moments. */
export async function find(context: Context, { page, ...filters }: Omit<Search, 'id'>) {
  const { items, total } = await paginate(matching(context, filters), page)
  return { items: await complete(context, items), total }
}

/** All of them, in the order of time. Descriptions are long: few are read at a time. */
export const findAll = (context: Context, filters: Filters) =>
  listed(context.db, matching(context, filters).orderBy('startDateTime').orderBy('id'), {
    size: 100,
    each: (events) => complete(context, events),
  })

function matching(context: Context, { ids = [], campaignIds = [], after, before }: Filters) {
  const ofCampaigns = sql<boolean>`exists (select from custom_event_campaigns c where c.account_id = ${context.accountId}
    and c.event_id = custom_events.id and c.campaign_id = any (${campaignIds}) and ${withinTeams(context, 'c.campaign_id')})`
  return visible(context)
    .$if(ids.length > 0, (rows) => rows.where('id', 'in', ids))
    .$if(campaignIds.length > 0, (rows) => rows.where(ofCampaigns))
    .$if(after !== undefined, (rows) => rows.where('endDateTime', '>=', after as Date))
    .$if(before !== undefined, (rows) => rows.where('startDateTime', '<=', before as Date))
}

export async function create(
  context: Context,
  { description = '', startDate, endDate, campaignIds = [], ...draft }: CustomEventDraft,
) {
  const { db, accountId, userId, now } = context
  const id = newId('customEvent', now)
  await reserveQuota(context, 'customEvents', db.selectFrom('customEvents').where('accountId', '=', accountId))
  const times = inOrder(startDate, endDate ?? endOfDay(startDate))
  const made = { accountId, id, created: now, modified: now, createdBy: userId }
  await db
    .insertInto('customEvents')
    .values({ ...made, ...draft, description: clean(description), ...times })
    .execute()
  await setCampaigns(context, id, campaignIds)
  await hintEvent(context, id)
  return get(context, id)
}

export async function update(
  context: Context,
  { id, description, startDate, endDate, campaignIds, ...changes }: CustomEventChanges,
) {
  const { db, accountId, now } = context
  const before = await get(context, id)
  const times = inOrder(startDate ?? before.startDateTime, endDate ?? before.endDateTime)
  const event = await db
    .updateTable('customEvents')
    .set({ ...changes, ...(description !== undefined && { description: clean(description) }), ...times, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!event) throw missing('Event')
  await hintEvent(context, id)
  if (campaignIds) {
    await setCampaigns(context, id, campaignIds)
    await hintEvent(context, id)
  }
  // Shown once more to whoever has just given it to campaigns that only others see.
  const [shown] = await complete(context, [event])
  return shown as NonNullable<typeof shown>
}

export async function remove(context: Context, { id }: { id: string }) {
  await get(context, id)
  await hintEvent(context, id)
  await context.db.deleteFrom('customEvents').where('accountId', '=', context.accountId).where('id', '=', id).execute()
}

const mostTags = 1_000

function clean(description: string): string {
  // Tags inside tags take the longest to clean.
  if (description.split('<').length > mostTags) throw invalid(`description must hold fewer than ${mostTags} tags.`)
  const length = readableLength(description)
  if (length > longestDescription)
    throw invalid(`description must have at most ${longestDescription} characters without tags; it has ${length}.`)
  return cleanHtml(description)
}

function inOrder(startDateTime: Date, endDateTime: Date) {
  if (endDateTime < startDateTime) throw invalid('endDate must not be before startDate.')
  return { startDateTime, endDateTime }
}

const endOfDay = (moment: Date) => new Date(`${moment.toISOString().slice(0, 10)}T23:59:59Z`)

/** With the campaigns, of which the first gives the color. */
async function complete<Row extends { id: string }>(context: Context, rows: readonly Row[]) {
  const campaigns = await campaignsOf(
    context,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const its = campaigns.get(row.id) ?? []
    return { ...row, campaigns: its, color: its[0]?.color ?? usualColor }
  })
}

/** An event is seen by those who see one of its campaigns; one without campaigns by everybody. */
const visible = (context: Context) => {
  const { db, accountId, role } = context
  const links = sql`custom_event_campaigns l where l.account_id = ${accountId} and l.event_id = custom_events.id`
  const isSeen = sql<boolean>`(not exists (select from ${links})
    or exists (select from ${links} and ${withinTeams(context, 'l.campaign_id')}))`
  return db
    .selectFrom('customEvents')
    .selectAll()
    .where('accountId', '=', accountId)
    .$if(role !== 'admin', (rows) => rows.where(isSeen))
}

export const watchedEvents: Watched = {
  kind: 'event',
  isId: (id) => isId('customEvent', id),
  async find(context, id) {
    const event = await visible(context).where('id', '=', id).executeTakeFirst()
    const [campaign] = event ? ((await campaignsOf(context, [id])).get(id) ?? []) : []
    return event && { parent: null, scope: campaign?.id ?? null }
  },
}
