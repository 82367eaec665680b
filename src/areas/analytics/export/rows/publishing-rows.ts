import { counted as countedCampaigns, shown as shownCampaign } from '#areas/publishing/campaign/campaign.ts'
import { countedPosts, postView as shownPost } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'
import { nextPiece, type ReadRows } from './source.ts'

/** Posts by when they are to go out, with the words and the campaign they belong to. */
export const postRows: ReadRows = async (context, range, after) => {
  const place = { table: 'posts', column: 'startDateTime' }
  const piece = await nextPiece(countedPosts(context), place, range, after)
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

export const campaignRows: ReadRows = async (context, range, after) => {
  const place = { table: 'campaigns', column: 'created' }
  const piece = await nextPiece(countedCampaigns(context), place, range, after)
  return { ...piece, rows: piece.rows.map(shownCampaign) }
}

/** One column of what ids name. */
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
