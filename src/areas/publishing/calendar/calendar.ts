import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { clicksOf } from '#areas/counters/counter.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { among, firstKeys, type Keys, keyedList, listed } from '#kernel/database/keyed-pages.ts'
import { invalid } from '#kernel/errors.ts'
import { measureText } from '../message/message-content.ts'
import {
  type CalendarFilters,
  containsText,
  keysIn,
  keysOfPosts,
  matchingPosts,
  mediaCount,
  postsByKeys,
  problemOf,
  shownPosts,
  textOf,
} from './calendar-posts.ts'
import { findAll as findAllEvents, find as findEvents } from './custom-event.ts'

const maxDays = 60
/** Up to 250 posts are read in one query, more in pages of 100: a large page blocks the event loop for tens of milliseconds. */
const [wholeSize, pageSize] = [250, 100]

interface CalendarRange {
  fromDate: Date
  toDate: Date
  filters?: CalendarFilters | undefined
}

/**
 * Every post of a range of days, both ends included, with the distinct rows related to them. The post ids are read first and fix the
 * result; large results are then read page by page while the response is streamed.
 */
export async function show(context: Context, { fromDate, toDate, filters = {} }: CalendarRange) {
  if (toDate < fromDate) throw invalid('toDate must not be before fromDate.')
  if (toDate.getTime() - fromDate.getTime() > maxDays * day) throw invalid('Time period should not exceed 60 days')
  const end = new Date(toDate.getTime() + day)
  const matching = matchingPosts(context, fromDate, end, filters)
  const first = await shownPosts(context, matching.limit(wholeSize + 1)).execute()
  const isWhole = first.length <= wholeSize
  const keys = isWhole ? keysIn(first) : await keysOfPosts(context, matching)
  const [campaigns, credentials, messages, media, postlogs, customEvents] = await Promise.all([
    campaignsOf(context, keys.campaigns),
    credentialsOf(context, keys.credentials),
    messagesOf(context, keys.messages),
    mediaOf(context, keys.messages),
    postlogsOf(context, keys.posts),
    findAllEvents(context, { after: fromDate, before: new Date(end.getTime() - 1) }),
  ])
  const posts = isWhole
    ? first
    : await keyedList(keys.posts, pageSize, (some) => shownPosts(context, postsByKeys(context, some)).execute())
  return { campaigns, credentials, media, messages, posts, postlogs, customEvents }
}

const maxPlannerDays = 62
/** More posts than a calendar can usefully show; a larger result is truncated at the end and marked. */
const maxPlannerPosts = 20_000
/** Rows per query. */
const plannerPageSize = 500

interface PlannerRange {
  from: Date
  until: Date
  find?: string | undefined
  filters?: CalendarFilters | undefined
}

/** The posts of a time range in compact form, with the names of related rows; large results are streamed page by page. */
export async function plan(context: Context, { from, until, find = '', filters = {} }: PlannerRange) {
  if (until <= from) throw invalid('until must come after from.')
  if (until.getTime() - from.getTime() > maxPlannerDays * day)
    throw invalid(`The time must not exceed ${maxPlannerDays} days.`)
  const all = matchingPosts(context, from, until, filters)
  const matching = find === '' ? all : all.where(containsText(context, find))
  const first = await compactPosts(context, matching)
    .limit(plannerPageSize + 1)
    .execute()
  const isWhole = first.length <= plannerPageSize
  const keys = isWhole ? keysIn(first) : await keysOfPosts(context, matching.limit(maxPlannerPosts + 1))
  const shownKeys = firstKeys(keys.posts, maxPlannerPosts)
  const [campaigns, credentials, events] = await Promise.all([
    campaignsOf(context, keys.campaigns),
    profilesOf(context, keys.credentials),
    eventsBetween(context, from, until),
  ])
  const posts = isWhole
    ? first.map(withoutDefaults)
    : await keyedList(shownKeys, plannerPageSize, async (some) =>
        (await compactPosts(context, postsByKeys(context, some)).execute()).map(withoutDefaults),
      )
  return { posts, campaigns, credentials, customEvents: events.items, isAll: shownKeys.length === keys.posts.length }
}

const compactPosts = (context: Context, posts: ReturnType<typeof matchingPosts>) =>
  posts
    .select(['id', 'campaignId', 'network', 'credentialIds', 'messageId', 'startDateTime as at', 'status'])
    .select(['approveStatus', problemOf(context).as('trouble'), textOf(context).as('text')])
    .select(mediaCount(context).as('media'))

type CompactPost = Awaited<ReturnType<ReturnType<typeof compactPosts>['execute']>>[number]

/** Default values are omitted. */
const withoutDefaults = ({ approveStatus, trouble, media, ...post }: CompactPost) => ({
  ...post,
  approveStatus: approveStatus === 'Approved' ? undefined : approveStatus,
  trouble: trouble || undefined,
  media: media || undefined,
})

/** Includes deleted profiles, since posts still refer to them. */
const profilesOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, plannerPageSize, (some) =>
    db
      .selectFrom('credentials')
      .select(['id', 'displayName as name', 'network', 'imageLink'])
      .select(sql<boolean>`status = 'valid'`.as('isValid'))
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .orderBy('id')
      .execute(),
  )

const eventsBetween = (context: Context, from: Date, until: Date) =>
  findEvents(context, {
    after: from,
    before: new Date(until.getTime() - 1),
    page: { limit: 500, offset: 0, order: { column: 'startDateTime', kind: 'date', ascending: true } },
  })

/** Rows per query: small rows, and rows with long texts. */
const [manyRows, fewRows] = [500, 100]

const campaignsOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, manyRows, (some) =>
    db
      .selectFrom('campaigns')
      .select(['id', 'color', 'name', 'status'])
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .orderBy('id')
      .execute(),
  )

/** Includes deleted profiles, since posts still refer to them. */
const credentialsOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, manyRows, (some) =>
    db
      .selectFrom('credentials')
      .select(['id', 'boardOnly', 'displayName', 'expiresOn', 'imageLink', 'isHidden', 'name', 'network'])
      .select(['networkAccountId', 'networkUsername', 'parentCredentialId', 'status'])
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .orderBy('id')
      .execute(),
  )

/** A post may have been moved out of its message's campaign: the message is shown only to users who can see that campaign. */
const messagesOf = (context: Context, ids: Keys) =>
  keyedList(ids, fewRows, async (some) => {
    const { db, accountId } = context
    const [messages, mediaIds] = await Promise.all([
      db
        .selectFrom('messages')
        .select(['id', 'campaignId', 'description', 'imageUrl', 'isBoardMessage', 'linkTitle'])
        .select(clicksOf(context, 'message', 'messages.id'))
        .select(['linkUrl', 'linkUrl as url', 'message', 'messageLength', 'network', 'status', 'subject', 'type'])
        .where('accountId', '=', accountId)
        .where(among('id', some))
        .where(withinTeams(context, 'messages.campaign_id'))
        .orderBy('id')
        .execute(),
      mediaIdsOf(context, some),
    ])
    return messages.map((message) =>
      Object.assign(message, {
        mediaIds: mediaIds.get(message.id) ?? none,
        messageLength: message.messageLength ?? measureText(message),
      }),
    )
  })

const none: string[] = []

/** The media ids of each message, in order. */
async function mediaIdsOf({ db, accountId }: Context, messageIds: Keys) {
  const attached = await db
    .selectFrom('messageMedia')
    .select(['messageId', 'mediaId'])
    .where('accountId', '=', accountId)
    .where(among('message_id', messageIds))
    .orderBy('messageId')
    .orderBy('position')
    .execute()
  const mediaIds = new Map<string, string[]>()
  for (const { messageId, mediaId } of attached) {
    const known = mediaIds.get(messageId)
    if (known) known.push(mediaId)
    else mediaIds.set(messageId, [mediaId])
  }
  return mediaIds
}

/** The media of the messages, without duplicates. */
function mediaOf(context: Context, messageIds: Keys) {
  const { db, accountId } = context
  const used = db
    .selectFrom('messageMedia')
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'messageMedia.messageId'),
    )
    .select('mediaId')
    .where('messageMedia.accountId', '=', accountId)
    .where(among('message_media.message_id', messageIds))
    .where(withinTeams(context, 'messages.campaign_id'))
  const assets = db.selectFrom('media').selectAll().where('accountId', '=', accountId).orderBy('id')
  return listed(db, assets.where('id', 'in', used), {
    size: manyRows,
    rows: assets,
    each: (rows) => rows.map((asset) => shownAsset(context, asset)),
  })
}

function postlogsOf({ db, accountId }: Context, postIds: Keys) {
  const postlogs = db
    .selectFrom('postlogs')
    .select(['id', 'credentialId', 'postId', 'messageId', 'status', 'remoteUrl', 'publishedDate'])
    .where('accountId', '=', accountId)
    .orderBy('id')
  return listed(db, postlogs.where(among('post_id', postIds)), { size: manyRows, rows: postlogs })
}
