import { sql } from 'kysely'
import { withinTeamsOfAll } from '#areas/account/team/visibility.ts'
import { forgetEvents } from '#areas/events/event.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { isQueued } from './fan-out.ts'
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

const retention = 30 * day
const batchSize = 5_000

/** Deletes events, log entries and failed deliveries after thirty days, and the log of deleted webhooks. */
export const forgetOldEventsJob = job<Record<string, never>>('webhooks.forget-old-events', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      for (const deleteBatch of [
        deleteOldLogEntries,
        deleteOrphanedLogEntries,
        deleteFailedDeliveries,
        deleteOldEvents,
      ]) {
        // In small transactions, so that millions of rows are not locked for minutes.
        while (!context.signal.aborted && (await context.transaction(id, deleteBatch)) >= batchSize);
      }
    }),
})

const cutoff = ({ now }: Context) => new Date(now.getTime() - retention)

async function deleteOldLogEntries(context: Context): Promise<number> {
  const { db, accountId } = context
  const { numAffectedRows } =
    await sql`delete from webhook_log where account_id = ${accountId} and (webhook_payload_id, id) in (
    select webhook_payload_id, id from webhook_log
    where account_id = ${accountId} and created < ${cutoff(context)} limit ${batchSize})`.execute(db)
  return Number(numAffectedRows)
}

async function deleteOrphanedLogEntries({ db, accountId }: Context): Promise<number> {
  const { numAffectedRows } =
    await sql`delete from webhook_log where account_id = ${accountId} and (webhook_payload_id, id) in (
    select webhook_payload_id, id from webhook_log l where account_id = ${accountId} and not exists (
      select from webhooks w where w.account_id = ${accountId} and w.id = l.webhook_id) limit ${batchSize})`.execute(db)
  return Number(numAffectedRows)
}

async function deleteFailedDeliveries(context: Context): Promise<number> {
  const { db, accountId } = context
  const { numAffectedRows } = await sql`delete from webhook_deliveries where account_id = ${accountId} and id in (
    select d.id from webhook_deliveries d join events e on e.account_id = ${accountId} and e.id = d.event_id
    where d.account_id = ${accountId} and d.due is null and e.created < ${cutoff(context)} limit ${batchSize})`.execute(
    db,
  )
  return Number(numAffectedRows)
}

const deleteOldEvents = (context: Context) =>
  forgetEvents(context, {
    before: cutoff(context),
    isWaitedFor: sql`${isQueued(context.accountId)}
      or exists (select from webhook_deliveries d where d.account_id = ${context.accountId} and d.event_id = e.id)`,
    atOnce: batchSize,
  })
