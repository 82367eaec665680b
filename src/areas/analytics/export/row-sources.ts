import { type SelectQueryBuilder, sql } from 'kysely'
import { pictureUrl, visibleAdvocates } from '#areas/advocacy/advocate/membership.ts'
import { visibleItems } from '#areas/inbox/item/item.ts'
import { withDetails } from '#areas/links/click/click.ts'
import { counted, shown } from '#areas/links/link/link.ts'
import { counted as countedCampaigns, shown as shownCampaign } from '#areas/publishing/campaign/campaign.ts'
import { countedPosts, postView as shownPost } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'
import type { TimeRange } from './schedule.ts'

export const exportTypes = [
  'Posts',
  'Clicks',
  'Conversions',
  'Links',
  'Campaigns',
  'Advocates',
  'Leads',
  'Inbox',
] as const
export type ExportType = (typeof exportTypes)[number]

/** Cursor. The time is text: the database is more precise than a Date. */
export interface Cursor {
  moment: string
  id: string
}

interface Piece {
  rows: readonly object[]
  /** Undefined after the last rows. */
  after: Cursor | undefined
}

/** Reads rows of a range in order, after a cursor. */
type ReadRows = (context: Context, range: TimeRange, after: Cursor | undefined) => Promise<Piece>

/** Rows in memory at a time. */
const pieceSize = 200

/** The next rows of a query ordered by an indexed time. */
async function nextPiece<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { table, column }: { table: string; column: string },
  { starts, ends }: TimeRange,
  after: Cursor | undefined,
): Promise<{ rows: Row[]; after: Cursor | undefined }> {
  const [time, id] = [sql.ref(`${table}.${column}`), sql.ref(`${table}.id`)]
  const found = (await query
    .select([sql<string>`${time}::text`.as('cursorMoment'), sql<string>`${id}`.as('cursorId')])
    .where(sql<boolean>`${time} >= ${starts} and ${time} < ${ends}`)
    .$if(after !== undefined, (rows) =>
      rows.where(sql<boolean>`(${time}, ${id}) > (${after?.moment}::timestamptz, ${after?.id})`),
    )
    .orderBy(time)
    .orderBy(id)
    .limit(pieceSize)
    .execute()) as (Row & { cursorMoment: string; cursorId: string })[]
  const last = found.length === pieceSize ? found.at(-1) : undefined
  return { rows: found, after: last && { moment: last.cursorMoment, id: last.cursorId } }
}

/** Human clicks only. */
const clickRows: ReadRows = async (context, range, after) => {
  const piece = await nextPiece(humanClicks(context), { table: 'clicks', column: 'created' }, range, after)
  return { ...piece, rows: await withDetails(context, piece.rows) }
}

/** Converted clicks, by conversion time. */
const conversionRows: ReadRows = async (context, range, after) => {
  const converted = humanClicks(context).where('clicks.converted', 'is not', null)
  const piece = await nextPiece(converted, { table: 'clicks', column: 'converted' }, range, after)
  return { ...piece, rows: await withDetails(context, piece.rows) }
}

const linkRows: ReadRows = async (context, range, after) => {
  const piece = await nextPiece(counted(context), { table: 'links', column: 'created' }, range, after)
  return { ...piece, rows: piece.rows.map((link) => shown(context, link)) }
}

const humanClicks = ({ db, accountId }: Context) =>
  db
    .selectFrom('clicks')
    .selectAll('clicks')
    .where('clicks.accountId', '=', accountId)
    // Literal, to match the partial indexes.
    .where('clicks.class', '=', sql.lit('human'))

/** Advocates of all boards by join date, with their totals. */
const advocateRows: ReadRows = async (context, range, after) => {
  const advocates = visibleAdvocates(context)
    .selectAll('users')
    .select([pictureUrl, totalOf(context, 'shares'), totalOf(context, 'clicks')])
  const piece = await nextPiece(advocates, { table: 'users', column: 'created' }, range, after)
  // Lists don't fit a table.
  return { ...piece, rows: piece.rows.map((advocate) => ({ ...advocate, profiles: [], boardIds: [] })) }
}

const leadRows: ReadRows = async (context, range, after) => {
  const { db, accountId } = context
  const leads = db
    .selectFrom('leads')
    .selectAll()
    .select(
      sql<string>`coalesce((select string_agg(p.network || ' ' || p.url, '; ' order by p.network, p.remote_id) from lead_profiles p
        where p.account_id = ${accountId} and p.lead_id = leads.id), '')`.as('profiles'),
    )
    .where('accountId', '=', accountId)
  return nextPiece(leads, { table: 'leads', column: 'created' }, range, after)
}

/** Conversations by start. */
const inboxRows: ReadRows = async (context, range, after) => {
  const items = visibleItems(context).select(
    sql<string>`coalesce((select c.display_name from credentials c
      where c.account_id = ${context.accountId} and c.id = inbox_items.credential_id), '')`.as('profileName'),
  )
  return nextPiece(items, { table: 'inboxItems', column: 'created' }, range, after)
}

const totalOf = ({ accountId }: Context, name: 'shares' | 'clicks') =>
  sql<number>`coalesce((select sum(f.value) from counters f join board_members m
    on m.account_id = ${accountId} and f.of_id = m.board_id || ' ' || m.user_id
    where f.account_id = ${accountId} and f.of_kind = 'advocate' and f.name = ${name} and m.user_id = users.id), 0)::integer`.as(
    name,
  )

/** Posts by scheduled time, with text and campaign. */
const postRows: ReadRows = async (context, range, after) => {
  const scope = { table: 'posts', column: 'startDateTime' }
  const piece = await nextPiece(countedPosts(context), scope, range, after)
  const [messages, campaigns] = [
    await textsOf(
      context,
      'messages',
      'message',
      piece.rows.map(({ messageId }) => messageId),
    ),
    await textsOf(
      context,
      'campaigns',
      'name',
      piece.rows.map(({ campaignId }) => campaignId),
    ),
  ]
  const rows = piece.rows.map((post) =>
    Object.assign(shownPost(post), {
      message: messages.get(post.messageId) ?? '',
      campaignName: campaigns.get(post.campaignId) ?? '',
    }),
  )
  return { ...piece, rows }
}

const campaignRows: ReadRows = async (context, range, after) => {
  const scope = { table: 'campaigns', column: 'created' }
  const piece = await nextPiece(countedCampaigns(context), scope, range, after)
  return { ...piece, rows: piece.rows.map(shownCampaign) }
}

/** One column by ids. */
async function textsOf(
  { db, accountId }: Context,
  table: 'messages' | 'campaigns',
  column: 'message' | 'name',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(table)
    .select(['id', db.dynamic.ref<string>(column)])
    .where('accountId', '=', accountId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, (row as unknown as { [name: string]: string })[column] ?? '']))
}

/** Row source of each type; `row-shape.ts` defines the columns. */
export const sources: { readonly [type in ExportType]: ReadRows } = {
  Posts: postRows,
  Clicks: clickRows,
  Conversions: conversionRows,
  Links: linkRows,
  Campaigns: campaignRows,
  Advocates: advocateRows,
  Leads: leadRows,
  Inbox: inboxRows,
}
