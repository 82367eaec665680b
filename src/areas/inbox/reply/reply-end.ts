import { sql } from 'kysely'
import { addFacts, type Fact } from '#areas/figures/add-facts.ts'
import { releaseAllMedia } from '#areas/media/asset/asset.ts'
import { type EndedSend, isInFlight } from '#areas/sending/sendable.ts'
import { lockSends, removeSends } from '#areas/sending/sends.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { receivedFact, repliedFacts, waitedSince } from '../counters/inbox-increments.ts'
import { publishItemsEvent } from '../item/item.events.ts'
import { changeItems, holdItems, type ItemRow } from '../item/item.ts'
import { countEntries, type EntryRow } from '../timeline/timeline.ts'
import { holdReplies, type ReplyRow, type ReplyStatus } from './reply-row.ts'

/** Current state of a reply. */
export interface ReplyState {
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
  const applyOutcomes = async (kept: readonly EndedSend<ReplyRow>[]) =>
    writeReplyStates(
      context,
      items,
      kept.flatMap(({ send, outcome }): ReplyState[] => {
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
export async function writeReplyStates(context: Context, items: readonly ItemRow[], states: readonly ReplyState[]) {
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
  const replied = out.flatMap(({ reply }) => repliedFacts(context, reply, context.now, seconds.get(reply.id)))
  await addFacts(context, [...replied, ...mistaken])
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
async function joinEchoes(context: Context, states: readonly ReplyState[]): Promise<Fact[]> {
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
      return { ...receivedFact(context, { network, credentialId, at }), amount: -1 }
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
