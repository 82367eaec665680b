import { withinTeamsOfAll } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { envelope } from './request.ts'
import { get } from './webhook.ts'

/** The calls made for a webhook, each with its payload if the caller may see everything that the event concerns. */
export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  const { db, accountId } = context
  await get(context, { id })
  const calls = db.selectFrom('webhookLog').selectAll().where('accountId', '=', accountId).where('webhookId', '=', id)
  const { items, total } = await paginate(calls, page)
  const ids = [...new Set(items.map(({ eventId }) => eventId))]
  const visible = ids.length
    ? await db
        .selectFrom('events')
        .select(['id', 'type', 'created', 'data'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .where(withinTeamsOfAll(context, 'events.scopes'))
        .execute()
    : []
  const byId = new Map(visible.map((event) => [event.id, event]))
  const payloadOf = (eventId: string) => {
    const event = byId.get(eventId)
    return event ? parsePayload(envelope(event, id)) : {}
  }
  return { items: items.map((call) => ({ ...call, payload: payloadOf(call.eventId) })), total }
}

/** A payload that is not valid JSON is omitted. */
function parsePayload(payload: string): object {
  try {
    return JSON.parse(payload)
  } catch {
    return {}
  }
}
