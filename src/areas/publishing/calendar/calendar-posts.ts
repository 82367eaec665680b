import { type RawBuilder, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { clicksOf } from '#areas/figures/read-figures.ts'
import type { Context } from '#kernel/context.ts'
import { isOfSeenMessage } from '../message/message.ts'
import type { PostRow } from '../post/post.ts'

/** Each that is given narrows what is shown; those of campaigns by the campaign of a post. */
export interface CalendarFilters {
  campaigns?: readonly string[] | undefined
  credentials?: readonly string[] | undefined
  messages?: readonly string[] | undefined
  postSources?: readonly PostRow['source'][] | undefined
  statuses?: readonly PostRow['status'][] | undefined
  users?: readonly string[] | undefined
  networks?: readonly string[] | undefined
  campaignTags?: readonly string[] | undefined
  /** Of the post's words or of its campaign. */
  tags?: readonly string[] | undefined
  messageTags?: readonly string[] | undefined
  teams?: readonly string[] | undefined
  hasFirstComment?: boolean | undefined
  promotion?: readonly PostRow['promotion'][] | undefined
  showArchived?: boolean | undefined
}

/** The posts from one moment until before another, of campaigns the caller may see, in the order of their time. */
export const postsBetween = (context: Context, from: Date, until: Date, filters: CalendarFilters) =>
  matchingPosts(context, from, until, filters)
    .select(['id', 'campaignId', 'contentSource', 'credentialIds', 'messageId', 'network'])
    .select(clicksOf(context, 'post', 'posts.id'))
    .select(['source', 'startDateTime', 'status', 'approveStatus'])
    .select(sql<number>`cardinality(credential_ids)`.as('totalCount'))
    .execute()

/** The same for whoever wants other columns of them. */
export const matchingPosts = (context: Context, from: Date, until: Date, filters: CalendarFilters) =>
  context.db
    .selectFrom('posts')
    .where('accountId', '=', context.accountId)
    .where('startDateTime', '>=', from)
    .where('startDateTime', '<', until)
    .where('campaignId', 'in', campaignsWithin(context, filters))
    .where(allOf(postConditions(context, filters)))
    .orderBy('startDateTime')
    .orderBy('id')

const campaignsWithin = (context: Context, { showArchived = false, ...filters }: CalendarFilters) =>
  context.db
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', context.accountId)
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
  sql`exists (select from tagged t where t.account_id = ${accountId} and t.entity_id = ${sql.ref(column)}
    and t.tag_id = any (${tagIds}))`

const allOf = (conditions: Condition[]) =>
  sql<boolean>`${sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `)}`
