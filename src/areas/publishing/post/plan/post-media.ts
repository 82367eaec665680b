import { holdMedia } from '#areas/media/asset/media-hold.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import type { PostRow } from '../post-row.ts'

/** Keeps what a post needs from being deleted: its message's media and its comment's image. Refuses if one is gone already. */
export async function holdPostMedia(context: Context, { id, messageId }: Pick<PostRow, 'id' | 'messageId'>) {
  const { db, accountId } = context
  const ofMessage = await db
    .selectFrom('messageMedia')
    .select('mediaId')
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .execute()
  const ofComment = await db
    .selectFrom('firstComments')
    .select('mediaId')
    .where('accountId', '=', accountId)
    .where('postId', '=', id)
    .where('mediaId', 'is not', null)
    .execute()
  const needed = [...new Set([...ofMessage, ...ofComment].flatMap(({ mediaId }) => mediaId ?? []))]
  await refuseGone(context, needed)
  await holdMedia(context, id, needed, 'a scheduled post')
}

async function refuseGone({ db, accountId }: Context, needed: readonly string[]) {
  if (needed.length === 0) return
  const there = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', needed)
    .execute()
  if (there.length < needed.length)
    throw conflict('Media of the post were deleted: give the message other media, or none, first.')
}
