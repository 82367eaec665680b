import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { idPrefixes } from '#kernel/ids.ts'
import { envelope } from './request.ts'
import { get } from './webhook.ts'

/** The calls made for a webhook, each with its payload if the caller may see the entities in it. */
export async function search(context: Context, { id, page }: { id: string; page: Page }) {
  const { db, accountId } = context
  await get(context, { id })
  const calls = db.selectFrom('webhookLog').selectAll().where('accountId', '=', accountId).where('webhookId', '=', id)
  const { items, total } = await paginate(calls, page)
  const ids = [...new Set(items.map(({ eventId }) => eventId))]
  const events = ids.length
    ? await db.selectFrom('events').selectAll().where('accountId', '=', accountId).where('id', 'in', ids).execute()
    : []
  const visible = await visibleEvents(context, events)
  const byId = new Map(visible.map((event) => [event.id, event]))
  const payloadOf = (eventId: string) => {
    const event = byId.get(eventId)
    return event ? parsePayload(envelope(event, id)) : {}
  }
  return { items: items.map((call) => ({ ...call, payload: payloadOf(call.eventId) })), total }
}

/** A payload that is not valid JSON is left out. */
function parsePayload(payload: string): object {
  try {
    return JSON.parse(payload)
  } catch {
    return {}
  }
}

interface EventRow {
  id: string
  /** JSON. */
  data: string
}

/** The events that mention nothing the caller's teams must not see. */
async function visibleEvents<Event extends EventRow>(context: Context, events: readonly Event[]): Promise<Event[]> {
  if (context.role === 'admin') return [...events]
  const mentioned = new Map(events.map(({ id, data }) => [id, scopedIds(data)]))
  const visible = await readVisibility(context, [...new Set([...mentioned.values()].flat())])
  return events.filter(({ id }) => {
    const ids = mentioned.get(id) ?? []
    const hasCampaign = ids.some((one) => one.startsWith(campaign))
    // A deleted entity belonged to the campaign mentioned beside it; without one its owner is unknown.
    return ids.every((one) => visible.get(one) ?? (hasCampaign && !one.startsWith(campaign)))
  })
}

const { campaign, workflow, post, message } = idPrefixes
const scoped = new Set<string>([campaign, workflow, post, message])
const prefixLength = campaign.length

const scopedIds = (data: string): string[] =>
  [...data.matchAll(/"([0-9A-Za-z]{15})"/g)]
    .map(([, id = '']) => id)
    .filter((id) => scoped.has(id.slice(0, prefixLength)))

/** Whether the caller may see each entity that exists. */
async function readVisibility(context: Context, ids: readonly string[]): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map()
  const { accountId, db } = context
  const { rows } = await sql<{ id: string; isVisible: boolean }>`
    select found.id, ${withinTeams(context, 'found.scope')} as is_visible from (
      select id, id as scope from campaigns where account_id = ${accountId} and id = any (${ids})
      union all select id, id from workflows where account_id = ${accountId} and id = any (${ids})
      union all select id, campaign_id from posts where account_id = ${accountId} and id = any (${ids})
      union all select id, campaign_id from messages where account_id = ${accountId} and id = any (${ids})) found`.execute(
    db,
  )
  return new Map(rows.map(({ id, isVisible }) => [id, isVisible]))
}
