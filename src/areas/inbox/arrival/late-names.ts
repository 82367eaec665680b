import { namesSince, renamePosts } from '#areas/publishing/postlog/postlog-names.ts'
import type { Context } from '#kernel/context.ts'
import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { hintItem, holdItems } from '../item/item-row.ts'
import { postsOf } from './placing/post-facts.ts'

/** Networks name posts within minutes; those that have no name after this never get one. */
const namedWithinMs = 6 * 3_600_000

interface Question {
  connector: Connector
  actor: Actor
  now: Date
  as<Result>(work: (context: Context) => Promise<Result>): Promise<Result>
}

/** Learns the names of posts that the network had not named when they were published, and attaches to them what was said under them meanwhile. */
export async function learnNames({ connector, actor, now, as }: Question, credentialId: string) {
  const { laterNames } = connector
  if (!laterNames) return
  const since = new Date(now.getTime() - namedWithinMs)
  const names = await laterNames(actor, await as((context) => namesSince(context, credentialId, since)))
  if (names.size === 0) return
  await as(async (context) => {
    await renamePosts(context, credentialId, names)
    await attachItems(
      context,
      credentialId,
      [...names.values()].map(({ remoteId }) => remoteId),
    )
  })
}

async function attachItems(context: Context, credentialId: string, postIds: readonly string[]) {
  const { db, accountId, now } = context
  const posts = await postsOf(context, credentialId, postIds)
  const found = await db
    .selectFrom('inboxItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('postRemoteId', 'in', postIds)
    .where('postlogId', 'is', null)
    .execute()
  if (found.length === 0) return
  const ids = found.map(({ id }) => id)
  for (const { id, postRemoteId } of await holdItems(context, ids)) {
    const post = posts.get(postRemoteId)
    if (!post) continue
    const { postlogId, url: postUrl, text: postText, media } = post
    await db
      .updateTable('inboxItems')
      .set({ postlogId, postUrl, postText, postMedia: JSON.stringify(media), modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .execute()
    hintItem(context, id)
  }
}
