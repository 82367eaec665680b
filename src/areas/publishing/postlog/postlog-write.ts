import type { Selectable } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Postlogs } from '#kernel/database/tables.ts'
import { newId } from '#kernel/ids.ts'
import { hintPosts } from '../post/post-hints.ts'
import type { PostRow } from '../post/post-row.ts'

export type PostlogRow = Selectable<Postlogs>

type Found = Pick<PostlogRow, 'isUnconfirmed' | 'remoteId' | 'remoteUrl' | 'error' | 'publishedDate'>

export type PostlogEntry = { post: PostRow } & Pick<PostlogRow, 'credentialId' | 'status'> & Partial<Found>

const nothing: Found = { isUnconfirmed: false, remoteId: '', remoteUrl: '', error: '', publishedDate: null }

/** Writes down what became of posts on profiles; what was known before gives way. */
export async function writePostlogs(context: Context, entries: readonly PostlogEntry[]) {
  if (entries.length === 0) return []
  const { db, accountId, now } = context
  hintPosts(
    context,
    entries.map(({ post }) => post),
  )
  const rows = entries.map(({ post: { id: postId, campaignId, messageId, network }, ...entry }) => ({
    ...{ accountId, id: newId('postlog', now), created: now, modified: now, postId, campaignId, messageId, network },
    ...nothing,
    ...entry,
  }))
  return db
    .insertInto('postlogs')
    .values(rows)
    .onConflict((on) =>
      on.columns(['accountId', 'postId', 'credentialId']).doUpdateSet(({ ref }) => ({
        modified: ref('excluded.modified'),
        status: ref('excluded.status'),
        isUnconfirmed: ref('excluded.isUnconfirmed'),
        remoteId: ref('excluded.remoteId'),
        remoteUrl: ref('excluded.remoteUrl'),
        error: ref('excluded.error'),
        publishedDate: ref('excluded.publishedDate'),
      })),
    )
    .returningAll()
    .execute()
}

export async function writePostlog(context: Context, post: PostRow, entry: Omit<PostlogEntry, 'post'>) {
  const [log] = await writePostlogs(context, [{ post, ...entry }])
  return log as PostlogRow
}
