import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { envelope } from '../delivery/envelope.ts'
import { seenEvents } from './event-visibility.ts'
import { get } from './webhook.ts'

/** The calls that were made for a webhook, each with the payload that was sent, where the caller may see what it tells of. */
export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  const { db, accountId } = context
  await get(context, { id })
  const calls = db.selectFrom('webhookLog').selectAll().where('accountId', '=', accountId).where('webhookId', '=', id)
  const { items, total } = await paginate(calls, page)
  const ids = [...new Set(items.map(({ eventId }) => eventId))]
  const events = ids.length
    ? await db.selectFrom('events').selectAll().where('accountId', '=', accountId).where('id', 'in', ids).execute()
    : []
  const seen = await seenEvents(context, events)
  const byId = new Map(seen.map((event) => [event.id, event]))
  const payloadOf = (eventId: string) => {
    const event = byId.get(eventId)
    return event ? JSON.parse(envelope(event, id)) : {}
  }
  return { items: items.map((call) => ({ ...call, payload: payloadOf(call.eventId) })), total }
}
