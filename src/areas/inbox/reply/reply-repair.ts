import { holdMedia } from '#areas/media/asset/asset.ts'
import { requireMedia } from '#areas/publishing/message/message-media.ts'
import { isInFlight, type SendState } from '#areas/sending/sendable.ts'
import { lockSends, removeSends, resend, resolveSend } from '#areas/sending/sends.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { holdItem } from '../item/item.ts'
import { writeReplyStates } from './reply-end.ts'
import { holdReplies, type ReplyRow, replyKind, requireReply, shownReply } from './reply-row.ts'

export const repairs = ['mark-sent', 'send-again', 'drop'] as const

interface Wish {
  id: string
  action: (typeof repairs)[number]
  /** Id on the network, if a user found the reply there. */
  remoteId?: string | undefined
}

/** A user resolves a reply that failed, is unconfirmed or missed its time, or drops one that has not been sent. */
export async function repair(context: Context, { id, action, remoteId = '' }: Wish) {
  if (remoteId !== '' && action !== 'mark-sent')
    throw invalid('remoteId says where an answer is; give it with action=mark-sent.')
  const known = await requireReply(context, id)
  if (action === 'send-again') await holdWhatItNeeds(context, known)
  const item = await holdItem(context, known.itemId)
  const [reply = known] = await holdReplies(context, [id])
  const state = (await lockSends(context, [id]))[0]?.state
  if (reply.status === 'sent') throw conflict('The network has this answer; there is nothing to do about it.')
  if (state !== undefined && isInFlight(state))
    throw conflict('The answer is being sent at this moment. Look again in a minute to see what became of it.')
  const { credentialId } = reply
  const key = { contentId: id, credentialId, kind: replyKind }
  if (action === 'drop') {
    await removeSends(context, [id])
    await writeReplyStates(context, [item], [{ reply, status: 'withdrawn' }])
  } else {
    refuseOnItsWay(reply, state)
    if (action === 'mark-sent') {
      await refuseOthersId(context, reply, remoteId)
      await resolveSend(context, key, { state: 'sent', remoteId })
      await writeReplyStates(context, [item], [{ reply, status: 'sent', remoteId, isMarked: true }])
    } else {
      await holdMedia(context, id, reply.mediaIds, 'an answer that is being sent')
      await writeReplyStates(context, [item], [{ reply, status: 'waiting' }])
      await resend(context, replyKind, { contentId: id, credentialIds: [credentialId], isHeld: false })
    }
  }
  return shownReply(context, id)
}

function refuseOnItsWay({ status }: ReplyRow, state: SendState | undefined) {
  if (status === 'withdrawn' || state === undefined)
    throw conflict('The answer was dropped; write another one instead.')
  if (state !== 'failed' && state !== 'unconfirmed' && state !== 'late')
    throw conflict('The answer is on its way; wait for what becomes of it, or drop it.')
}

/** The id may belong to an own comment, but not to another person's or another reply. */
async function refuseOthersId({ db, accountId }: Context, { id, credentialId }: ReplyRow, remoteId: string) {
  if (remoteId === '') return
  const other = await db
    .selectFrom('inboxEntries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '=', remoteId)
    .where('remoteId', '<>', '')
    .where((entry) => entry.or([entry('isOwn', '=', false), entry('replyId', 'not in', ['', id])]))
    .executeTakeFirst()
  if (other) throw conflict(`remoteId names ${remoteId.slice(0, 80)}, which is another comment or message.`)
}

/** Locks its files and its profile before everything else. */
async function holdWhatItNeeds(context: Context, { mediaIds, credentialId }: ReplyRow) {
  const { db, accountId } = context
  await requireMedia(context, mediaIds, 'The answer')
  const profile = await db
    .selectFrom('credentials')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', credentialId)
    .where('deleted', 'is', null)
    .modifyEnd(lockRows('credentials', 'share'))
    .executeTakeFirst()
  if (!profile) throw conflict('The profile was deleted; nothing can be sent in its name any more.')
}
