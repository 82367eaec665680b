import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { clicksOf } from '#areas/figures/read-figures.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { lengthOf } from '../message/message-content.ts'

type Ids = readonly string[]

export const campaignsOf = ({ db, accountId }: Context, ids: Ids) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'color', 'name', 'status'])
    .where('accountId', '=', accountId)
    .where(among('id', ids))
    .execute()

/** Also those that were deleted: a post was meant for them. */
export const credentialsOf = ({ db, accountId }: Context, ids: Ids) =>
  db
    .selectFrom('credentials')
    .select(['id', 'boardOnly', 'displayName', 'expiresOn', 'imageLink', 'isHidden', 'name', 'network'])
    .select(['networkAccountId', 'networkUsername', 'parentCredentialId', 'status'])
    .where('accountId', '=', accountId)
    .where(among('id', ids))
    .execute()

/** A post may have been moved out of its message's campaign: the message is shown to those who see that one. */
export async function messagesOf(context: Context, ids: Ids) {
  const { db, accountId } = context
  const [messages, attached] = await Promise.all([
    db
      .selectFrom('messages')
      .select(['id', 'campaignId', 'description', 'imageUrl', 'isBoardMessage', 'linkTitle'])
      .select(clicksOf(context, 'message', 'messages.id'))
      .select(['linkUrl', 'linkUrl as url', 'message', 'messageLength', 'network', 'status', 'subject', 'type'])
      .where('accountId', '=', accountId)
      .where(among('id', ids))
      .where(withinTeams(context, 'messages.campaign_id'))
      .execute(),
    db
      .selectFrom('messageMedia')
      .select(['messageId', 'mediaId'])
      .where('accountId', '=', accountId)
      .where(among('message_id', ids))
      .orderBy('messageId')
      .orderBy('position')
      .execute(),
  ])
  const mediaIds = new Map<string, string[]>()
  for (const { messageId, mediaId } of attached) {
    const known = mediaIds.get(messageId)
    if (known) known.push(mediaId)
    else mediaIds.set(messageId, [mediaId])
  }
  return messages.map((message) =>
    Object.assign(message, {
      mediaIds: mediaIds.get(message.id) ?? none,
      messageLength: message.messageLength ?? lengthOf(message),
    }),
  )
}

/** What the messages show, each once. */
export async function mediaOf(context: Context, messageIds: Ids) {
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
  const assets = await db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', used)
    .orderBy('id')
    .execute()
  return assets.map((asset) => shownAsset(context, asset))
}

export const postlogsOf = ({ db, accountId }: Context, postIds: Ids) =>
  db
    .selectFrom('postlogs')
    .select(['id', 'credentialId', 'postId', 'messageId', 'status', 'remoteUrl', 'publishedDate'])
    .where('accountId', '=', accountId)
    .where(among('post_id', postIds))
    .orderBy('id')
    .execute()

const none: string[] = []

/** As one text: written as an array, every id would be looked through for signs that no id has. */
const among = (column: string, ids: Ids) => sql<boolean>`${sql.ref(column)} = any (string_to_array(${ids.join()}, ','))`
