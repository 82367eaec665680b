import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { listed } from '#kernel/database/keyed-pages.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { cleanHtml, readableLength } from '#kernel/rich-text.ts'
import { visible as visibleCampaigns } from '../campaign/campaign.ts'
import { publishingChanges, publishingIds, publishingQuotas } from '../declarations.ts'
import type { CustomEventChanges, CustomEventDraft } from './calendar-shape.ts'

const defaultColor = '#8A94A6'
const maxDescriptionLength = 2000

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
  const [shown] = await withCampaigns(context, [event])
  return shown as NonNullable<typeof shown>
}

type Filters = Omit<Search, 'id' | 'page'>

/** Events that overlap the time range. */
export async function find(context: Context, { page, ...filters }: Omit<Search, 'id'>) {
  const { items, total } = await paginate(matching(context, filters), page)
  return { items: await withCampaigns(context, items), total }
}

/** All events ordered by time, in small pages because descriptions can be long. */
export const findAll = (context: Context, filters: Filters) =>
  listed(context.db, matching(context, filters).orderBy('startDateTime').orderBy('id'), {
    size: 100,
    each: (events) => withCampaigns(context, events),
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
  const id = newId(publishingIds.customEvent, now)
  await reserveQuota(
    context,
    publishingQuotas.customEvents,
    db.selectFrom('customEvents').where('accountId', '=', accountId),
  )
  const times = checkedTimes(startDate, endDate ?? endOfDay(startDate))
  const meta = { accountId, id, created: now, modified: now, createdBy: userId }
  await db
    .insertInto('customEvents')
    .values({ ...meta, ...draft, description: cleanDescription(description), ...times })
    .execute()
  await setCampaigns(context, id, campaignIds)
  await notifyEventChanged(context, id)
  return get(context, id)
}

export async function update(
  context: Context,
  { id, description, startDate, endDate, campaignIds, ...changes }: CustomEventChanges,
) {
  const { db, accountId, now } = context
  const before = await get(context, id)
  const times = checkedTimes(startDate ?? before.startDateTime, endDate ?? before.endDateTime)
  const event = await db
    .updateTable('customEvents')
    .set({
      ...changes,
      ...(description !== undefined && { description: cleanDescription(description) }),
      ...times,
      modified: now,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!event) throw missing('Event')
  await notifyEventChanged(context, id)
  if (campaignIds) {
    await setCampaigns(context, id, campaignIds)
    await notifyEventChanged(context, id)
  }
  // Returned also when the caller has just assigned it to campaigns that only others can see.
  const [shown] = await withCampaigns(context, [event])
  return shown as NonNullable<typeof shown>
}

export async function remove(context: Context, { id }: { id: string }) {
  await get(context, id)
  await notifyEventChanged(context, id)
  await context.db.deleteFrom('customEvents').where('accountId', '=', context.accountId).where('id', '=', id).execute()
}

const maxHtmlTags = 1_000

function cleanDescription(description: string): string {
  // Nested tags are the slowest input for the sanitizer.
  if (description.split('<').length > maxHtmlTags)
    throw invalid(`description must hold fewer than ${maxHtmlTags} tags.`)
  const length = readableLength(description)
  if (length > maxDescriptionLength)
    throw invalid(`description must have at most ${maxDescriptionLength} characters without tags; it has ${length}.`)
  return cleanHtml(description)
}

function checkedTimes(startDateTime: Date, endDateTime: Date) {
  if (endDateTime < startDateTime) throw invalid('endDate must not be before startDate.')
  return { startDateTime, endDateTime }
}

const endOfDay = (moment: Date) => new Date(`${moment.toISOString().slice(0, 10)}T23:59:59Z`)

/** Adds the campaigns; the first one determines the color. */
async function withCampaigns<Row extends { id: string }>(context: Context, rows: readonly Row[]) {
  const campaigns = await campaignsOf(
    context,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const ownCampaigns = campaigns.get(row.id) ?? []
    return { ...row, campaigns: ownCampaigns, color: ownCampaigns[0]?.color ?? defaultColor }
  })
}

/** An event is visible to users who can see one of its campaigns; one without campaigns is visible to everyone. */
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

export const watchedEvents: PresenceKind = {
  kind: publishingChanges.event,
  reference: publishingIds.customEvent,
  async find(context, id) {
    const event = await visible(context).where('id', '=', id).executeTakeFirst()
    const [campaign] = event ? ((await campaignsOf(context, [id])).get(id) ?? []) : []
    return event && { parent: null, scope: campaign?.id ?? null }
  },
}

export interface EventCampaign {
  id: string
  name: string
  color: string
}

/** The campaigns of each event that the caller may see, in order of creation. */
export async function campaignsOf(
  context: Context,
  eventIds: readonly string[],
): Promise<Map<string, EventCampaign[]>> {
  const found = new Map<string, EventCampaign[]>(eventIds.map((id) => [id, []]))
  if (eventIds.length === 0) return found
  const rows = await context.db
    .selectFrom('customEventCampaigns as l')
    .innerJoin('campaigns', (join) =>
      join.on('campaigns.accountId', '=', context.accountId).onRef('campaigns.id', '=', 'l.campaignId'),
    )
    .select(['l.eventId', 'campaigns.id', 'campaigns.name', 'campaigns.color'])
    .where('l.accountId', '=', context.accountId)
    .where(sql<boolean>`l.event_id = any (${eventIds})`)
    .where('campaigns.deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))
    .orderBy('campaigns.id')
    .execute()
  for (const { eventId, ...campaign } of rows) found.get(eventId)?.push(campaign)
  return found
}

/** Notifies users who can see one of the event's campaigns, or everyone if it has none. */
export async function notifyEventChanged({ db, accountId, notifyChange }: Context, id: string) {
  const campaigns = await db
    .selectFrom('customEventCampaigns')
    .select('campaignId')
    .where('accountId', '=', accountId)
    .where('eventId', '=', id)
    .execute()
  const scopes = campaigns.length > 0 ? campaigns.map(({ campaignId }) => campaignId) : [null]
  for (const scope of scopes) notifyChange({ kind: publishingChanges.event, id, parent: null, scope })
}

/** Replaces the campaigns of an event that the caller can see; other campaigns stay. */
export async function setCampaigns(context: Context, eventId: string, campaignIds: readonly string[]) {
  const { db, accountId } = context
  const seen = campaignIds.length > 0 ? await visibleCampaigns(context).where('id', 'in', campaignIds).execute() : []
  const missingId = campaignIds.find((id) => !seen.some((campaign) => campaign.id === id))
  if (missingId) throw invalid(`campaignIds names ${missingId}, but there is no such campaign.`)
  await db
    .deleteFrom('customEventCampaigns')
    .where('accountId', '=', accountId)
    .where('eventId', '=', eventId)
    .where(withinTeams(context, 'custom_event_campaigns.campaign_id'))
    .execute()
  if (campaignIds.length === 0) return
  await db
    .insertInto('customEventCampaigns')
    .values(campaignIds.map((campaignId) => ({ accountId, eventId, campaignId })))
    .execute()
}
