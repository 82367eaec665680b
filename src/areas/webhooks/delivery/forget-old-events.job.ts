import { sql } from 'kysely'
import { forgetEvents } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { isQueued } from './event-queue.ts'

const day = 24 * 60 * 60 * 1000
const kept = 30 * day
const atOnce = 5_000

/** Removes events, calls and what was given up after thirty days, and the log of webhooks that were deleted. */
export const forgetOldEventsJob = job<Record<string, never>>('webhooks.forget-old-events', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      for (const forget of [forgetCalls, forgetCallsOfNobody, forgetDeliveries, forgetTold]) {
        // In small transactions: a log of millions must not be locked for minutes.
        while (!context.signal.aborted && (await context.as(id, forget)) >= atOnce);
      }
    }),
})

const before = ({ now }: Context) => new Date(now.getTime() - kept)

async function forgetCalls(context: Context): Promise<number> {
  const { db, accountId } = context
  const { numAffectedRows } =
    await sql`delete from webhook_log where account_id = ${accountId} and (webhook_payload_id, id) in (
    select webhook_payload_id, id from webhook_log
    where account_id = ${accountId} and created < ${before(context)} limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}

async function forgetCallsOfNobody({ db, accountId }: Context): Promise<number> {
  const { numAffectedRows } =
    await sql`delete from webhook_log where account_id = ${accountId} and (webhook_payload_id, id) in (
    select webhook_payload_id, id from webhook_log l where account_id = ${accountId} and not exists (
      select from webhooks w where w.account_id = ${accountId} and w.id = l.webhook_id) limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}

async function forgetDeliveries(context: Context): Promise<number> {
  const { db, accountId } = context
  const { numAffectedRows } = await sql`delete from webhook_deliveries where account_id = ${accountId} and id in (
    select d.id from webhook_deliveries d join events e on e.account_id = ${accountId} and e.id = d.event_id
    where d.account_id = ${accountId} and d.due is null and e.created < ${before(context)} limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}

const forgetTold = (context: Context) =>
  forgetEvents(context, {
    before: before(context),
    isWaitedFor: sql`${isQueued(context.accountId)}
      or exists (select from webhook_deliveries d where d.account_id = ${context.accountId} and d.event_id = e.id)`,
    atOnce,
  })
