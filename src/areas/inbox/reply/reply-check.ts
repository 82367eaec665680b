import { type Selectable, sql } from 'kysely'
import type { Rules } from '#areas/profiles/access/profile-row.ts'
import { factsOf } from '#areas/publishing/message/message-content.ts'
import type { Context } from '#kernel/context.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import type { Correspondent, Target } from '#networks/connector/draft.ts'
import { checkComment, checkMessage, noMessages, windowProblem } from '#networks/content/content-check.ts'
import { gateOf } from '#networks/content/gates.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { inboxIds } from '../declarations.ts'
import type { ItemRow } from '../item/item.ts'

/** A private message, as opposed to public content. */
export const isMessage = ({ itemType }: Pick<ItemRow, 'itemType'>) => itemType === 'Conversation'

/** Why a reply isn't possible, with what would help; undefined if nothing is known. */
export function obstacleOf(
  item: Pick<ItemRow, 'itemType'>,
  { network, capabilities }: Rules,
  { withMedia, isMentioned }: { withMedia: boolean; isMentioned: boolean },
): string | undefined {
  const { name } = manifestOf(network)
  if (isMessage(item)) {
    if (capabilities.directMessage === 'no') return noMessages(name).sentence
    return gateOf(capabilities.directMessage)?.gated
  }
  if (capabilities.reply === 'no') return `Comments cannot be answered on ${name}.`
  const gates = [gateOf(capabilities.reply), withMedia ? gateOf(capabilities.replyMedia) : undefined]
  return gates.find((gate) => gate && !(gate.unless === 'mentioned' && isMentioned))?.gated
}

/** Whether the person mentioned the profile: in a mention, or in the first text of the item. */
export const isMentioned = ({ itemType, text }: Pick<ItemRow, 'itemType' | 'text'>, username: string): boolean =>
  itemType === 'Mention' || (username !== '' && text.toLowerCase().includes(`@${username.toLowerCase()}`))

/** Whether media is sent; networks without media in replies drop it, as the contract says. */
export const takesMedia = (network: Network) => manifestOf(network).capabilities.replyMedia !== 'no'

/** Rejects text and files that the network would reject, with the rule and the number. */
export function rejectInvalid(
  item: ItemRow,
  { network, limits }: Rules,
  { text, media }: { text: string; media: readonly Selectable<Media>[] },
) {
  const judge = isMessage(item) ? checkMessage : checkComment
  const problems = judge(network, { text, media: media.map(factsOf) }, limits)
  if (problems.length > 0) throw invalid(problems.map(({ sentence }) => sentence).join(' '))
}

/** Rejects a reply after the network's reply window. */
export function rejectLate(item: ItemRow, { network }: Rules, lastInbound: Date | null, now: Date) {
  const problem = isMessage(item) ? windowProblem(network, lastInbound ?? undefined, now) : undefined
  if (problem) throw invalid(problem)
}

/** Target of a reply on the network; columns of its row. */
export interface Addressed {
  postRemoteId: string
  parentRemoteId: string
  rootRemoteId: string
  personId: string
  threadRemoteId: string
  lastInbound: Date | null
}

/** Target of a reply in this item: the person of a thread, or the named comment, or what started the item. */
export async function addressOf(context: Context, item: ItemRow, parentId: string, rules: Rules): Promise<Addressed> {
  const rootId = item.remoteKey.slice(item.remoteKey.indexOf(':') + 1)
  const noTarget = { postRemoteId: '', parentRemoteId: '', rootRemoteId: '', threadRemoteId: '' }
  const { personId } = item
  if (isMessage(item)) {
    const threadRemoteId = rootId === personId ? '' : rootId
    return { ...noTarget, personId, threadRemoteId, lastInbound: await lastInboundOf(context, item.id) }
  }
  const to = { ...noTarget, personId, lastInbound: null }
  const isThreaded = rules.capabilities.threadedReply !== 'no'
  const parent = parentId !== '' && isThreaded ? await requireComment(context, item, parentId) : undefined
  // Comments are placed under a mention that is a post of its own.
  const isPost = item.itemType === 'Mention' && (item.postRemoteId === '' || item.postRemoteId === rootId)
  if (isPost && !parent) return { ...to, postRemoteId: rootId }
  return {
    ...to,
    postRemoteId: isPost ? rootId : item.postRemoteId || rootId,
    parentRemoteId: parent?.remoteId ?? rootId,
    rootRemoteId: isPost && parent ? threadOf(parent, rootId) : rootId,
  }
}

/** Top-level comment of a comment's thread: networks have two levels. */
const threadOf = ({ remoteId, parentRemoteId }: { remoteId: string; parentRemoteId: string }, post: string) =>
  parentRemoteId === '' || parentRemoteId === post ? remoteId : parentRemoteId

/** As expected by connectors. */
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

/** A comment of this item, by its entry or by its id on the network. */
async function requireComment({ db, accountId }: Context, item: ItemRow, id: string) {
  const comment = await db
    .selectFrom('inboxEntries')
    .select(['remoteId', 'parentRemoteId'])
    .where('accountId', '=', accountId)
    .where('itemId', '=', item.id)
    .$if(isId(inboxIds.inboxEntry, id), (entries) => entries.where('id', '=', id))
    .$if(!isId(inboxIds.inboxEntry, id), (entries) =>
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

/** The last entry the author has seen; undefined if not given. */
export interface Seen {
  lastEntryId: string
}

/** The same text twice within this time is considered accidental. */
const shortTime = 5 * 60_000

interface EarlierReply {
  id: string
  createdBy: string
  name: string | null
  content: string
}

/**
 * Rejects a reply if another user has replied since the author last looked, or if the same text was sent just before.
 * The item is locked, so that of two concurrent replies the second sees the first.
 */
export async function rejectDuplicateReply(context: Context, item: ItemRow, text: string, { lastEntryId }: Seen) {
  if (lastEntryId !== '') await requireEntry(context, item.id, lastEntryId)
  const other = lastEntryId === '' ? undefined : await replySince(context, item.id, lastEntryId)
  if (other) throw overtaken(other, `${other.name || 'Somebody'} answered while you were writing`)
  const same = await sameReply(context, item.id, text)
  if (same)
    throw overtaken(
      same,
      `${same.createdBy === context.userId ? 'You' : same.name || 'Somebody'} said just this a moment ago`,
    )
}

const overtaken = ({ id, createdBy, content }: EarlierReply, what: string) =>
  new Refusal('conflict', `${what}: "${shortened(content)}". To send yours all the same, say anyway.`, {
    beside: { Reply: { EntryId: id, CreatedBy: createdBy } },
  })

/** Cuts at code points. */
const shortened = (text: string) => {
  const characters = [...text.slice(0, 300)]
  return characters.length > 140 ? `${characters.slice(0, 140).join('')}…` : text
}

async function requireEntry({ db, accountId }: Context, itemId: string, id: string) {
  const entry = await db
    .selectFrom('inboxEntries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('itemId', '=', itemId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!entry) throw invalid(`lastEntryId names ${id.slice(0, 40)}, which is no entry of this conversation.`)
}

/** The last reply of another user after the seen entry, including replies sent on the network itself. */
async function replySince({ db, accountId, userId }: Context, itemId: string, seenId: string) {
  const { rows } = await sql<EarlierReply>`
    select e.id, e.created_by, u.name, e.content from inbox_entries seen
    join inbox_entries e on e.account_id = ${accountId} and e.item_id = seen.item_id and (e.created, e.id) > (seen.created, seen.id)
    left join users u on u.account_id = ${accountId} and u.id = e.created_by
    where seen.account_id = ${accountId} and seen.item_id = ${itemId} and seen.id = ${seenId} and e.account_id = ${accountId}
      and ${isReply} and e.created_by <> ${userId}
    order by e.created desc, e.id desc limit 1`.execute(db)
  return rows[0]
}

async function sameReply({ db, accountId, now }: Context, itemId: string, text: string) {
  const { rows } = await sql<EarlierReply>`
    select e.id, e.created_by, u.name, e.content from inbox_entries e
    left join users u on u.account_id = ${accountId} and u.id = e.created_by
    where e.account_id = ${accountId} and e.item_id = ${itemId} and e.created > ${new Date(now.getTime() - shortTime)}
      and ${isReply} and e.content = ${text}
    order by e.created desc, e.id desc limit 1`.execute(db)
  return rows[0]
}

/** Failed replies don't count. */
const isReply = sql`e.is_own and e.type in ('message', 'comment', 'reply') and e.removed is null
  and coalesce(e.details ->> 'status', '') not in ('failed', 'withdrawn')`
