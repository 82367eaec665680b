import { type Selectable, sql } from 'kysely'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { holdMedia, releaseAllMedia } from '#areas/media/asset/asset.ts'
import { requireMedia } from '#areas/publishing/message/message-media.ts'
import { type EndedSend, isInFlight, type SendState } from '#areas/sending/sendable.ts'
import { lockSends, removeSends, resend, resolveSend } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { InboxReplies } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { receivedIncrement, repliedIncrements, waitedSince } from '../inbox-counters.ts'
import { publishItemsEvent } from '../item/item.events.ts'
import { changeItems, holdItem, holdItems, type ItemRow, requireItem } from '../item/item.ts'
import { countEntries, type EntryRow } from '../item/timeline.ts'
import type { replyStatuses } from './reply-shape.ts'

export type ReplyRow = Selectable<InboxReplies>
export type ReplyStatus = (typeof replyStatuses)[number]

/** Kind of its sends. */
export const replyKind = 'reply'

/** Locks existing replies, so that a concurrent removal waits. Their items are locked before. */
const holdReplies = ({ db, accountId }: Context, ids: readonly string[]): Promise<ReplyRow[]> =>
  db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .orderBy('id')
    .modifyEnd(lockRows('inboxReplies', 'no key update'))
    .execute()

async function requireReply({ db, accountId }: Context, id: string): Promise<ReplyRow> {
  const reply = await db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!reply) throw missing('Reply')
  return reply
}

/** A reply as returned by the API, with whether it missed its time. */
export async function shownReply(context: Context, id: string) {
  const [reply] = await withLateness(context, [await requireReply(context, id)])
  return reply as NonNullable<typeof reply>
}

const mostShown = 100

/** Replies in a conversation, newest first. */
export async function list(context: Context, { id }: { id: string }) {
  await requireItem(context, id)
  const rows = await context.db
    .selectFrom('inboxReplies')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('itemId', '=', id)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(mostShown)
    .execute()
  return { items: await withLateness(context, rows), total: rows.length }
}

async function withLateness({ db, accountId }: Context, rows: readonly ReplyRow[]) {
  const ids = rows.map(({ id }) => id)
  const late = ids.length
    ? await db
        .selectFrom('sends')
        .select('contentId')
        .where('accountId', '=', accountId)
        .where('contentId', 'in', ids)
        .where('isLate', '=', true)
        .execute()
    : []
  return rows.map((row) => ({
    ...row,
    status: row.status as ReplyStatus,
    isLate: late.some(({ contentId }) => contentId === row.id),
  }))
}

/** Current state of a reply. */
interface ReplyState {
  reply: ReplyRow
  status: ReplyStatus
  error?: string
  remoteId?: string
  remoteUrl?: string
  /** Confirmed by a user: the time it was published is unknown. */
  isMarked?: boolean
}

/** Locks replies that were sent or have failed permanently, with their items. */
export async function lockEndedReplies(context: Context, ends: readonly EndedSend<ReplyRow>[]) {
  if (ends.length === 0) return { applyOutcomes: async () => {} }
  // Items before replies, the lock order: processing of incoming activities waits.
  const items = await holdItems(context, [...new Set(ends.map(({ content }) => content.itemId))])
  const held = await holdReplies(
    context,
    ends.map(({ send }) => send.contentId),
  )
  const byId = new Map(held.map((reply) => [reply.id, reply]))
  const applyOutcomes = async (accepted: readonly EndedSend<ReplyRow>[]) =>
    writeReplyStates(
      context,
      items,
      accepted.flatMap(({ send, outcome }): ReplyState[] => {
        const reply = byId.get(send.contentId)
        if (!reply) return []
        if (outcome.kind !== 'sent') return [{ reply, status: outcome.kind, error: outcome.error }]
        const { remoteId, remoteUrl = '' } = outcome.receipt
        return [{ reply, status: 'sent', remoteId, remoteUrl }]
      }),
    )
  return { applyOutcomes }
}

/** Writes the state of replies in locked items: rows, timeline, and events of the sent ones. */
async function writeReplyStates(context: Context, items: readonly ItemRow[], states: readonly ReplyState[]) {
  if (states.length === 0) return
  const mistaken = await joinEchoes(context, states)
  await writeEntries(context, states)
  const out = states.filter(({ reply, status }) => status === 'sent' && reply.status !== 'sent')
  const seconds = await responsesOf(context, out)
  await writeReplies(context, states, new Set(out), seconds)
  await releaseAllMedia(
    context,
    states.filter(({ status }) => status !== 'waiting').map(({ reply }) => reply.id),
  )
  const ids = new Set(states.map(({ reply }) => reply.itemId))
  const changed = await changeItems(
    context,
    items.filter(({ id }) => ids.has(id)),
  )
  for (const { reply, status } of states) {
    const item = changed.find(({ id }) => id === reply.itemId)
    if (item && status === 'sent')
      await publishItemsEvent(context, 'inboxItemReplied', [{ item, more: { Text: reply.text } }])
  }
  const replied = out.flatMap(({ reply }) => repliedIncrements(context, reply, context.now, seconds.get(reply.id)))
  await incrementCounters(context, [...replied, ...mistaken])
}

/** Response time in seconds of each first reply. */
async function responsesOf(context: Context, out: readonly ReplyState[]): Promise<Map<string, number>> {
  const since = await waitedSince(
    context,
    out.filter(({ isMarked }) => !isMarked).map(({ reply }) => reply),
  )
  const until = context.now.getTime()
  return new Map([...since].map(([id, from]) => [id, Math.max(0, Math.floor((until - from.getTime()) / 1000))]))
}

/**
 * An echo of a reply received before the network's response is the same reply: the timeline has it once. Returns corrections for
 * echoes that were counted as replies of others.
 */
async function joinEchoes(context: Context, states: readonly ReplyState[]): Promise<Increment[]> {
  const sent = states.filter(({ remoteId = '' }) => remoteId !== '')
  if (sent.length === 0) return []
  const { db, accountId } = context
  const { rows } = await sql<Pick<EntryRow, 'itemId' | 'credentialId' | 'created' | 'isOwn'>>`
    delete from inbox_entries e using unnest(${sent.map(({ reply }) => reply.credentialId)}::text[], ${sent.map(({ remoteId }) => remoteId)}::text[])
      as s (credential_id, remote_id)
    where e.account_id = ${accountId} and e.credential_id = s.credential_id and e.remote_id = s.remote_id and e.remote_id <> ''
      and e.reply_id = '' and e.type in ('message', 'comment', 'reply') returning e.item_id, e.credential_id, e.created, e.is_own`.execute(
    db,
  )
  await countEntries(
    context,
    rows.map(({ itemId }) => itemId),
    -1,
  )
  const networks = new Map(sent.map(({ reply }) => [reply.credentialId, reply.network]))
  return rows
    .filter(({ isOwn }) => !isOwn)
    .map(({ credentialId, created: at }) => {
      const network = networks.get(credentialId) ?? ''
      return { ...receivedIncrement(context, { network, credentialId, at }), amount: -1 }
    })
}

async function writeReplies(
  { db, accountId, now }: Context,
  states: readonly ReplyState[],
  out: ReadonlySet<ReplyState>,
  seconds: ReadonlyMap<string, number>,
) {
  const column = <Value>(read: (replyState: ReplyState) => Value) => states.map(read)
  await sql`
    update inbox_replies r set status = s.status, error = s.error, remote_id = s.remote_id, sent = s.sent, response_seconds = s.response_seconds
    from unnest(${column(({ reply }) => reply.id)}::text[], ${column(({ status }) => status)}::text[], ${column(({ error = '' }) => error)}::text[],
      ${column(({ remoteId = '' }) => remoteId)}::text[], ${column((one) => (out.has(one) ? now : one.reply.sent))}::timestamptz[],
      ${column(({ reply }) => seconds.get(reply.id) ?? reply.responseSeconds)}::int[]) as s (id, status, error, remote_id, sent, response_seconds)
    where r.account_id = ${accountId} and r.id = s.id`.execute(db)
}

/** Updates the timeline entries, with available actions where a user has to decide. */
async function writeEntries({ db, accountId }: Context, states: readonly ReplyState[]) {
  const column = <Value>(read: (replyState: ReplyState) => Value) => states.map(read)
  const details = column(({ reply, status, error = '' }) =>
    JSON.stringify({ status, error, ...adviceOn(status, reply) }),
  )
  await sql`
    update inbox_entries e set details = s.details, remote_id = s.remote_id, url = s.url
    from unnest(${column(({ reply }) => reply.id)}::text[], ${details}::jsonb[], ${column(({ remoteId = '' }) => remoteId)}::text[],
      ${column(({ remoteUrl = '' }) => remoteUrl)}::text[]) as s (reply_id, details, remote_id, url)
    where e.account_id = ${accountId} and e.reply_id = s.reply_id and e.reply_id <> ''`.execute(db)
}

function adviceOn(status: ReplyStatus, { network }: ReplyRow): { advice?: string } {
  if (status === 'failed') return { advice: 'Send it again, or drop it and write another answer.' }
  if (status === 'unconfirmed')
    return { advice: `Look on ${network} whether it is there: mark it as sent if it is, else send it again.` }
  return {}
}

/** Job name. */
export const endProfileRepliesName = 'inbox.end-replies'

/** Ends queued replies of a deleted profile; replies being sent are left to the sender. */
export async function endProfileReplies(context: Context, { data }: Emitted<{ credentialId: string }>) {
  const { db, accountId } = context
  const waiting = await db
    .selectFrom('inboxReplies')
    .select(['id', 'itemId'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', data.credentialId)
    .where('status', '=', 'waiting')
    .execute()
  if (waiting.length === 0) return
  const items = await holdItems(context, [...new Set(waiting.map(({ itemId }) => itemId))])
  const held = await holdReplies(
    context,
    waiting.map(({ id }) => id),
  )
  const sends = await lockSends(
    context,
    held.map(({ id }) => id),
  )
  const left = new Set(sends.filter(({ state }) => isInFlight(state)).map(({ contentId }) => contentId))
  const replies = held.filter(({ id, status }) => status === 'waiting' && !left.has(id))
  if (replies.length === 0) return
  await removeSends(
    context,
    replies.map(({ id }) => id),
  )
  const error = 'The profile was deleted before this could be sent.'
  await writeReplyStates(
    context,
    items,
    replies.map((reply) => ({ reply, status: 'failed', error })),
  )
}

export const repairs = ['mark-sent', 'send-again', 'drop'] as const

interface Repair {
  id: string
  action: (typeof repairs)[number]
  /** Id on the network, if a user found the reply there. */
  remoteId?: string | undefined
}

/** A user resolves a reply that failed, is unconfirmed or missed its time, or drops one that has not been sent. */
export async function repair(context: Context, { id, action, remoteId = '' }: Repair) {
  if (remoteId !== '' && action !== 'mark-sent')
    throw invalid('remoteId says where an answer is; give it with action=mark-sent.')
  const known = await requireReply(context, id)
  if (action === 'send-again') await holdRequirements(context, known)
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
    requireEnded(reply, state)
    if (action === 'mark-sent') {
      await requireFreeRemoteId(context, reply, remoteId)
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

function requireEnded({ status }: ReplyRow, state: SendState | undefined) {
  if (status === 'withdrawn' || state === undefined)
    throw conflict('The answer was dropped; write another one instead.')
  if (state !== 'failed' && state !== 'unconfirmed' && state !== 'late')
    throw conflict('The answer is on its way; wait for what becomes of it, or drop it.')
}

/** The id may belong to an own comment, but not to another person's or another reply. */
async function requireFreeRemoteId({ db, accountId }: Context, { id, credentialId }: ReplyRow, remoteId: string) {
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
async function holdRequirements(context: Context, { mediaIds, credentialId }: ReplyRow) {
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
