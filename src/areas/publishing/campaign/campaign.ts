import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { teamsOfAll } from '#areas/account/team/team-entity.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { countersOf, lastOf, withCounters } from '#areas/counters/counter.ts'
import { emit } from '#areas/events/event.ts'
import { campaignLink, campaignShortUrl } from '#areas/links/link/link-create.ts'
import { countInFlight, pauseGroup, resumeGroup } from '#areas/sending/sends.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, forbidden, invalid, missing } from '#kernel/errors.ts'
import { requireUnchanged } from '#kernel/etag.ts'
import { newId } from '#kernel/ids.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { may } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { publishingChanges, publishingEvents, publishingQuotas } from '../declarations.ts'
import { withdrawUnsent } from '../post/post-end.ts'
import { addTags, setTags, tagsOf } from '../tag.ts'
import { type CampaignChanges, type CampaignDraft, campaignPayload, type campaignStatuses } from './campaign-shape.ts'

const maxTags = 64

export async function get(context: Context, { id, withTags = false }: { id: string; withTags?: boolean | undefined }) {
  const campaign = await find(context, id)
  if (!campaign) throw missing('Campaign')
  return withTags ? { ...campaign, tags: (await tagsOf(context, [id])).get(id) } : campaign
}

export async function find(context: Context, id: string) {
  const row = await counted(context).where('id', '=', id).executeTakeFirst()
  const campaign = row && shown(row)
  return campaign && { ...campaign, shortUrl: await campaignShortUrl(context, campaign.linkId) }
}

interface Search {
  q?: string | undefined
  status?: 'active' | 'complete' | 'paused' | 'archived' | undefined
  withTags?: boolean | undefined
  page: Page
}

export async function search(context: Context, { q = '', status, withTags = false, page }: Search) {
  const matching = counted(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as NonNullable<typeof status>))
  const { items: rows, total } = await paginate(matching, page)
  const items = rows.map(shown)
  if (!withTags) return { items, total }
  const tags = await tagsOf(
    context,
    items.map(({ id }) => id),
  )
  return { items: items.map((campaign) => ({ ...campaign, tags: tags.get(campaign.id) })), total }
}

interface TableSearch {
  q?: string | undefined
  statuses?: readonly (typeof campaignStatuses)[number][] | undefined
  tagIds?: readonly string[] | undefined
  teamIds?: readonly string[] | undefined
  page: Page
}

/** Campaigns with color, dates, tags and teams. The filters are combined with AND. */
export async function table(context: Context, { q = '', statuses = [], tagIds = [], teamIds = [], page }: TableSearch) {
  const { accountId } = context
  const matching = counted(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(statuses.length > 0, (rows) => rows.where('status', 'in', statuses))
    .$if(tagIds.length > 0, (rows) => rows.where(among(sql`entity_tags`, sql`tag_id`, accountId, tagIds)))
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

export async function create(context: Context, { tagIds = [], ...draft }: CampaignDraft) {
  const { db, accountId, userId, now } = context
  const id = newId(scopeIds.campaign, now)
  const existing = db.selectFrom('campaigns').where('accountId', '=', accountId).where('deleted', 'is', null)
  await reserveQuota(context, publishingQuotas.campaigns, existing)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId }
  const row = { ...made, ...draft, color: newColor(), startDate: now }
  await db.insertInto('campaigns').values(row).execute()
  notifyCampaignsChanged(context, [id])
  if (draft.url) await setLink(context, { id, linkId: null, url: draft.url })
  await addTags(context, id, tagIds, maxTags)
  const campaign = await get(context, { id })
  await emit(context, publishingEvents.newCampaign, { scopes: [id], data: campaignPayload(campaign) })
  return campaign
}

export async function update(context: Context, { id, tagIds, ...changes }: CampaignChanges) {
  const { db, accountId, userId, now } = context
  await lockCampaign(context, id)
  const before = await get(context, { id })
  requireUnchanged(context, before)
  const changesStatus = changes.status !== undefined && changes.status !== before.status
  if (changesStatus) requireMayEnd(context)
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({
      ...changes,
      ...(changesStatus && { ending: changes.status === 'archived' }),
      modified: now,
      modifiedBy: userId,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Campaign')
  notifyCampaignsChanged(context, [id])
  if (changes.url !== undefined && changes.url !== before.url) await setLink(context, { ...before, url: changes.url })
  if (tagIds) await setTags(context, id, tagIds, maxTags)
  if (changesStatus) await (changes.status === 'active' ? resumeGroup(context, id) : pauseGroup(context, id))
  if (changesStatus && changes.status === 'archived') await planEnd(context, id)
  return get(context, { id })
}

/** Pausing, archiving, resuming or ending a campaign affects posts of other users. */
export function requireMayEnd({ role }: Context) {
  if (!may(role, 'approve')) throw forbidden('Only publishers and admins change the status or the end of a campaign.')
}

/** Locks the row against concurrent changes. */
const lockCampaign = ({ db, accountId }: Context, id: string) =>
  db
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(lockRows('campaigns', 'no key update'))
    .execute()

/** Points the campaign's short link at the campaign's URL. */
async function setLink(context: Context, campaign: { id: string; linkId: string | null; url: string }) {
  await context.db
    .updateTable('campaigns')
    .set({ linkId: await campaignLink(context, campaign) })
    .where('accountId', '=', context.accountId)
    .where('id', '=', campaign.id)
    .execute()
}

interface ColorAndEnd {
  id: string
  color?: string | undefined
  endDate?: Date | null | undefined
}

/** Sets the color of a campaign on the calendar and its end date. */
export async function updateColorAndEnd(context: Context, { id, ...changes }: ColorAndEnd) {
  const { db, accountId, userId, now } = context
  const before = await get(context, { id })
  if (changes.endDate !== undefined && changes.endDate?.getTime() !== before.endDate?.getTime()) requireMayEnd(context)
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ ...changes, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Campaign')
  notifyCampaignsChanged(context, [id])
  return get(context, { id })
}

/** Soft delete: the row stays for posts that were sent. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  await get(context, { id })
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ deleted: now, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Campaign')
  notifyCampaignsChanged(context, [id])
  const inFlight = await countInFlight(context, id, ['sending', 'unknown'])
  if (inFlight > 0)
    throw conflict(`Posts of this campaign are being sent at this moment (${inFlight}). Try again in a minute.`)
  await withdrawUnsent(context, { campaignId: id }, 'The campaign was deleted.')
}

/** Refuses a campaign that does not exist or that the caller may not see. */
export async function requireCampaign(context: Context, id: string) {
  const campaign = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!campaign) throw invalid(`campaignId names no campaign: "${id.slice(0, 40)}".`)
  return campaign
}

export const visible = (context: Context) =>
  context.db
    .selectFrom('campaigns')
    .selectAll()
    .where('campaigns.accountId', '=', context.accountId)
    .where('campaigns.deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))

/** With all counters. */
export const counted = (context: Context) =>
  visible(context)
    .select(countersOf(context, 'campaign', 'campaigns.id'))
    .select(lastOf(context, 'campaign', 'campaigns.id', 'converts').as('lastConversionDate'))
    .select(postsOf(context).as('posts'))

interface PostTotals {
  totalPosts: number
  totalPendingPosts: number
  totalDraftPosts: number
  postsSent: number
}

/** From the maintained post counters. */
const postsOf = ({ accountId }: Context) => sql<PostTotals>`(
  select json_build_object('totalPosts', coalesce(sum(n.posts), 0),
    'totalPendingPosts', coalesce(sum(n.posts) filter (where n.status in ('pending', 'inqueue')), 0),
    'totalDraftPosts', coalesce(sum(n.posts) filter (where n.status in ('draft', 'inqueue-draft')), 0),
    'postsSent', coalesce(sum(n.posts) filter (where n.status in ('complete', 'incomplete')), 0))
  from post_counts n where n.account_id = ${accountId} and n.campaign_id = campaigns.id)`

type CountedRow = NonNullable<Awaited<ReturnType<ReturnType<typeof counted>['executeTakeFirst']>>>

export const shown = ({ posts, ...row }: CountedRow) => {
  const campaign = withCounters(row)
  return Object.assign(campaign, posts, { totalMessages: campaign.messages })
}

/** Distinguishable on a calendar, with enough contrast to white and to black text. */
const colors = [
  '#2456D6',
  '#C2410C',
  '#0F766E',
  '#9333EA',
  '#B91C1C',
  '#4D7C0F',
  '#0369A1',
  '#BE185D',
  '#A16207',
  '#4338CA',
]

export const newColor = () => colors[randomInt(colors.length)] as string

/** Notifies users who can see the campaigns. */
export function notifyCampaignsChanged({ notifyChange }: Pick<Context, 'notifyChange'>, ids: readonly string[]) {
  for (const id of ids) notifyChange({ kind: publishingChanges.campaign, id, parent: null, scope: id })
}

export const watchedCampaigns: PresenceKind = {
  kind: publishingChanges.campaign,
  reference: scopeIds.campaign,
  async find(context, id) {
    const campaign = await context.db
      .selectFrom('campaigns')
      .select('id')
      .where('accountId', '=', context.accountId)
      .where('id', '=', id)
      .where('deleted', 'is', null)
      .where(withinTeams(context, 'campaigns.id'))
      .executeTakeFirst()
    return campaign && { parent: null, scope: id }
  },
}

export const endCampaignName = { name: 'publishing.end-campaign', queue: 'housekeeping' } as const

/** Longer than the archiving request waits for posts in flight. */
const longAfter = 30_000

/** Enqueues a job that ends the campaign in case the archiving request does not finish. */
export const planEnd = (context: Context, campaignId: string) => {
  const { accountId, now } = context
  const due = new Date(now.getTime() + longAfter)
  return enqueue(context, endCampaignName, { accountId, campaignId }, { key: campaignId, due })
}
