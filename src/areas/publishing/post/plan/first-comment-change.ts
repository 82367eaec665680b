import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { isId, newId } from '#kernel/ids.ts'
import { firstCommentProblems, firstCommentNetwork as network } from '#networks/content/content-check.ts'
import type { PostRow } from '../post-row.ts'

/** Only what is given changes; an empty image takes it away, null the whole comment. */
export type CommentChange = { text?: string; media?: string } | null

/** Says what is to stand under a post that nobody has got yet; tells whether that is something else than before. */
export async function changeFirstComment(
  context: Context,
  post: PostRow,
  change: CommentChange | undefined,
): Promise<boolean> {
  const { db, accountId, now } = context
  const before = await db
    .selectFrom('firstComments')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('postId', '=', post.id)
    .executeTakeFirst()
  if (change === null) {
    if (before)
      await db.deleteFrom('firstComments').where('accountId', '=', accountId).where('id', '=', before.id).execute()
    return before !== undefined
  }
  if (!before && !change) return false
  if (post.network !== network)
    throw invalid(`firstComment goes under posts on ${network} only; none of the profiles is there.`)
  if (!change) return false
  const text = change.text ?? before?.text ?? ''
  const mediaId = change.media === undefined ? (before?.mediaId ?? null) : change.media || null
  judge(text, mediaId)
  if (mediaId && mediaId !== before?.mediaId) await requireImage(context, mediaId)
  const row = { accountId, id: newId('firstComment', now), postId: post.id, text, mediaId }
  await db
    .insertInto('firstComments')
    .values(row)
    .onConflict((on) => on.columns(['accountId', 'postId']).doUpdateSet({ text, mediaId }))
    .execute()
  return text !== before?.text || mediaId !== before.mediaId
}

function judge(text: string, mediaId: string | null) {
  if (text === '' && !mediaId) throw invalid('firstComment needs a text or an image.')
  const problems = text === '' ? [] : firstCommentProblems(text)
  if (problems.length > 0) throw invalid(`firstComment cannot be published. ${problems.join(' ')}`)
}

async function requireImage({ db, accountId }: Context, id: string) {
  const asset = isId('media', id)
    ? await db
        .selectFrom('media')
        .select('type')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (!asset) throw invalid(`firstComment names ${id.slice(0, 40)} as its media, but there is no such asset.`)
  if (asset.type !== 'Image' && asset.type !== 'ImageUrl')
    throw invalid('firstComment takes an image; videos and PDFs cannot stand in a comment.')
}
