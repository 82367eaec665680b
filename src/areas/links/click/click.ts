import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { countersOf } from '#areas/counters/counter.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { Clicks, DB } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { idAt } from '#kernel/ids.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { linkIds } from '../declarations.ts'

/** Classification of a visit. Only `human` counts. */
export const clickClasses = ['human', 'bot', 'preview', 'head', 'prefetch', 'duplicate'] as const

export type ClickClass = (typeof clickClasses)[number]

export type ClickRow = Selectable<Clicks>

interface Filters {
  convertsOnly?: boolean | undefined
  messageId?: string | undefined
  leadId?: string | undefined
  campaignId?: string | undefined
  visitorId?: string | undefined
  before?: Date | undefined
  /** Inclusive. */
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

/** Visits of a link by class and reason. Visits that don't count are deleted after 90 days. */
export async function classesOf(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const link = await db
    .selectFrom('links')
    .select(countersOf(context, 'link', 'links.id'))
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
  return { clicks: link.counters.clicks ?? 0, items, total: items.length }
}

/** Human clicks, visible to users who see their campaign. */
function visible(context: Context, { convertsOnly = false, before, after, ...ids }: Filters) {
  const { messageId = '', leadId = '', campaignId = '', visitorId = '' } = ids
  return (
    context.db
      .selectFrom('clicks')
      .selectAll('clicks')
      .where('clicks.accountId', '=', context.accountId)
      // Literal, to match the partial indexes.
      .where('clicks.class', '=', sql.lit('human'))
      .where(withinTeams(context, 'clicks.campaign_id'))
      .$if(convertsOnly, (rows) => rows.where('clicks.converted', 'is not', null))
      .$if(messageId !== '', (rows) =>
        rows.where('clicks.messageId', '=', messageId).where(isOfVisibleMessage(context)),
      )
      .$if(leadId !== '', (rows) => rows.where('clicks.leadId', '=', leadId).where('clicks.leadId', '<>', sql.lit('')))
      .$if(campaignId !== '', (rows) => rows.where('clicks.campaignId', '=', campaignId))
      .$if(visitorId !== '', (rows) => rows.where('clicks.visitorId', '=', visitorId))
      .$if(after !== undefined, (rows) => rows.where('clicks.created', '>=', after as Date))
      .$if(before !== undefined, (rows) => rows.where('clicks.created', '<', before as Date))
  )
}

/** A message may belong to another campaign than its link. */
const isOfVisibleMessage = (context: Context) =>
  sql<boolean>`exists (select from messages m where m.account_id = ${context.accountId} and m.id = clicks.message_id
    and ${withinTeams(context, 'm.campaign_id')})`

/** Whether the filters leave few enough rows to sort. */
const isFew = ({ convertsOnly, messageId, leadId, visitorId }: Filters) =>
  Boolean(convertsOnly || messageId || leadId || visitorId)

const isCounted = (filters: Filters) => !isFew(filters) && !filters.before && !filters.after

/** From the counters, to avoid counting a million rows for one page. */
async function totalOf(context: Context, { campaignId = '' }: Filters) {
  const { total } = await context.db
    .selectFrom('counters')
    .select(sql<number>`coalesce(sum(value), 0)::integer`.as('total'))
    .where('accountId', '=', context.accountId)
    .where('ofKind', '=', 'campaign')
    .where('name', '=', 'clicks')
    .where(withinTeams(context, 'counters.of_id'))
    .$if(campaignId !== '', (rows) => rows.where('ofId', '=', campaignId))
    .executeTakeFirstOrThrow()
  return total
}

type Matching = SelectQueryBuilder<DB, 'clicks', ClickRow>

interface PageOptions {
  /** Few enough to sort. */
  isFew: boolean
  /** The total, if known without counting. */
  known?: (() => Promise<number>) | undefined
}

/** Sortable columns: the id, and where its name is. */
const named = {
  campaignName: { column: 'campaign_id', table: 'campaigns', name: 'name' },
  credentialName: { column: 'credential_id', table: 'credentials', name: 'display_name' },
} as const
type Named = (typeof named)[keyof typeof named]

/** A page sorted by name, and the total; rows of one name in chronological order. */
async function pageByName(context: Context, matching: Matching, page: Page, { isFew, known }: PageOptions) {
  const of = named[page.order.column as keyof typeof named]
  const rows = isFew ? sortedPage(context, matching, page, of) : skipScan(context, matching, page, of)
  const [items, total] = await Promise.all([rows, known ? known() : countOf(matching)])
  return { items, total }
}

function sortedPage({ accountId }: Context, matching: Matching, { order, limit = 0, offset }: Page, of: Named) {
  const direction = order.ascending ? 'asc' : 'desc'
  const name = sql`(select lower(${sql.ref(of.name)}) from ${sql.table(of.table)} n
    where n.account_id = ${accountId} and n.id = ${sql.ref(`clicks.${of.column}`)})`
  return matching
    .orderBy(name, direction)
    .orderBy(sql.ref(of.column), direction)
    .orderBy('clicks.created', direction)
    .orderBy('clicks.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
}

/**
 * Iterates over names, and over the clicks of each by index, until the page is full, instead of sorting a million clicks for
 * twenty-five. Names are found by skipping through the same index.
 */
async function skipScan({ db, accountId }: Context, matching: Matching, page: Page, of: Named): Promise<ClickRow[]> {
  const { order, limit = 0, offset } = page
  const direction = sql.raw(order.ascending ? 'asc' : 'desc')
  const column = sql.ref(`clicks.${of.column}`)
  const first = sql`from ${sql.table('clicks')} where account_id = ${accountId} and class = 'human'`
  const ofName = matching
    .where(sql<boolean>`${column} = names.id`)
    .orderBy(sql`clicks.created ${direction}, clicks.id ${direction}`)
    .limit(offset + limit)
  const { rows } = await sql<ClickRow>`select found.* from (
      select met.id, lower(n.${sql.ref(of.name)}) as name from (
        with recursive next (id) as (
          select min(${column}) ${first}
          union all select (select min(${column}) ${first} and ${column} > next.id) from next where next.id is not null)
        select id from next where id is not null) met
      left join ${sql.table(of.table)} n on n.account_id = ${accountId} and n.id = met.id
      order by name ${direction}, id ${direction} offset 0) names
    cross join lateral ${ofName} found
    order by names.name ${direction}, names.id ${direction}, found.created ${direction}, found.id ${direction}
    limit ${limit} offset ${offset}`.execute(db)
  return rows
}

async function countOf(matching: Matching): Promise<number> {
  const { total } = await matching.clearSelect().select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  return total
}

/** Adds names and texts to clicks. */
export async function withDetails(context: Context, rows: readonly ClickRow[]) {
  const { db, accountId } = context
  const idsIn = (column: 'campaignId' | 'credentialId' | 'messageId' | 'postId') => [
    ...new Set(rows.map((row) => row[column]).filter((id) => id !== '')),
  ]
  const find = <Found extends { id: string }>(ids: string[], search: (ids: string[]) => Promise<Found[]>) =>
    ids.length === 0 ? new Map<string, Found>() : search(ids).then(byId)
  const [campaigns, credentials, messages, postlogs] = await Promise.all([
    find(idsIn('campaignId'), (ids) =>
      db
        .selectFrom('campaigns')
        .select(['id', 'name'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute(),
    ),
    find(idsIn('credentialId'), (ids) =>
      db
        .selectFrom('credentials')
        .select(['id', 'displayName'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute(),
    ),
    find(idsIn('messageId'), (ids) =>
      db
        .selectFrom('messages')
        .select(['id', 'campaignId', 'message', 'linkUrl', 'linkTitle', 'imageUrl'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        // It may belong to another campaign than the link.
        .where(withinTeams(context, 'messages.campaign_id'))
        .execute(),
    ),
    postlogsOf(context, idsIn('postId')),
  ])
  return rows.map((row) => {
    const postlog = postlogs.get(`${row.postId} ${row.credentialId}`)
    const content = messages.get(row.messageId)
    const { message = '', linkUrl = '', linkTitle = '', imageUrl = '' } = content ?? {}
    return {
      ...row,
      campaignName: campaigns.get(row.campaignId)?.name ?? '',
      credentialName: credentials.get(row.credentialId)?.displayName ?? '',
      message,
      linkUrl,
      linkTitle,
      imageUrl,
      picture: imageUrl !== '',
      messageCampaignId: content?.campaignId,
      postlogId: postlog?.id ?? '',
      remoteUrl: postlog?.remoteUrl ?? '',
      convertedDate: row.converted,
      geoCountry: row.country,
      geoCity: row.city,
      geoOrganization: row.organization,
      geoLongitude: row.longitude,
      geoLatitude: row.latitude,
    }
  })
}

/** Postlogs by post and profile. */
async function postlogsOf({ db, accountId }: Context, postIds: readonly string[]) {
  if (postIds.length === 0) return new Map<string, { id: string; remoteUrl: string }>()
  const rows = await db
    .selectFrom('postlogs')
    .select(['id', 'postId', 'credentialId', 'remoteUrl'])
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .execute()
  return new Map(rows.map((row) => [`${row.postId} ${row.credentialId}`, row]))
}

const byId = <Found extends { id: string }>(rows: Found[]) => new Map(rows.map((row) => [row.id, row]))

const retention = 90 * day
const deleteBatchSize = 5_000

/** Deletes uncounted visits after 90 days. Counted clicks stay. */
export const forgetOldClicksJob = job<Record<string, never>>('links.forget-old-clicks', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      // In small transactions with a cursor: ids are chronological.
      let cursor: string | null = ''
      while (cursor !== null && !context.signal.aborted) {
        const from: string = cursor
        cursor = await context.transaction(id, (inside) => forgetClicks(inside, from))
      }
    }),
})

/** Deletes a batch from an id on, and returns the cursor; null when done. */
async function forgetClicks({ db, accountId, now }: Context, from: string): Promise<string | null> {
  const before = new Date(now.getTime() - retention)
  const { rows } = await sql<{ last: string | null; count: number }>`
    with seen as materialized (
      select id, class from clicks where account_id = ${accountId} and id > ${from} and id < ${idAt(linkIds.click, before)} order by id limit ${deleteBatchSize}),
    gone as (
      delete from clicks where account_id = ${accountId} and id in (select id from seen where class <> 'human') and created < ${before})
    select max(id) as last, count(*)::int as count from seen`.execute(db)
  const [{ last, count } = { last: null, count: 0 }] = rows
  return count === deleteBatchSize ? last : null
}
