import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Part } from '#areas/approval/approvable.ts'
import { type Counters, countersOf, withCounters } from '#areas/counters/counter.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Messages } from '#kernel/database/tables.ts'
import { invalid, missing, Refusal } from '#kernel/errors.ts'
import { requireCampaign } from '../campaign/campaign.ts'
import { tagsOf } from '../tag.ts'
import { mediaOf, mediaOfAll } from './message-media.ts'

export type MessageRow = Selectable<Messages>

export async function get(context: Context, { id, withTags = false }: { id: string; withTags?: boolean | undefined }) {
  const row = await counted(context).where('id', '=', id).executeTakeFirst()
  if (!row) throw missing('Message')
  const message = { ...shown(row), media: await mediaOf(context, id) }
  return withTags ? { ...message, tags: (await tagsOf(context, [id])).get(id) } : message
}

interface Search {
  campaignId?: string | undefined
  ids?: string[] | undefined
  network?: MessageRow['network'] | undefined
  withTags?: boolean | undefined
  page: Page
}

export async function search(context: Context, { campaignId = '', ids = [], network, withTags = false, page }: Search) {
  if (!campaignId && ids.length === 0) throw missingSelection()
  if (ids.length > 100) throw invalid('ids must not hold more than 100 ids.')
  if (campaignId) await requireCampaign(context, campaignId)
  const matching = counted(context)
    .$if(campaignId !== '', (rows) => rows.where('campaignId', '=', campaignId))
    .$if(ids.length > 0, (rows) => rows.where('id', 'in', ids))
    .$if(network !== undefined, (rows) => rows.where('network', '=', network as MessageRow['network']))
  const { items, total } = await paginate(matching, page)
  const messageIds = items.map(({ id }) => id)
  const media = await mediaOfAll(context, messageIds)
  const tags = withTags ? await tagsOf(context, messageIds) : undefined
  return {
    items: items.map((row) => ({ ...shown(row), media: media.get(row.id) ?? [], tags: tags?.get(row.id) })),
    total,
  }
}

/** Existing clients read the message from this field. */
function missingSelection() {
  const message = 'You must send either of the mandatory parameters: campaignId\\ids'
  return new Refusal('invalid', 'Either campaignId or ids must be given.', { beside: { api: { message } } })
}

/** Adds the API fields that are derived from the row. */
export const shown = (row: MessageRow & { counters?: Partial<Counters> }) =>
  Object.assign(withCounters(row), {
    md5: createHash('md5').update(row.message).digest('hex'),
    url: row.linkUrl,
    picture: row.imageUrl !== '',
    isAppMessage: true,
    altTexts: null,
  })

/** A message is visible to users who can see its campaign. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('deleted', 'is', null)
    .where(withinTeams(context, 'messages.campaign_id'))

const counted = (context: Context) => visible(context).select(countersOf(context, 'message', 'messages.id'))

/** Whether the caller can see the message in this column: a post may have been moved out of its message's campaign. */
export const isOfSeenMessage = (context: Context, column: string) =>
  sql<boolean>`exists (select from messages m where m.account_id = ${context.accountId} and m.id = ${sql.ref(column)}
    and ${withinTeams(context, 'm.campaign_id')})`

/** The content of a message, part by part; missing parts are omitted. */
export async function messageWording(context: Context, id: string): Promise<Part[]> {
  const { db, accountId } = context
  const message = await db
    .selectFrom('messages')
    .select(['message', 'subject', 'linkUrl', 'linkTitle', 'description', 'imageUrl'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!message) return []
  const media = await mediaOf(context, id)
  const { message: text, subject, linkUrl, linkTitle, description, imageUrl } = message
  return present([
    { name: 'Text', text },
    { name: 'Title', text: subject },
    { name: 'Link', text: [linkUrl, linkTitle, description, imageUrl].filter(Boolean).join('\n') },
    { name: 'Media', text: media.map(({ name }) => name).join('\n') },
  ])
}

export const present = (parts: readonly Part[]) => parts.filter(({ text }) => text !== '')
