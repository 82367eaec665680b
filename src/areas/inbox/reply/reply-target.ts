import type { Rules } from '#areas/profiles/access/profile-rules.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import type { Correspondent, Target } from '#networks/connector/draft.ts'
import type { ItemRow } from '../item/item-row.ts'
import { isMessage } from './reply-check.ts'

/** Whom or what an answer is to, at the network; columns of its row. */
export interface Addressed {
  postRemoteId: string
  parentRemoteId: string
  rootRemoteId: string
  personId: string
  threadRemoteId: string
  lastInbound: Date | null
}

/** To whom an answer in this item goes: the person of a thread, or the comment that was named, else what began the item. */
export async function addressOf(context: Context, item: ItemRow, parentId: string, rules: Rules): Promise<Addressed> {
  const begun = item.remoteKey.slice(item.remoteKey.indexOf(':') + 1)
  const nobody = { postRemoteId: '', parentRemoteId: '', rootRemoteId: '', threadRemoteId: '' }
  const { personId } = item
  if (isMessage(item)) {
    const threadRemoteId = begun === personId ? '' : begun
    return { ...nobody, personId, threadRemoteId, lastInbound: await lastInboundOf(context, item.id) }
  }
  const to = { ...nobody, personId, lastInbound: null }
  const isThreaded = rules.capabilities.threadedReply !== 'no'
  const parent = parentId !== '' && isThreaded ? await requireComment(context, item, parentId) : undefined
  // A mention that is a post of its own is what comments stand under.
  const isPost = item.itemType === 'Mention' && (item.postRemoteId === '' || item.postRemoteId === begun)
  if (isPost && !parent) return { ...to, postRemoteId: begun }
  return {
    ...to,
    postRemoteId: isPost ? begun : item.postRemoteId || begun,
    parentRemoteId: parent?.remoteId ?? begun,
    rootRemoteId: isPost && parent ? threadOf(parent, begun) : begun,
  }
}

/** The comment under a post with which the thread of a comment begins: networks know two levels. */
const threadOf = ({ remoteId, parentRemoteId }: { remoteId: string; parentRemoteId: string }, post: string) =>
  parentRemoteId === '' || parentRemoteId === post ? remoteId : parentRemoteId

/** As connectors take it. */
export const targetOf = ({ postRemoteId, parentRemoteId, rootRemoteId }: Addressed): Target => ({
  postId: postRemoteId,
  ...(parentRemoteId && { commentId: parentRemoteId }),
  ...(rootRemoteId && { rootCommentId: rootRemoteId }),
})

export const correspondentOf = ({ personId, threadRemoteId, lastInbound }: Addressed): Correspondent => ({
  personId,
  ...(threadRemoteId && { threadId: threadRemoteId }),
  ...(lastInbound && { lastInboundAt: lastInbound }),
})

/** A comment of this item, named by its entry or by the network's id of it. */
async function requireComment({ db, accountId }: Context, item: ItemRow, id: string) {
  const comment = await db
    .selectFrom('inboxEntries')
    .select(['remoteId', 'parentRemoteId'])
    .where('accountId', '=', accountId)
    .where('itemId', '=', item.id)
    .$if(isId('inboxEntry', id), (entries) => entries.where('id', '=', id))
    .$if(!isId('inboxEntry', id), (entries) =>
      entries.where('credentialId', '=', item.credentialId).where('remoteId', '=', id),
    )
    .where('type', 'in', ['comment', 'reply'])
    .where('remoteId', '<>', '')
    .where('removed', 'is', null)
    .executeTakeFirst()
  if (!comment) throw invalid(`parent_comment_id names ${id.slice(0, 80)}, which is no comment of this conversation.`)
  return comment
}

async function lastInboundOf({ db, accountId }: Context, itemId: string): Promise<Date | null> {
  const entry = await db
    .selectFrom('inboxEntries')
    .select('created')
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('type', '=', 'message')
    .where('isOwn', '=', false)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return entry?.created ?? null
}
