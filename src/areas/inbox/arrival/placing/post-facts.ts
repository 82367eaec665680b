import { mediaOfAll } from '#areas/publishing/message/message-media.ts'
import type { Context } from '#kernel/context.ts'

/** What is known of a post that we sent: something stands under it. */
export interface PostFacts {
  postlogId: string
  url: string
  text: string
  media: string[]
}

/** Our own posts among these, by the network's id. */
export async function postsOf(
  context: Context,
  credentialId: string,
  remoteIds: readonly string[],
): Promise<Map<string, PostFacts>> {
  const { db, accountId } = context
  if (remoteIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('postlogs as l')
    .innerJoin('messages as m', (join) => join.on('m.accountId', '=', accountId).onRef('m.id', '=', 'l.messageId'))
    .select(['l.id', 'l.remoteId', 'l.remoteUrl', 'l.messageId', 'm.message'])
    .where('l.accountId', '=', accountId)
    .where('l.credentialId', '=', credentialId)
    .where('l.remoteId', 'in', remoteIds)
    .where('l.remoteId', '<>', '')
    .execute()
  const media = await mediaOfAll(
    context,
    rows.map(({ messageId }) => messageId),
  )
  return new Map(
    rows.map(({ id: postlogId, remoteId, remoteUrl: url, message: text, messageId }) => [
      remoteId,
      { postlogId, url, text, media: (media.get(messageId) ?? []).map((asset) => asset.resource) },
    ]),
  )
}
