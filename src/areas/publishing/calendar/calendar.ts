import { withinTeams } from '#areas/account/team/visibility.ts'
import { clicksOf } from '#areas/figures/figure.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { among, type Keys, keyedList, listed } from '#kernel/database/keyed-pages.ts'
import { invalid } from '#kernel/errors.ts'
import { findAll as findEvents } from '../custom-event/custom-event.ts'
import { lengthOf } from '../message/message-content.ts'
import { type CalendarFilters, keysIn, keysOfPosts, matchingPosts, postsByKeys, shownPosts } from './calendar-posts.ts'

const day = 24 * 60 * 60 * 1000
const mostDays = 60
/** Up to 250 posts are read in one query, more in pages of 100: a large page blocks the event loop for tens of milliseconds. */
const [wholeSize, pageSize] = [250, 100]

interface Wanted {
  fromDate: Date
  toDate: Date
  filters?: CalendarFilters | undefined
}

/**
 * Every post of a range of days, both ends included, with the distinct rows related to them. The post ids are read first and fix the
 * result; large results are then read page by page while the response is streamed.
 */
export async function show(context: Context, { fromDate, toDate, filters = {} }: Wanted) {
  if (toDate < fromDate) throw invalid('toDate must not be before fromDate.')
  if (toDate.getTime() - fromDate.getTime() > mostDays * day) throw invalid('Time period should not exceed 60 days')
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
    findEvents(context, { after: fromDate, before: new Date(end.getTime() - 1) }),
  ])
  const posts = isWhole
    ? first
    : await keyedList(keys.posts, pageSize, (some) => shownPosts(context, postsByKeys(context, some)).execute())
  return { campaigns, credentials, media, messages, posts, postlogs, customEvents }
}

/** Rows per query: small rows, and rows with long texts. */
const [manyRows, fewRows] = [500, 100]

export const campaignsOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, manyRows, (some) =>
    db
      .selectFrom('campaigns')
      .select(['id', 'color', 'name', 'status'])
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .execute(),
  )

/** Includes deleted profiles, since posts still refer to them. */
export const credentialsOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, manyRows, (some) =>
    db
      .selectFrom('credentials')
      .select(['id', 'boardOnly', 'displayName', 'expiresOn', 'imageLink', 'isHidden', 'name', 'network'])
      .select(['networkAccountId', 'networkUsername', 'parentCredentialId', 'status'])
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .execute(),
  )

/** A post may have been moved out of its message's campaign: the message is shown only to users who can see that campaign. */
export const messagesOf = (context: Context, ids: Keys) =>
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
        .execute(),
      mediaIdsOf(context, some),
    ])
    return messages.map((message) =>
      Object.assign(message, {
        mediaIds: mediaIds.get(message.id) ?? none,
        messageLength: message.messageLength ?? lengthOf(message),
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
export function mediaOf(context: Context, messageIds: Keys) {
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

export function postlogsOf({ db, accountId }: Context, postIds: Keys) {
  const postlogs = db
    .selectFrom('postlogs')
    .select(['id', 'credentialId', 'postId', 'messageId', 'status', 'remoteUrl', 'publishedDate'])
    .where('accountId', '=', accountId)
    .orderBy('id')
  return listed(db, postlogs.where(among('post_id', postIds)), { size: manyRows, rows: postlogs })
}
