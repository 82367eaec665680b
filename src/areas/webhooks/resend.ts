import { sql } from 'kysely'
import { record } from '#areas/events/event.ts'
import type { DescribedEventType } from '#areas/events/event-type.ts'
import { eventIds } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { idAt } from '#kernel/ids.ts'
import { notifyDue } from '#kernel/jobs/due-accounts.ts'
import { webhooksChannel } from './deliveries.ts'
import { isQueuedFor } from './fan-out.ts'
import { get } from './webhook.ts'

/** Resends one payload under the same id. */
export async function resendOne(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const logged = db.selectFrom('webhookLog').select(['webhookId', 'eventId']).where('accountId', '=', accountId)
  const waiting = db.selectFrom('webhookDeliveries').select(['webhookId', 'eventId']).where('accountId', '=', accountId)
  const found =
    (await logged.where('webhookPayloadId', '=', id).limit(1).executeTakeFirst()) ??
    (await waiting.where('id', '=', id).executeTakeFirst())
  if (!found) throw missing('Payload')
  await requireEnabled(context, found.webhookId)
  await addDeliveries(
    context,
    found.webhookId,
    sql`select id from events where account_id = ${accountId} and id = ${found.eventId}`,
  )
}

/**
 * Resends all events since a time that a webhook has not received: failed, cancelled, or emitted while it was disabled or before it was
 * created. Returns their number.
 */
export async function resendFailed(context: Context, { id, since }: { id: string; since: Date }): Promise<number> {
  const { accountId } = context
  const { event } = await requireEnabled(context, id)
  const count = await addDeliveries(
    context,
    id,
    sql`select id from events e where account_id = ${accountId} and id >= ${idAt(eventIds.event, since)} and type = ${event}
      and not exists (select from webhook_log l where l.account_id = ${accountId} and l.succeeded
        and l.webhook_payload_id = chorus_payload_id(e.id, ${id}))
      and not ${isQueuedFor(accountId, id)}`,
  )
  context.about({ id, count })
  return count
}

/** Sends a sample of the webhook's event to it alone. */
export async function sendTest(context: Context, { id }: { id: string }, types: readonly DescribedEventType[]) {
  const { event } = await requireEnabled(context, id)
  const eventId = await record(context, event, { scopes: [], data: sampleOfEvent(types, event) ?? {} })
  await addDeliveries(context, id, sql`select ${eventId} as id`)
}

/** One element of the event's data, or an array if the contract shows one. */
export const sampleOfEvent = (types: readonly DescribedEventType[], name: string): object | undefined =>
  types.find((type) => type.name === name)?.sample

async function requireEnabled(context: Context, id: string) {
  const webhook = await get(context, { id })
  if (!webhook.isEnabled) throw conflict('The webhook is switched off. Switch it on first, with isEnabled=1.')
  return webhook
}

/** Adds deliveries of events to a webhook, with all attempts, and wakes it. */
async function addDeliveries(
  { db, accountId, now }: Context,
  id: string,
  events: ReturnType<typeof sql>,
): Promise<number> {
  const { rows } = await sql<{ made: number }>`
    with made as (
      insert into webhook_deliveries (account_id, id, webhook_id, event_id, due)
      select ${accountId}, chorus_payload_id(e.id, ${id}), ${id}, e.id, ${now} from (${events}) e
      on conflict (account_id, id) do update set due = excluded.due, attempts = 0 returning id),
    woken as (
      insert into webhook_partitions (webhook, account, due) select ${id}, ${accountId}, ${now} where exists (select from made)
      on conflict (account, webhook) do update set due = least(webhook_partitions.due, excluded.due), wakes = webhook_partitions.wakes + 1
      returning webhook)
    select count(*) as made from made`.execute(db)
  await notifyDue(db, webhooksChannel, now, { kind: '', account: accountId, due: now })
  return rows[0]?.made ?? 0
}
