import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { clicksOf } from '#areas/counters/counter.ts'
import type { Context } from '#kernel/context.ts'
import { among as amongKeys, type Keys } from '#kernel/database/keyed-pages.ts'
import { contains } from '#kernel/database/paginate.ts'
import { isOfSeenMessage } from '../message/message.ts'
import type { PostRow } from '../post/post.ts'

/** Combined with AND. Filters on campaigns apply to the campaign of the post. */
export interface CalendarFilters {
  campaigns?: readonly string[] | undefined
  credentials?: readonly string[] | undefined
  messages?: readonly string[] | undefined
  postSources?: readonly PostRow['source'][] | undefined
  statuses?: readonly PostRow['status'][] | undefined
  users?: readonly string[] | undefined
  networks?: readonly string[] | undefined
  campaignTags?: readonly string[] | undefined
  /** Tags of the post's message or of its campaign. */
  tags?: readonly string[] | undefined
  messageTags?: readonly string[] | undefined
  teams?: readonly string[] | undefined
  hasFirstComment?: boolean | undefined
  promotion?: readonly PostRow['promotion'][] | undefined
  showArchived?: boolean | undefined
}

export const shownPosts = (context: Context, posts: Posts) =>
  posts
    .select(['id', 'campaignId', 'contentSource', 'credentialIds', 'messageId', 'network'])
    .select(clicksOf(context, 'post', 'posts.id'))
    .select(['source', 'startDateTime', 'status', 'approveStatus'])
    .select(sql<number>`cardinality(credential_ids)`.as('totalCount'))

/** The ids of the matching posts in order, and the distinct ids of related rows. */
export async function keysOfPosts({ db }: Context, matching: Posts): Promise<PostKeys> {
  const found = matching.select(['id', 'campaignId', 'messageId', 'credentialIds'])
  const distinct = (column: RawBuilder<unknown>) =>
    sql`(select string_agg(d.key, ',') from (select distinct ${column} as key from found) d)`
  const { rows } = await sql<PostKeys>`
    with found as materialized (${found})
    select coalesce((select string_agg(id, ',') from found), '') as posts,
      coalesce(${distinct(sql`campaign_id`)}, '') as campaigns, coalesce(${distinct(sql`message_id`)}, '') as messages,
      coalesce(${distinct(sql`unnest(credential_ids)`)}, '') as credentials`.execute(db)
  return rows[0] as PostKeys
}

/** Loads posts by id in the given order, without repeating the filters of the query that found them. */
export const postsByKeys = (context: Context, keys: Keys) =>
  context.db
    .selectFrom('posts')
    .where('accountId', '=', context.accountId)
    .where(amongKeys('id', keys))
    .where(withinTeams(context, 'posts.campaign_id'))
    .orderBy('startDateTime')
    .orderBy('id')

type Posts = ReturnType<typeof matchingPosts>

/** The same for posts that are already loaded. */
export function keysIn(posts: readonly Keyed[]): PostKeys {
  return {
    posts: posts.map(({ id }) => id).join(),
    campaigns: distinctKeys(posts.map(({ campaignId }) => campaignId)),
    messages: distinctKeys(posts.map(({ messageId }) => messageId)),
    credentials: distinctKeys(posts.flatMap(({ credentialIds }) => credentialIds)),
  }
}

interface Keyed {
  id: string
  campaignId: string
  messageId: string
  credentialIds: readonly string[]
}

const distinctKeys = (ids: readonly string[]) => [...new Set(ids)].join()

export interface PostKeys {
  posts: Keys
  campaigns: Keys
  messages: Keys
  credentials: Keys
}

/**
 * Posts in `[from, until)` of campaigns the caller may see, ordered by time. `is true` keeps the planner from turning the condition into a
 * join based on wrong estimates: checking each campaign is cheap whatever the other filters are.
 */
export const matchingPosts = (context: Context, from: Date, until: Date, filters: CalendarFilters) =>
  context.db
    .selectFrom('posts')
    .where('accountId', '=', context.accountId)
    .where('startDateTime', '>=', from)
    .where('startDateTime', '<', until)
    .where(sql<boolean>`(exists ${campaignWithin(context, filters)}) is true`)
    .where(allOf(postConditions(context, filters)))
    .orderBy('startDateTime')
    .orderBy('id')

const campaignWithin = (context: Context, { showArchived = false, ...filters }: CalendarFilters) =>
  context.db
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', context.accountId)
    .where(sql<boolean>`campaigns.id = posts.campaign_id`)
    .where('deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))
    .$if(!showArchived, (rows) => rows.where('status', '<>', 'archived'))
    .where(allOf(campaignConditions(context, filters)))

function campaignConditions({ accountId }: Context, { campaigns, campaignTags, teams }: CalendarFilters): Condition[] {
  return [
    campaigns && among('campaigns.id', campaigns),
    campaignTags && tagged(accountId, 'campaigns.id', campaignTags),
    teams &&
      sql`exists (select from team_entities t where t.account_id = ${accountId} and t.entity_id = campaigns.id
        and t.team_id = any (${teams}))`,
  ]
}

function postConditions(context: Context, filters: CalendarFilters): Condition[] {
  const { accountId } = context
  const { credentials, messages, postSources, statuses, users, networks, messageTags, promotion } = filters
  const { hasFirstComment, tags } = filters
  const commented = sql`exists (select from first_comments f where f.account_id = ${accountId} and f.post_id = posts.id)`
  return [
    credentials && sql`posts.credential_ids && ${credentials}::text[]`,
    messages && among('posts.message_id', messages),
    postSources && among('posts.source', postSources),
    statuses && among('posts.status', statuses),
    users && among('posts.created_by', users),
    networks && among('posts.network', networks),
    messageTags && tagged(accountId, 'posts.message_id', messageTags),
    tags &&
      sql`(${tagged(accountId, 'posts.campaign_id', tags)} or (${tagged(accountId, 'posts.message_id', tags)}
        and ${isOfSeenMessage(context, 'posts.message_id')}))`,
    (messages || messageTags) && isOfSeenMessage(context, 'posts.message_id'),
    hasFirstComment === undefined ? undefined : sql`${commented} = ${hasFirstComment}`,
    promotion && among('posts.promotion', promotion),
  ]
}

type Condition = RawBuilder<unknown> | undefined

const among = (column: string, values: readonly string[]) => sql`${sql.ref(column)} = any (${values})`

const tagged = (accountId: string, column: string, tagIds: readonly string[]) =>
  sql`exists (select from entity_tags t where t.account_id = ${accountId} and t.entity_id = ${sql.ref(column)}
    and t.tag_id = any (${tagIds}))`

const allOf = (conditions: Condition[]) =>
  sql<boolean>`${sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `)}`

/** Columns and conditions for statements on `posts`: a summary of a post beyond its row. */

/** Reasons why a post needs attention, worst first. */
export const troubles = ['', 'failed', 'unconfirmed', 'late'] as const
export type Trouble = (typeof troubles)[number]

/** The default; fits a calendar cell. */
const excerptLength = 90

/** The beginning of the message's text. */
export const textOf = (context: Context, length = excerptLength) =>
  sql<string>`coalesce(${ofMessage(context, sql`left(m.message, ${sql.lit(length)})`)}, '')`

/** Substring search in the message; `is true` keeps the planner from a join based on wrong estimates of how many messages match. */
export const containsText = (context: Context, text: string) =>
  sql<boolean>`(exists ${ofMessage(context, sql``, sql` and m.message ilike ${contains(text)}`)}) is true`

/** A post may have been moved out of its message's campaign: the text is shown only to users who can see that campaign. */
const ofMessage = (context: Context, columns: RawBuilder<unknown>, condition: RawBuilder<unknown> = sql``) =>
  sql`(select ${columns} from messages m where m.account_id = ${context.accountId} and m.id = posts.message_id
    and ${withinTeams(context, 'm.campaign_id')}${condition})`

export const mediaCount = ({ accountId }: Context) => sql<number>`(
  select count(*)::integer from message_media a where a.account_id = ${accountId} and a.message_id = posts.message_id)`

/** Evaluated only for posts that can have a problem: failed sends per post, late posts once for the whole statement. */
export const problemOf = ({ accountId }: Context) => sql<Trouble>`case
  when posts.status in ('error', 'incomplete') then coalesce((
    select case when bool_and(l.is_unconfirmed) then 'unconfirmed' else 'failed' end
    from postlogs l where l.account_id = ${accountId} and l.post_id = posts.id and l.status = 'failed'), 'failed')
  when ${isLate(accountId)} then 'late' else '' end`

export const isLate = (accountId: string) =>
  sql<boolean>`posts.id in (select s.content_id from sends s where s.account_id = ${accountId} and s.is_late)`
