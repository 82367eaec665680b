import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { contains } from '#kernel/database/contains.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { setTags, tagsOf } from '../tag/tagging.ts'
import { announceCampaign } from './campaign.events.ts'
import { newColor } from './campaign-color.ts'

const mostTags = 64

export async function get(context: Context, { id, withTags = false }: { id: string; withTags?: boolean | undefined }) {
  const campaign = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!campaign) throw missing('Campaign')
  return withTags ? { ...campaign, tags: (await tagsOf(context, [id])).get(id) } : campaign
}

interface Search {
  q?: string | undefined
  status?: 'active' | 'complete' | 'paused' | 'archived' | undefined
  withTags?: boolean | undefined
  page: Page
}

export async function search(context: Context, { q = '', status, withTags = false, page }: Search) {
  const matching = visible(context)
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as NonNullable<typeof status>))
  const { items, total } = await paginate(matching, page)
  if (!withTags) return { items, total }
  const tags = await tagsOf(
    context,
    items.map(({ id }) => id),
  )
  return { items: items.map((campaign) => ({ ...campaign, tags: tags.get(campaign.id) })), total }
}

interface Draft {
  name: string
  url?: string | undefined
  tagIds?: string[] | undefined
}

export async function create(context: Context, { name, url = '', tagIds = [] }: Draft) {
  const { db, accountId, userId, now } = context
  const id = newId('campaign', now)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, modifiedBy: userId }
  const row = { ...made, name, url, color: newColor(), startDate: now }
  const campaign = await db.insertInto('campaigns').values(row).returningAll().executeTakeFirstOrThrow()
  await setTags(context, id, tagIds, mostTags)
  await announceCampaign(context, campaign)
  return campaign
}

interface Changes {
  id: string
  name?: string | undefined
  url?: string | undefined
  tagIds?: string[] | undefined
  status?: 'active' | 'paused' | 'archived' | undefined
}

export async function update(context: Context, { id, tagIds, ...changes }: Changes) {
  const { db, accountId, userId, now } = context
  await get(context, { id })
  const campaign = await db
    .updateTable('campaigns')
    .set({ ...changes, modified: now, modifiedBy: userId })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (tagIds) await setTags(context, id, tagIds, mostTags)
  return campaign
}

/** The row stays for what was sent; the campaign is gone for everybody. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  await get(context, { id })
  await db
    .updateTable('campaigns')
    .set({ deleted: now, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Refuses a campaign that a parameter names and that is not there, or that may not be seen. */
export async function requireCampaign(context: Context, id: string) {
  const campaign = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!campaign) throw invalid(`campaignId names no campaign: "${id.slice(0, 40)}".`)
  return campaign
}

export const visible = (context: Context) =>
  context.db
    .selectFrom('campaigns')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))
